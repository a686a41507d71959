# Where everything of the engine is. Sourced by the other scripts.
export ENGINE=${ENGINE:-/var/tmp/guildhall-engine}
export REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export DOCKER_HOST=unix://$ENGINE/docker.sock DOCKER_CONFIG=$ENGINE/config
# The client of Docker 20.10 has BuildKit without a plugin.
export DOCKER_BUILDKIT=1
export COMPOSE=${COMPOSE:-v2.40.3}
# What builds for two kinds of processors at once, in the versions that Compose is made from, and where its registry is.
export BUILDKIT=${BUILDKIT:-v0.25.1} BUILDX=${BUILDX:-v0.29.1}
export REGISTRY=${REGISTRY:-127.0.0.1:5055}
export PATH=/usr/bin:$REPOSITORY/node_modules/.bin:$PATH
VERSION=$(sed -nE 's/^  "version": "(.*)",$/\1/p' "$REPOSITORY/package.json")
NODE=$(sed -nE 's/^    "node": "(.*)",$/\1/p' "$REPOSITORY/package.json")
# The image of compose.yaml with this name, and its tag.
image_of() { sed -nE "s|^ +image: ($1:.*)$|\1|p" "$REPOSITORY/compose.yaml"; }

# go_program MODULE VERSION PACKAGE PROGRAM: these modules leave versions out in their go.mod, so that `go install` refuses them.
go_program() {
  local source
  source=$(cd / && go mod download -json "$1@$2" | sed -nE 's/^\s*"Dir": "(.*)",$/\1/p')
  rm -rf "$ENGINE/source"
  cp -r "$source" "$ENGINE/source"
  chmod -R u+w "$ENGINE/source"
  (cd "$ENGINE/source" && CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o "$4" "$3")
  rm -rf "$ENGINE/source"
}

# debian_for ARCHITECTURE: the smallest Debian, in a file under its name once it is whole.
debian_for() {
  local file=$ENGINE/debian-$1.tar
  [ -e "$file" ] && return
  nice mmdebstrap --quiet --format=tar --variant=minbase --architectures="$1" --include=libatomic1,libstdc++6 bookworm \
    "$file.part"
  mv "$file.part" "$file"
}

# node_context FOLDER: npm and the certificates that node.Dockerfile needs. The programs are the caller's.
node_context() {
  cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$1/npm"
  cp "${ENGINE_CA:-/dev/null}" "$1/ca.pem"
}
