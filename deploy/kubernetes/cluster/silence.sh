#!/bin/bash
# What is silent for SECONDS_OF_SILENCE (320) goes on by the signs of life that workers send, and ends without them. A cluster ends it
# after four hours, which is a constant of the API server: here it is one whose constant is a minute, built beside the
# other. The cluster must be down; it is down afterwards.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
[ ! -e "$RUN/apiserver.pid" ] || { echo 'first: down.sh' >&2; exit 1; }
export APISERVER=$BIN/kube-apiserver-minute
if [ ! -x "$APISERVER" ]; then
  cd "$CLUSTER/build"
  copy=$CLUSTER/build/apiserver
  rm -rf "$copy"
  cp -r "$(go list -mod=mod -m -f '{{.Dir}}' k8s.io/apiserver)" "$copy"
  chmod -R u+w "$copy"
  sed -i 's/defaultIdleConnectionTimeout = 4 \* time.Hour/defaultIdleConnectionTimeout = time.Minute/' "$copy/pkg/util/proxy/websocket.go"
  grep -q 'defaultIdleConnectionTimeout = time.Minute' "$copy/pkg/util/proxy/websocket.go"
  sed "s|^replace k8s.io/apiserver => .*|replace k8s.io/apiserver => $copy|" go.mod > minute.mod
  cp go.sum minute.sum
  version=k8s.io/component-base/version
  CGO_ENABLED=0 nice go build -modfile minute.mod -mod=mod -buildvcs=false -trimpath \
    -ldflags "-s -w -X $version.gitVersion=$KUBERNETES -X $version.gitMajor=1 -X $version.gitMinor=33" \
    -o "$APISERVER" k8s.io/kubernetes/cmd/kube-apiserver
  cd - > /dev/null
fi
trap ./down.sh EXIT
./up.sh
. ./account.sh
export GUILDHALL_TEST_NODE_SOCKET=$SOCKET GUILDHALL_TEST_SILENCE=${SECONDS_OF_SILENCE:-320}
(cd "$REPOSITORY" && node --test server/platform/pods/kubernetes/silence.test.ts)
