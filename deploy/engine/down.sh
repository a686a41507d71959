#!/bin/bash
# Ends the engine of up.sh and all that it runs, and removes its network and its data, images included.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
if [ -e "$ENGINE/dockerd.pid" ]; then
  docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes > /dev/null
  docker network prune --force > /dev/null
  pid=$(cat "$ENGINE/dockerd.pid")
  kill "$pid"
  while kill -0 "$pid" 2> /dev/null; do sleep 0.2; done
fi
ip link show docker0 > /dev/null 2>&1 && ip link delete docker0
for table in filter nat; do
  iptables-save -t $table | sed -nE '/ DOCKER|docker0|DOCKER-/ s/^-A/-D/p' | xargs -rL1 iptables -t $table || true
  iptables-save -t $table | sed -nE 's/^:(DOCKER\S*) .*/\1/p' | xargs -rn1 iptables -t $table -X || true
done
rm -rf "$ENGINE/data" "$ENGINE/run"
