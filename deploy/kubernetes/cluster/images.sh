#!/bin/bash
# The image of agents, from the files and the user of deploy/agent.Dockerfile on Debian's packages, and a pause image.
# To be repeated after a change of the helper; up.sh imports what is new.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
mkdir -p "$IMAGES/pause"
[ -e "$IMAGES/pause/pause" ] || printf '#include <unistd.h>\nint main(void) { for (;;) pause(); }\n' |
  gcc -static -O2 -x c -o "$IMAGES/pause/pause" -
root=$IMAGES/agent
packages=ca-certificates,curl,findutils,git,libatomic1,libstdc++6,python3-minimal,tar,xz-utils
[ -e "$root/usr/bin/git" ] || debootstrap --variant=minbase --include=$packages bookworm "$root"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root/opt/guildhall" "$root/pod"

app=$root/opt/guildhall
install -D "$(readlink -f "$REPOSITORY/node_modules/.bin/node")" "$root/usr/local/bin/node"
# That of the machine: the image of Node.js has one, too.
rm -rf "$root/usr/local/lib/node_modules/npm"
install -d "$root/usr/local/lib/node_modules"
cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$root/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
mkdir -p "$app/node_modules/@agentclientprotocol" "$app/server/platform" "$app/server/runner/agents" "$root"/pod/{work,home}
cp "$REPOSITORY"/{package.json,LICENSE} "$app/"
cp -r "$REPOSITORY/server/platform/pods" "$app/server/platform/"
cp -r "$REPOSITORY/server/runner/agents/sandbox" "$app/server/runner/agents/"
cp -rL "$REPOSITORY/node_modules/@agentclientprotocol/sdk" "$app/node_modules/@agentclientprotocol/"
cp -rL "$REPOSITORY/node_modules/zod" "$app/node_modules/"
chown -R 0:0 "$app"
chmod -R a+rX "$app"
chown -R 1000:1000 "$root/pod"
grep -q '^node:' "$root/etc/passwd" || echo 'node:x:1000:1000::/home/node:/bin/bash' >> "$root/etc/passwd"
# What Node.js compiles the helper to is kept, as in the Dockerfile.
install -d -o 1000 -g 1000 "$app/.compiled"
echo '{}' | chroot --userspec=1000:1000 "$root" env NODE_COMPILE_CACHE=/opt/guildhall/.compiled \
  /usr/local/bin/node /opt/guildhall/server/platform/pods/inside/main.ts files '{"do":"check","last":""}'
chown -R 0:0 "$app/.compiled"
chmod -R a+rX "$app/.compiled"

python3 archive.py "$root" docker.io/library/guildhall-agent:test "$IMAGES/agent.tar" '{"User": "1000:1000",
  "WorkingDir": "/pod/work", "Cmd": ["sleep", "infinity"],
  "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "NODE_COMPILE_CACHE=/opt/guildhall/.compiled"]}'
python3 archive.py "$IMAGES/pause" localhost/pause:1 "$IMAGES/pause.tar" '{"Entrypoint": ["/pause"]}'
