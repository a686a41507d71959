#!/bin/sh
# Unpacks Odoo with all that it needs into a folder, for ODOO_SYSTEM of the program beside this file.
# Nothing is installed on this machine: the folder is another root, which only the sandboxes of
# instances see. It needs a machine with apt-get and dpkg, and 2 GB.
#
#   deploy/odoo-instance/install-odoo.sh /opt/odoo-19
#   UBUNTU_MIRROR=… deploy/odoo-instance/install-odoo.sh --version 16.0 /opt/odoo-16
#
# Debian has Odoo 19 in its unstable release, and the Python that Odoo 19 supports in the stable one
# before it: all but Odoo comes from there. Odoo 16 is among the packages of Ubuntu 24.04, whose own
# Python and lxml are too new for it: Debian 12 has all else, as it was when that package was made.
set -eu

version=19.0
if [ "${1:-}" = --version ]; then
  version=${2:?Say which version, 16.0 or 19.0}
  shift 2
fi
case $version in
  16.0) package=odoo-16 suite=bookworm python=python3.11 ;;
  19.0) package=odoo-19 suite=trixie python=python3.13 ;;
  *) echo "There are packages of 16.0 and 19.0 only, not of $version." >&2; exit 1 ;;
esac
target=${1:?Say into which folder, such as /opt/odoo-19}
case $target in /*) ;; *) target=$PWD/$target ;; esac
# Odoo says itself which one it is: a folder of another version would run as this one.
release=$target/usr/lib/python3/dist-packages/odoo/release.py
if [ -e "$target/usr/bin/odoo" ]; then
  grep -q "^version_info = (${version%.*}, ${version#*.}," "$release" ||
    { echo "Another version of Odoo is in $target." >&2; exit 1; }
  echo "Odoo $version is in $target already."
  exit 0
fi
mirror=${DEBIAN_MIRROR:-$(sed -n 's/^URIs: *\([^ ]*\/debian\) *$/\1/p; s/^deb \(\[.*\] \)\{0,1\}\([^ ]*\/debian\) .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}
[ -n "$mirror" ] || { echo 'Set DEBIAN_MIRROR to the address of a mirror of Debian.' >&2; exit 1; }
if [ "$version" = 16.0 ] && [ -z "${UBUNTU_MIRROR:-}" ]; then
  echo 'Set UBUNTU_MIRROR to the address of a mirror of Ubuntu.' >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
chmod 755 "$work"
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/etc" "$work/debs"
: > "$work/status"
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

# The packages of a suite besides those before, as signed by the keys in a file.
add_source() {
  echo "deb [signed-by=$1] $2 $3 $4" >> "$work/etc/sources.list"
  apt-get update -qq
}

# Of the others, nothing is taken that this one has, too.
printf 'Package: *\nPin: release n=%s\nPin-Priority: 990\n' "$suite" > "$work/etc/preferences"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
add_source "$keys" "$mirror" "$suite" main
if [ "$version" = 19.0 ]; then
  add_source "$keys" "$mirror" sid main
  # Time zones by their former names, and a shell, which nothing asks for in a system without packages.
  needed="$package tzdata-legacy dash"
else
  # What Ubuntu has signed is told by the keys that Debian 13 has of it.
  add_source "$keys" "$mirror" trixie main
  (cd "$work" && apt-get download -qq ubuntu-keyring && dpkg -x ubuntu-keyring_*.deb ubuntu)
  add_source "$work/ubuntu/usr/share/keyrings/ubuntu-archive-keyring.gpg" \
    "$UBUNTU_MIRROR" noble universe
  (cd "$work/debs" && apt-get download -qq "$package")
  # What its package asks for, by name: it asks for a reportlab that draws by itself, and that of
  # Debian 12 does so by the package renderpm.
  needed="$(dpkg-deb -f "$work/debs/${package}"_*.deb Depends | tr ',' '\n' |
    sed 's/^ *//; s/[ (|:].*//' | tr '\n' ' ') python3-renderpm tzdata dash"
fi
# shellcheck disable=SC2086
apt-get -s install --no-install-recommends $needed > "$work/plan"
cd "$work/debs"
# shellcheck disable=SC2046
apt-get download -qq $(sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' "$work/plan")
mkdir -p "$target.new"
for file in *.deb; do dpkg -x "$file" "$target.new"; done

# What the packages do as they are installed, as far as Odoo needs it. Those of Debian 12 have files
# outside of usr, and expect a system that has merged them.
for folder in bin sbin lib lib64; do
  [ -L "$target.new/$folder" ] && continue
  if [ -d "$target.new/$folder" ]; then
    mkdir -p "$target.new/usr/$folder"
    cp -a "$target.new/$folder/." "$target.new/usr/$folder/"
    rm -r "${target:?}.new/$folder"
  fi
  ln -s "usr/$folder" "$target.new/$folder"
done
mkdir -p "$target.new/etc/ssl/certs"
cat "$target.new"/usr/share/ca-certificates/mozilla/*.crt > "$target.new/etc/ssl/certs/ca-certificates.crt"
if command -v bwrap > /dev/null; then
  # Sandboxes cannot write there: without this, each start would compile all of it anew.
  bwrap --bind "$target.new/usr" /usr --symlink usr/bin /bin --symlink usr/lib /lib \
    --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --unshare-net \
    python3 -W ignore -m compileall -q -j0 /usr/lib/python3 "/usr/lib/$python" > /dev/null || true
fi
mv "$target.new" "$target"
echo "Odoo $version is in $target: ODOO_SYSTEM=$target ODOO=odoo"
