#!/bin/bash
# What this cluster does where it refuses, ends or waits, beside what the fake of its API does: exec without a right to it
# or through a proxy without WebSockets, a container without memory left, a quota, a token, an image, a drain, a silent node.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
. ./account.sh
export GUILDHALL_TEST_NODE_SOCKET=$SOCKET GUILDHALL_TEST_NODE_PID_FILE=$RUN/kubelet.pid
cd "$REPOSITORY"
node --test server/platform/pods/kubernetes/differences.test.ts
