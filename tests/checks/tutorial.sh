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
[ $# -gt 0 ] || set -- docs/tutorial.md docs/formulas.md README.md examples/*/README.md
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

# The closed forms that a folder has are what is counted, where their sizes divide.
# Use: formulas FOLDER QUANTITIES SIZES ...
formulas() {
    folder=$1 quantities=$2
    shift 2
    for sizes in "$@"; do
        # shellcheck disable=SC2086
        counted=$(mmm analyze "$folder" $sizes -P 1 | awk -v names="$quantities" '
            $1 == "W" { for (i = 1; i <= NF; i++) column[$i] = i; getline
                        count = split(names, name, " "); for (i = 1; i <= count; i++) printf "%s ", $column[name[i]] }')
        stated=
        for quantity in $quantities; do
            stated="$stated$(mmm formula "$folder" "$quantity" --eval "U=100,$(echo "$sizes" | tr ' ' ,)") "
        done
        [ "$counted" = "$stated" ] ||
            { echo "tutorial: $folder at $sizes: $quantities are counted as $counted, the formulas say $stated"; failed=1; }
    done
}
case " $* " in *" docs/tutorial.md "*)
    formulas "$scratch/docs-tutorial/stencil" "W S O N L K C" "n=4096 steps=64 s=8 l=256" "n=128 steps=4 s=4 l=64" \
        "n=96 steps=6 s=1 l=32" "n=96 steps=6 s=6 l=32" "n=1280 steps=15 s=5 l=20" ;;
esac
[ $failed = 0 ]
