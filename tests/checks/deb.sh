#!/bin/sh
# The archive of sources is the same bytes twice; Debian's packages are built from it, lintian has nothing to say, and they
# are unpacked in a place of their own and used, by the tests of debian/tests.  What is compiled already is only linked again.
# Use: deb.sh BUILD SCRATCH
set -eu
rm -rf "$2" && mkdir -p "$2/root"
scratch=$(cd "$2" && pwd)
make -s dist B="$1" >/dev/null
archive=$(ls "$1"/dist/mmm-*.tar.gz)
cp "$archive" "$scratch/first.tar.gz"
(umask 077 && make -s dist B="$1" TZ=Asia/Tokyo >/dev/null)
cmp "$archive" "$scratch/first.tar.gz" || { echo "deb: two archives of the same sources differ"; exit 1; }
tar -C "$scratch" -xf "$archive"
tree=$(ls -d "$scratch"/mmm-*/)
for need in dpkg-buildpackage dh lintian fakeroot; do
    command -v $need >/dev/null || { echo "deb: the archive is reproducible; packages left out, $need is not installed (sh deps.sh browser)"; exit 0; }
done
mkdir "$tree/build"
tar -C "$1" -cf - gen src cli apps include generate | tar -C "$tree/build" -xf -
(cd "$tree" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=2" dpkg-buildpackage -nc -b -us -uc) >"$scratch/log" 2>&1 ||
    { tail -n 30 "$scratch/log"; echo "deb: dpkg-buildpackage fails"; exit 1; }
grep -i 'dpkg-gensymbols: warning\|no matching symbol' "$scratch/log" && exit 1
as_user=$([ "$(id -u)" != 0 ] || echo --allow-root)
lintian $as_user --fail-on error,warning "$scratch"/mmm_*.changes || { echo "deb: lintian complains"; exit 1; }
for package in mmm libmmm0.1 libmmm-dev; do dpkg -x "$scratch/${package}"_*.deb "$scratch/root"; done
libraries=$(dirname "$(find "$scratch/root" -name libmmm.so)")
export PATH="$scratch/root/usr/bin:$PATH" LD_LIBRARY_PATH="$libraries" PKG_CONFIG_SYSROOT_DIR="$scratch/root" PKG_CONFIG_PATH="$libraries/pkgconfig"
for part in command library; do
    mkdir "$scratch/$part"
    AUTOPKGTEST_TMP="$scratch/$part" sh "$tree/debian/tests/$part" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; echo "deb: debian/tests/$part fails"; exit 1; }
done
echo "deb: the archive is reproducible, packages without complaints, unpacked and used"
