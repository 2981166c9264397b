#!/bin/sh
# A folder uses the folders before it in this list, never those after; the command and the applications use the public
# headers alone, and kernels no header but the dialect's.
set -eu
order="base model algebra paper kernel machine engine job study integer show"
bad=0
place() { i=0; for f in $order; do [ "$f" = "$1" ] && { echo $i; return; }; i=$((i + 1)); done; echo none; }
# What a file includes, <...> and "...", and only the latter.
included() { sed -n 's/^#include [<"]\(.*\)[>"].*/\1/p' "$1"; }
quoted() { sed -n 's/^#include "\(.*\)".*/\1/p' "$1"; }
for file in $(find src -mindepth 2 -name "*.[ch]"); do
    folder=$(echo "$file" | cut -d/ -f2)
    own=$(place "$folder")
    [ "$own" != none ] || { echo "$file: folder $folder is not in the list: $order"; bad=1; continue; }
    for used in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | grep -vx mmm | sort -u); do
        [ -e "src/$folder/${used}_kernels.c" ] && continue # what is made from the folder's own kernels
        other=$(place "$used")
        if [ "$other" = none ] || [ "$other" -gt "$own" ]; then
            echo "$file: includes $used/, which comes after $folder/"
            bad=1
        fi
    done
done
for file in cli/*.[ch]; do
    quoted "$file" | grep -v -x -e mmm.h -e "mmm/[a-z]*.h" -e cli.h -e options.h | while read -r used; do
        echo "$file: includes $used; the command uses the public headers alone"
    done
done | grep . && bad=1
# An application is written as somebody outside would write it.
for file in apps/*/app.c examples/*/app.c; do
    quoted "$file" | grep -v -x kernels.h | while read -r used; do
        [ -e "$(dirname "$file")/$used" ] || echo "$file: includes $used, which is not in its folder"
    done
    for used in $(included "$file"); do
        [ ! -e "src/$used" ] || echo "$file: includes $used; an application uses the public headers alone"
    done
done | grep . && bad=1
# Kernels see only the dialect and files beside them: their text also goes to GPU compilers.
for file in apps/*/kernels.c examples/*/kernels.c src/*/*_kernels.c tests/kernels/*.c tests/kernel/clean/*.c; do
    included "$file" | grep -v -x -e dialect.h -e modp.h -e mmm/dialect.h -e mmm/modp.h | while read -r used; do
        [ -e "$(dirname "$file")/$used" ] || echo "$file: includes $used; a kernel includes the dialect's headers or files of its own folder"
    done
done | grep . && bad=1
# What runs in a guarded call gives its memory back by mmm_free (base/base.h).
grep -nE '(^|[^a-z_])(free|malloc|calloc|realloc|strdup|asprintf|qsort_r)\(' src/algebra/*.c src/paper/*.c | sed 's/$/   <- in guarded calls: mmm_alloc, mmm_free/' | grep . && bad=1
[ $bad = 0 ] && echo "layers: every include points the right way"
exit $bad
