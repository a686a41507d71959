#!/bin/sh
# Unpacks Odoo 19 with all that it needs into a folder, for ODOO_SYSTEM of the program beside this
# file. Nothing is installed on this machine: the folder is another root, which only the sandboxes of
# instances see. It needs a machine with apt-get and dpkg, and 2 GB.
#
#   deploy/odoo-instance/install-odoo.sh /opt/odoo-19
#
# Debian has Odoo 19 in its unstable release, and the Python that Odoo 19 supports in the stable one
# before it: all but Odoo comes from there.
set -eu

target=${1:?Say into which folder, such as /opt/odoo-19}
case $target in /*) ;; *) target=$PWD/$target ;; esac
mirror=${DEBIAN_MIRROR:-$(sed -n 's/^URIs: *\([^ ]*\/debian\) *$/\1/p; s/^deb \(\[.*\] \)\{0,1\}\([^ ]*\/debian\) .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}
[ -n "$mirror" ] || { echo 'Set DEBIAN_MIRROR to the address of a mirror of Debian.' >&2; exit 1; }
[ -e "$target/usr/bin/odoo" ] && { echo "Odoo is in $target already."; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
chmod 755 "$work"
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/etc" "$work/debs"
: > "$work/status"
for suite in trixie sid; do
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done > "$work/etc/sources.list"
printf 'Package: *\nPin: release n=sid\nPin-Priority: 50\n' > "$work/etc/preferences"
cat > "$work/apt.conf" <<END
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/etc/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "$work/etc/preferences";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG="$work/apt.conf"
apt-get update -qq

# Time zones by their former names, and a shell, which nothing asks for in a system without packages.
apt-get -s install --no-install-recommends odoo-19 tzdata-legacy dash > "$work/plan"
cd "$work/debs"
# shellcheck disable=SC2046
apt-get download -qq $(sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' "$work/plan")
mkdir -p "$target.new"
for file in *.deb; do dpkg -x "$file" "$target.new"; done

# What the packages do as they are installed, as far as Odoo needs it.
for folder in bin sbin lib lib64; do
  [ -e "$target.new/$folder" ] || ln -s "usr/$folder" "$target.new/$folder"
done
mkdir -p "$target.new/etc/ssl/certs"
cat "$target.new"/usr/share/ca-certificates/mozilla/*.crt > "$target.new/etc/ssl/certs/ca-certificates.crt"
if command -v bwrap > /dev/null; then
  # Sandboxes cannot write there: without this, each start would compile all of it anew.
  bwrap --bind "$target.new/usr" /usr --symlink usr/bin /bin --symlink usr/lib /lib \
    --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --unshare-net \
    python3 -m compileall -q -j0 /usr/lib/python3 /usr/lib/python3.13 > /dev/null || true
fi
mv "$target.new" "$target"
echo "Odoo 19 is in $target: ODOO_SYSTEM=$target ODOO=odoo"
