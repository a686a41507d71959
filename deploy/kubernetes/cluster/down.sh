#!/bin/bash
# Ends all that up.sh has started, by its number, with containers, mounts and bridges, and forgets the cluster's data.
cd "$(dirname "$0")"
. ./env.sh
end() {
  [ -e "$RUN/$1.pid" ] || return 0
  local pid
  pid=$(cat "$RUN/$1.pid")
  kill "$pid" 2> /dev/null
  for _ in $(seq 40); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.25
  done
  kill -9 "$pid" 2> /dev/null
  rm -f "$RUN/$1.pid"
}
timeout 60 kubectl delete pods --all --all-namespaces --grace-period=1 --timeout=40s 2> /dev/null
end volumes
end kubelet
if [ -S "$SOCKET" ]; then
  for container in $(ctr tasks ls -q 2> /dev/null); do ctr tasks kill --signal KILL "$container"; done 2> /dev/null
  sleep 1
  for container in $(ctr containers ls -q 2> /dev/null); do
    ctr tasks rm --force "$container"
    ctr containers rm "$container"
  done 2> /dev/null
fi
for one in containerd scheduler controllers apiserver etcd; do end $one; done
awk -v run="$(readlink -f "$RUN")/" 'index($2, run) == 1 { print $2 }' /proc/mounts | sort -r | while read -r mount; do umount -l "$mount"; done
for bridge in gh-pods0 gh-k8s0; do ip link delete $bridge; done 2> /dev/null
for space in $(ip netns 2> /dev/null | awk '/^cni-/ { print $1 }'); do ip netns delete "$space"; done
rm -rf "$RUN" "$CONF"
