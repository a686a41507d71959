#!/bin/bash
# Ends what up.sh and arm64.sh have started, with all that it runs, and removes its network and its data, images included.
# What they have not started stays: another engine has a network of the same name.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
# runs PID ARGUMENT: not of a later process with the same number, if the machine was restarted.
runs() { tr '\0' '\n' 2> /dev/null < "/proc/$1/cmdline" | grep -qxF "$ENGINE/$2"; }
# end PID ARGUMENT
end() {
  if runs "$1" "$2"; then
    kill "$1"
    while runs "$1" "$2"; do sleep 0.2; done
  fi
}
for program in buildkitd:buildkitd.toml registry:registry.yml; do
  started=$ENGINE/${program%:*}.up
  if [ -e "$started" ]; then
    end "$(cat "$started")" "${program#*:}"
    rm -f "$started"
  fi
done
if [ -e "$ENGINE/up.pid" ]; then
  pid=$(cat "$ENGINE/up.pid")
  if runs "$pid" dockerd.pid; then
    if docker version > /dev/null 2>&1; then
      docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes > /dev/null
      docker network prune --force > /dev/null
    fi
    end "$pid" dockerd.pid
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
binfmt=/proc/sys/fs/binfmt_misc
if [ -e "$ENGINE/binfmt.registered" ]; then
  if [ -e $binfmt/guildhall-aarch64 ]; then echo -1 > $binfmt/guildhall-aarch64; fi
  rm "$ENGINE/binfmt.registered"
fi
if [ -e "$ENGINE/binfmt.mounted" ]; then
  if mountpoint --quiet $binfmt; then umount $binfmt; fi
  rm "$ENGINE/binfmt.mounted"
fi
# The engine leaves the network of its machine mounted once a container has used it.
for network in "$ENGINE"/run/netns/*; do
  if mountpoint --quiet "$network"; then umount "$network"; fi
done
rm -rf "$ENGINE/data" "$ENGINE/run" "$ENGINE/buildkit" "$ENGINE/registry"
