#!/bin/sh
# A folder uses the folders before it in this list, never those after; the command uses the public headers alone.
set -eu
order="base model algebra paper kernel kernels machine job apps study show"
bad=0
place() { i=0; for f in $order; do [ "$f" = "$1" ] && { echo $i; return; }; i=$((i + 1)); done; echo none; }
for file in $(find src -mindepth 2 -name "*.[ch]"); do
    folder=$(echo "$file" | cut -d/ -f2)
    own=$(place "$folder")
    [ "$own" != none ] || { echo "$file: folder $folder is not in the list: $order"; bad=1; continue; }
    for used in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | grep -vx mmm | sort -u); do
        other=$(place "$used")
        if [ "$other" = none ] || [ "$other" -gt "$own" ]; then
            echo "$file: includes $used/, which comes after $folder/"
            bad=1
        fi
    done
done
for file in cli/*.[ch]; do
    sed -n 's/^#include "\(.*\)"/\1/p' "$file" | grep -v -x -e mmm.h -e "mmm/[a-z]*.h" -e cli.h -e options.h | while read -r used; do
        echo "$file: includes $used; the command uses the public headers alone"
    done
done | grep . && bad=1
# Kernels see only the dialect: their text also goes to GPU compilers.
for file in src/kernels/*.c; do
    [ "$file" = src/kernels/kernels.c ] && continue
    sed -n 's/^#include [<"]\(.*\)[>"]/\1/p' "$file" | grep -vx -e dialect.h -e modp.h && { echo "$file: a kernel includes dialect.h or modp.h only"; bad=1; }
done
[ $bad = 0 ] && echo "layers: every include points the right way"
exit $bad
