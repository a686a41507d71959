#!/bin/sh
# Writes the manifests that the chart installs, in manifests/: those of deploy/kubernetes and deploy/kubernetes-agents, in
# each composition that the chart's values choose from. Run it before `helm package` or `helm install`.
set -eu
case "${1:-}" in
'') ;;
-h | --help)
  echo 'usage: deploy/helm/manifests.sh   (needs kubectl; writes deploy/helm/manifests/)'
  exit 0
  ;;
*)
  echo "unknown argument: $1. See --help." >&2
  exit 2
  ;;
esac
command -v kubectl >/dev/null || {
  echo 'kubectl is not in the PATH: it puts the manifests together.' >&2
  exit 1
}
chart=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
new=$(mktemp -d "$chart/.manifests-XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM
mkdir "$new/overlay" "$new/manifests"

# compose NAME BASE: the manifests of a folder of deploy/kubernetes, with secrets as variables and as mounted files.
compose() {
  kubectl kustomize "$chart/../kubernetes/$2" >"$new/manifests/$1.yaml"
  cat >"$new/overlay/kustomization.yaml" <<END
resources: [../../../kubernetes/$2]
components: [../../../kubernetes/secret-files]
END
  kubectl kustomize "$new/overlay" >"$new/manifests/$1-secret-files.yaml"
}
compose servers .
compose workers work
compose workers-in-pods work-in-pods
compose backup backup
kubectl kustomize "$chart/../kubernetes-agents" >"$new/manifests/agents.yaml"
# By which the chart sees that it has those of another version.
sed -n 's/^version: //p' "$chart/Chart.yaml" >"$new/manifests/version"

rm -rf "$chart/manifests"
# Not into those that another one has written meanwhile.
mv "$new/manifests" "$chart/"
