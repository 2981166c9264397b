#!/bin/sh
# The tutorial and the other documents do what they say: document.awk tells how they are read.
# Use: tutorial.sh BUILD INSTALLED SCRATCH [DOCUMENT ...]
#      (UPDATE=1 writes real output into the documents where it is missing or other: read the difference)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(realpath "$1")
installed=$(realpath "$2")
scratch=$(mkdir -p "$3" && realpath "$3")
shift 3
[ $# -gt 0 ] || set -- docs/tutorial.md docs/formulas.md docs/exercises.md docs/model.md docs/models.md docs/ntt.md README.md examples/README.md examples/*/README.md
export PATH="$build:$PATH" MMM_CACHE="$scratch/cache" MMM_WISDOM="$scratch/wisdom.jsonl"
export PKG_CONFIG_PATH="$scratch/pkgconfig" LD_LIBRARY_PATH="$installed/lib"
mkdir -p "$PKG_CONFIG_PATH"
# A library with sanitizers wants a program that has them, too.
sed "s|^Libs:|& ${SAN:+-fsanitize=address,undefined}|" "$installed/lib/pkgconfig/mmm.pc" >"$PKG_CONFIG_PATH/mmm.pc"
absent=opencl:0
if mmm list | grep -q '^  opencl:0 '; then absent=; fi

# A document's own folder is empty; where it names files of the checkout, these are there, too.
run() {
    place=$scratch/$(echo "${1%.md}" | tr / -)
    rm -rf "$place" "$MMM_WISDOM"
    mkdir -p "$place"
    if [ "$1" != docs/tutorial.md ]; then
        for name in "$root"/*; do [ "$(basename "$name")" = build ] || ln -s "$name" "$place/"; done
        ln -s "$build" "$place/build"
    fi
    (cd "$place" && awk -v log_file="$scratch/log" -v absent=$absent ${UPDATE:+-v update=1} -f "$here/document.awk" "$root/$1")
}
failed=0
for document in "$@"; do
    [ -e "$root/$document" ] || continue
    if run "$document" >"$scratch/result"; then
        [ "${UPDATE:-}" ] || echo "tutorial: $document: $(cat "$scratch/result")"
    else
        echo "tutorial: $document does not hold: what it says (-) and what is printed (+) are above"
        failed=1
    fi
    [ -z "${UPDATE:-}" ] || cp "$scratch/result" "$root/$document"
done

# The closed forms that it ends with are what is counted.
case " $* " in *" docs/tutorial.md "*)
    "$here/formulas.sh" "$scratch/docs-tutorial/stencil" "n=4096 steps=64 s=8 l=256" "n=128 steps=4 s=4 l=64" \
        "n=96 steps=6 s=1 l=32" "n=96 steps=6 s=6 l=32" "n=1280 steps=15 s=5 l=20" || failed=1 ;;
esac
[ $failed = 0 ]
