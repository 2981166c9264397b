#!/bin/sh
# The wheel, built and installed in a place of its own, where nothing else of mmm is seen: the tests of tests/python, every
# example of the package's pages, the types; what its tag promises; every other Python that is here.  Use: wheel.sh BUILD SCRATCH
set -eu
python=${PYTHON:-/usr/bin/python3}
for need in venv pip numpy pytest; do
    "$python" -c "import $need" 2>/dev/null || { echo "wheel: left out, $python has no $need (sh deps.sh installs it)"; exit 0; }
done
command -v patchelf >/dev/null || { echo "wheel: left out, patchelf is not installed (sh deps.sh installs it)"; exit 0; }
rm -rf "$2" && mkdir -p "$2"
scratch=$(cd "$2" && pwd)
"$python" -m pip wheel -q --no-deps --no-build-isolation --no-index -w "$scratch" . >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; exit 1; }
wheel=$(ls "$scratch"/mmm-*-py3-none-manylinux_*.whl)
cp "$wheel" "$scratch/first.whl" && rm "$wheel"
make -s wheel PYTHON="$python" B="$1" >/dev/null
cmp "$scratch/first.whl" "$1/dist/$(basename "$wheel")" # two builds are the same bytes
"$python" -m venv --system-site-packages "$scratch/venv"
"$scratch/venv/bin/python" -m pip install -q --no-deps --no-index "$1/dist/$(basename "$wheel")"
# No file asks for a newer glibc than the tag says.
promised=$(basename "$wheel" | sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/')
for file in "$scratch"/venv/lib/python3*/site-packages/mmm/lib/*; do
    objdump -T "$file" | sed -n 's/.*(\{0,1\}GLIBC_2\.\([0-9]*\).*/\1/p'
done | sort -n | tail -n 1 >"$scratch/newest"
[ "$(cat "$scratch/newest")" -le "$promised" ] || { echo "wheel: its tag says glibc 2.$promised, and it needs 2.$(cat "$scratch/newest")"; exit 1; }
! ldd "$scratch"/venv/lib/python3*/site-packages/mmm/lib/libmmm.so.* | awk '$2 == "=>" {print $3}' |
    grep -v -e site-packages/mmm/lib -e '/lib\(c\|m\|pthread\|dl\|stdc++\|gcc_s\)\.so' || { echo "wheel: it needs libraries that are not in it"; exit 1; }
for file in "$scratch"/venv/lib/python3*/site-packages/mmm/lib/lib*-*.so*; do
    [ -s "$file" ] || exit 1
done
[ "$(ls "$scratch"/venv/lib/python3*/site-packages/mmm-*.dist-info/licenses | wc -l)" -ge 10 ] || { echo "wheel: licences are missing"; exit 1; }
# python-flint, where deps.sh put it
here=$(pwd)
cd "$scratch" # not the checkout's python/
unset MMM_LIBRARY
export PYTHONPATH="$here/build/pypi"
"$scratch/venv/bin/mmm" run gcd n=50 m=40 --check >/dev/null
awk '/^```python$/ {inside = 1; next} /^```/ {inside = 0} inside' "$here/README.md" >readme.py
[ -s readme.py ] && "$scratch/venv/bin/python" readme.py
"$scratch/venv/bin/python" -m pytest -q -p no:cacheprovider --doctest-glob='*.md' --doctest-modules \
    "$here/tests/python" "$here/python/README.md" venv/lib/python3*/site-packages/mmm
# Every other Python, with the NumPy that deps.sh found for it: from the oldest that the wheel is for.
others=
for other in "$here"/build/pypi-3.*; do
    number=${other##*-}
    run=$(sed -n 1p "$other/python" 2>/dev/null) && [ -x "$run" ] || continue
    (unset PYTHONPATH && "$run" -m venv --without-pip "$scratch/venv-$number")
    cp -r "$scratch"/venv/lib/python3*/site-packages/mmm "$scratch/venv-$number/lib/python$number/site-packages/"
    PYTHONPATH="$other" "$scratch/venv-$number/bin/python" -m pytest -q -x -p no:cacheprovider "$here/tests/python" >"$scratch/log" 2>&1 ||
        { tail -n 30 "$scratch/log"; echo "wheel: its tests fail with Python $number"; exit 1; }
    others="$others $number ($(PYTHONPATH="$other" "$run" -c 'import numpy; print("NumPy", numpy.__version__)'), $(tail -n 1 "$scratch/log" | sed 's/ in .*//'))"
done
[ -z "$others" ] || echo "wheel: and with Python$others"
# The oldest grammar, whichever interpreter is here.
"$python" - "$here"/python/mmm/*.py "$here"/python/backend.py <<'GRAMMAR'
import ast, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        ast.parse(file.read(), path, feature_version=(3, 9))
GRAMMAR
if "$python" -c 'import mypy' 2>/dev/null; then
    (cd "$here" && "$python" -m mypy --strict --python-version 3.9 --cache-dir "$scratch/types" python/mmm)
fi
echo "wheel: built twice alike, installed in a place of its own, and used"
