#!/bin/bash
# Starts a Docker engine whose data, socket and network are its own, and makes what is needed in it: the images that ours
# begin with, Compose from its Go module where there is none, and both images. May be repeated. As root.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
mkdir -p "$ENGINE/bin" "$DOCKER_CONFIG/cli-plugins"
if ! docker version > /dev/null 2>&1; then
  if [ -e /var/run/docker.pid ] || ip link show docker0 > /dev/null 2>&1; then
    echo 'Another Docker engine runs here: stop it first, because two of them share a network. If none does, one was' \
      'killed: deploy/engine/down.sh removes the network of ours, ip link delete docker0 that of others.' >&2
    exit 1
  fi
  setsid nohup dockerd --data-root "$ENGINE/data" --exec-root "$ENGINE/run" --pidfile "$ENGINE/dockerd.pid" \
    --host "$DOCKER_HOST" > "$ENGINE/dockerd.log" 2>&1 < /dev/null &
  echo $! > "$ENGINE/up.pid"
  for _ in $(seq 60); do docker version > /dev/null 2>&1 && break; sleep 1; done
  docker version > /dev/null
fi

# A plugin, as `docker compose` finds it. The module's go.mod leaves versions out, so that `go install` refuses it.
plugin=$DOCKER_CONFIG/cli-plugins/docker-compose
if [ "${ENGINE_SERVER:-yes}" != no ] && ! docker compose version > /dev/null 2>&1; then
  source=$(cd / && go mod download -json "github.com/docker/compose/v2@$COMPOSE" | sed -nE 's/^\s*"Dir": "(.*)",$/\1/p')
  rm -rf "$ENGINE/compose"
  cp -r "$source" "$ENGINE/compose"
  chmod -R u+w "$ENGINE/compose"
  (cd "$ENGINE/compose" && CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o "$plugin" ./cmd)
fi

./bases.sh
# The commands of docs/operations/install.md and docs/operations.md.
cd "$REPOSITORY"
[ "${ENGINE_SERVER:-yes}" = no ] || nice docker build -t "guildhall:$VERSION" .
nice docker build -f deploy/agent.Dockerfile --target base -t guildhall-agent-base .
[ "${ENGINE_AGENTS:-yes}" = no ] || nice docker build -f deploy/agent.Dockerfile -t guildhall-agent .
docker images
