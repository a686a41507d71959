#!/bin/bash
# The chart (deploy/helm) on the cluster: installed, upgraded to other workers, rolled back, uninstalled, and installed
# again beside what stayed. Its Pods do not run, because no registry has their images. Needs helm; uses two namespaces of
# its own, and removes them.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
servers=guildhall-chart agents=guildhall-chart-agents chart=../../helm

for namespace in $servers $agents; do
  if kubectl get namespace $namespace > /dev/null 2>&1; then
    echo "there is a namespace $namespace already: not ours" >&2
    exit 1
  fi
done
trap 'kubectl delete namespace $servers $agents --ignore-not-found --wait=false' EXIT

release() { # release install|upgrade [OPTIONS]
  helm "$1" guildhall $chart --namespace $servers --set publicUrl=https://guildhall.example.com \
    --set image.repository=registry.example.com/guildhall --set agents.namespace=$agents \
    --set agents.image=registry.example.com/guildhall-agent:0.1.0 "${@:2}" > /dev/null
}
expect() { # expect WANTED COMMAND…
  local found
  found=$("${@:2}" 2>&1) || true
  [ "$found" = "$1" ] || { printf 'expected %s, found %s: %s\n' "$1" "$found" "${*:2}" >&2; exit 1; }
  echo "as expected: ${*:2}"
}
may() { # may SERVICE-ACCOUNT
  kubectl auth can-i create pods --namespace $agents --as "system:serviceaccount:$servers:$1"
}
driver() {
  kubectl get deployment guildhall-work --namespace $servers \
    --output 'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="PODS_DRIVER")].value}'
}
volume() {
  kubectl get persistentvolumeclaim guildhall-repositories --namespace $servers --output 'jsonpath={.metadata.uid}'
}

$chart/manifests.sh
release install --create-namespace
expect kubernetes driver
expect yes may guildhall-work
expect no may guildhall
kept=$(volume)
release upgrade --set workers.inPods=false --set secretFiles=true
expect '' driver
expect no may guildhall-work
helm rollback guildhall 1 --namespace $servers
expect kubernetes driver
expect yes may guildhall-work
helm uninstall guildhall --namespace $servers
expect "$kept" volume
expect Active kubectl get namespace $agents --output 'jsonpath={.status.phase}'
expect networkpolicy.networking.k8s.io/guildhall-agents kubectl get networkpolicy --namespace $agents --output name
release install
expect "$kept" volume
expect yes may guildhall-work
