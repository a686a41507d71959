#!/bin/bash
# The tests of pods, and tasks from a message to a commit, on the cluster of up.sh, with the token that workers have.
# `test.sh FILE…` runs other files.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
kubectl apply -k namespace > /dev/null
kubectl create namespace guildhall --dry-run=client -o yaml | kubectl apply -f - > /dev/null
kubectl apply --namespace guildhall -f ../work/service-account.yaml > /dev/null
kubectl create token guildhall-work --namespace guildhall --duration=2h > "$RUN/token"
export GUILDHALL_TEST_KUBERNETES=$API GUILDHALL_TEST_NAMESPACE=guildhall-test GUILDHALL_TEST_TOKEN_FILE=$RUN/token
export GUILDHALL_TEST_CA_FILE=$CONF/ca.crt GUILDHALL_TEST_PODS_IMAGE=guildhall-agent:test
cd "$REPOSITORY"
[ $# -gt 0 ] || set -- server/platform/pods/contract.test.ts server/runner/worker/remote-pods.test.ts \
  server/runner/network/in-pod.test.ts server/runner/gateway/in-pod.test.ts
node --test --test-concurrency=1 --test-name-pattern='^kubernetes' "$@"
