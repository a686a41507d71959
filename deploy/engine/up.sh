#!/bin/bash
# Starts an engine of its own (engine.sh), and makes what is needed in it: the images that ours begin with, Compose from its
# Go module where there is none, and both images. May be repeated. As root.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
./engine.sh

# A plugin, as `docker compose` finds it.
plugin=$DOCKER_CONFIG/cli-plugins/docker-compose
if [ "${ENGINE_SERVER:-yes}" != no ] && ! docker compose version > /dev/null 2>&1; then
  go_program github.com/docker/compose/v2 "$COMPOSE" ./cmd "$plugin"
fi

./bases.sh
# The commands of docs/operations/install.md and docs/operations.md.
cd "$REPOSITORY"
[ "${ENGINE_SERVER:-yes}" = no ] || nice docker build -t "guildhall:$VERSION" .
nice docker build -f deploy/agent.Dockerfile --target base -t guildhall-agent-base .
[ "${ENGINE_AGENTS:-yes}" = no ] || nice docker build -f deploy/agent.Dockerfile -t guildhall-agent .
docker images
