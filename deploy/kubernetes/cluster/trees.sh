#!/bin/bash
# What it costs to move a tree of many small files into a pod and out of it, beside `tar` through the same exec.
# FILES (20000) of 1 KiB, ROUNDS (3).
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
. ./account.sh
node trees.ts
