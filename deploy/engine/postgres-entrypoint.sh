#!/bin/bash
# What the image `postgres` does at its start, as far as compose.yaml relies on it.
set -euo pipefail
sockets=/var/run/postgresql
secret() { # secret NAME: the variable, or the file that NAME_FILE gives
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then cat "${!file}"; else printf '%s' "${!1:-}"; fi
}
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  # shellcheck disable=SC2086
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=<(secret POSTGRES_PASSWORD) --locale=C.UTF-8 \
    --encoding=UTF8 --auth-local=trust $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  postgres -D "$PGDATA" -c listen_addresses= -c unix_socket_directories=$sockets &
  until pg_isready --quiet --host=$sockets --username="$POSTGRES_USER"; do sleep 0.2; done
  for script in /docker-entrypoint-initdb.d/*.sh; do
    if [ -x "$script" ]; then "$script"; else . "$script"; fi
  done
  kill -INT %1
  wait %1
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=$sockets "$@"
