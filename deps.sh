#!/bin/sh
# Installs what building and testing mmm needs on Debian 12 and its relatives: nothing when nothing is missing.
# Use: deps.sh [browser]      with `browser` also what tests leave out where it is not there: Chromium, in which reports and
# pages are looked at, libFuzzer, StarPU and MPI, what packages for Python and Debian, the manual and the site are made and
# tested with, python-flint from PyPI, where it can be had, and NumPy for other Pythons that are here
set -eu
packages="gcc libc6-dev make binutils pkg-config
  libflint-dev libflint-arb-dev libcalcium-dev libgmp-dev libjansson-dev libdw-dev libsodium-dev opencl-headers
  libcmocka-dev clang diffutils patch ocl-icd-libopencl1 pocl-opencl-icd"
[ "${1:-}" != browser ] || packages="$packages chromium libclang-rt-14-dev libstarpu-dev libopenmpi-dev openmpi-bin
  python3-venv python3-pip python3-numpy python3-pytest mypy patchelf
  dpkg-dev debhelper fakeroot lintian man-db groff-base zsh python3-markdown"
missing=
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
as_root=
if [ -n "$missing" ] && [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "deps.sh: run as root, or install sudo; missing:$missing" >&2; exit 1; }
    as_root=sudo
fi
if [ -n "$missing" ]; then
    echo "deps.sh: installing$missing"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { $as_root apt-get update -q && $as_root apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1 ||
        { cat "$log" >&2; echo "deps.sh: could not install$missing" >&2; exit 1; }
    rm -f "$log"
fi
# Other Pythons than the system's, on the PATH or of pyenv: NumPy and pytest for the test of the wheel with each of them, from
# PyPI where they can be had; the oldest has the oldest NumPy that the wheel asks for.
if [ "${1:-}" = browser ]; then
    for number in 3.9 3.13 3.14; do
        [ ! -d "build/pypi-$number" ] || continue
        for python in "$(command -v "python$number" || true)" "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/"$number".*/bin/python3; do
            [ -x "$python" ] && "$python" -c 'import venv' 2>/dev/null || continue
            old=$([ $number != 3.9 ] || echo ==1.21.0)
            "$python" -m pip install -q --target "build/pypi-$number" --only-binary :all: --retries 1 --timeout 20 "numpy$old" pytest 2>/dev/null &&
                echo "$python" >"build/pypi-$number/python" && break
            rm -rf "build/pypi-$number"
        done
    done
fi
if [ "${1:-}" = browser ] && [ ! -d build/pypi/flint ]; then
    /usr/bin/python3 -m pip install -q --target build/pypi --no-deps --only-binary :all: --retries 1 --timeout 20 python-flint 2>/dev/null ||
        echo "deps.sh: python-flint could not be had: the Python package is tested without it"
fi
