#!/bin/bash
# The tests of pods, and tasks from a message to a commit, on the cluster of up.sh, with the token that workers have.
# `test.sh FILE…` runs other files.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
. ./account.sh
cd "$REPOSITORY"
[ $# -gt 0 ] || set -- server/platform/pods/contract.test.ts server/runner/worker/remote-pods.test.ts \
  server/runner/network/in-pod.test.ts server/runner/gateway/in-pod.test.ts
node --test --test-concurrency=1 --test-name-pattern='^kubernetes' "$@"
