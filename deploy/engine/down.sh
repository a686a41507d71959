#!/bin/bash
# Ends the engine of up.sh and all that it runs, and removes its network and its data, images included. What up.sh has not
# started stays: another engine has a network of the same name.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
if [ -e "$ENGINE/up.pid" ]; then
  pid=$(cat "$ENGINE/up.pid")
  # Not of a later process with the same number, if the machine was restarted.
  runs() { tr '\0' '\n' 2> /dev/null < "/proc/$pid/cmdline" | grep -qxF "$ENGINE/dockerd.pid"; }
  if runs; then
    if docker version > /dev/null 2>&1; then
      docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes > /dev/null
      docker network prune --force > /dev/null
    fi
    kill "$pid"
    while runs; do sleep 0.2; done
  fi
  if [ ! -e /var/run/docker.pid ]; then
    if ip link show docker0 > /dev/null 2>&1; then ip link delete docker0; fi
    for table in filter nat; do
      iptables-save -t $table | sed -nE '/ DOCKER|docker0|DOCKER-/ s/^-A/-D/p' | xargs -rL1 iptables -t $table || true
      iptables-save -t $table | sed -nE 's/^:(DOCKER\S*) .*/\1/p' | xargs -rn1 iptables -t $table -X || true
    done
  fi
  rm -f "$ENGINE/up.pid" "$ENGINE/dockerd.pid"
fi
rm -rf "$ENGINE/data" "$ENGINE/run"
