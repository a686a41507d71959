# Where everything of the engine is. Sourced by the other scripts.
export ENGINE=${ENGINE:-/var/tmp/guildhall-engine}
export REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export DOCKER_HOST=unix://$ENGINE/docker.sock DOCKER_CONFIG=$ENGINE/config
# The client of Docker 20.10 has BuildKit without a plugin.
export DOCKER_BUILDKIT=1
export COMPOSE=${COMPOSE:-v2.40.3}
export PATH=/usr/bin:$REPOSITORY/node_modules/.bin:$PATH
VERSION=$(sed -nE 's/^  "version": "(.*)",$/\1/p' "$REPOSITORY/package.json")
NODE=$(sed -nE 's/^    "node": "(.*)",$/\1/p' "$REPOSITORY/package.json")
# The image of compose.yaml with this name, and its tag.
image_of() { sed -nE "s|^ +image: ($1:.*)$|\1|p" "$REPOSITORY/compose.yaml"; }
