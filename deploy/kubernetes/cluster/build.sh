#!/bin/bash
# Once: what Debian has, Kubernetes from Go modules, and the images. 12 minutes on two quiet cores.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
mkdir -p "$BIN" "$IMAGES" "$CLUSTER/build/pin"

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends etcd-server containerd runc \
  containernetworking-plugins debootstrap iptables openssl postgresql-client python3
./images.sh

# kubernetes replaces its own modules by folders of its repository: here, by their releases of the same number.
cd "$CLUSTER/build"
commands="kube-apiserver kubelet kube-controller-manager kube-scheduler kubectl"
original=$(cd / && go mod download -json "k8s.io/kubernetes@$KUBERNETES" | python3 -c 'import json, sys; print(json.load(sys.stdin)["GoMod"])')
if [ ! -e go.sum ]; then
  {
    echo 'module cluster'
    grep -E '^(go|godebug) ' "$original"
    echo "require k8s.io/kubernetes $KUBERNETES"
    sed -nE "s|^\s*(k8s\.io/[a-z0-9-]+) => \./staging/.*|replace \1 => \1 v0${KUBERNETES#v1}|p" "$original" | sort -u
  } > go.mod
  {
    printf '//go:build tools\n\npackage pin\n\nimport (\n'
    for command in $commands; do echo "	_ \"k8s.io/kubernetes/cmd/$command\""; done
    echo ')'
  } > pin/pin.go
  go mod tidy
fi
minor=${KUBERNETES#v1.}
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=$KUBERNETES -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
done
for command in $commands; do
  [ -x "$BIN/$command" ] || CGO_ENABLED=0 nice go build -mod=mod -buildvcs=false -trimpath -ldflags "$flags" \
    -o "$BIN/$command" "k8s.io/kubernetes/cmd/$command"
done
