#!/bin/bash
# Starts a Docker engine whose data, socket and network are its own, unless it runs. As root.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
mkdir -p "$ENGINE/bin" "$DOCKER_CONFIG/cli-plugins"
docker version > /dev/null 2>&1 && exit
if [ -e /var/run/docker.pid ] || ip link show docker0 > /dev/null 2>&1; then
  echo 'Another Docker engine runs here: stop it first, because two of them share a network. If none does, one was' \
    'killed: deploy/engine/down.sh removes the network of ours, ip link delete docker0 that of others.' >&2
  exit 1
fi
setsid nohup dockerd --data-root "$ENGINE/data" --exec-root "$ENGINE/run" --pidfile "$ENGINE/dockerd.pid" \
  --host "$DOCKER_HOST" > "$ENGINE/dockerd.log" 2>&1 < /dev/null &
echo $! > "$ENGINE/up.pid"
for _ in $(seq 60); do docker version > /dev/null 2>&1 && exit; sleep 1; done
docker version > /dev/null
