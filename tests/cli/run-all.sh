#!/bin/sh
# Runs each script of this folder in a folder of its own and compares what it prints with the file beside it.
# Use: run-all.sh MMM SCRATCH      (UPDATE=1 rewrites the expected output: read the difference before committing it)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mmm=$(realpath "$1")
passed=0 failed=0
mkdir -p "$2"
export MMM_WISDOM="$(realpath "$2")/none/wisdom.jsonl" # nobody's own choices
for script in "$here"/*.sh; do
    name=$(basename "$script" .sh)
    [ "$name" != run-all ] || continue
    mkdir -p "$2/$name"
    rm -rf "${2:?}/$name"
    mkdir -p "$2/$name/bin"
    ln -s "$mmm" "$2/$name/bin/mmm"
    (cd "$2/$name" && PATH="$PWD/bin:$PATH" sh "$script" >../"$name".txt 2>&1) || true
    # an application more changes nothing here
    sed -i 's|the applications are .*, or ./FOLDER|the applications are APPLICATIONS, or ./FOLDER|
        s|accepted are .*, or a file|accepted are ANALYSES, or a file|' "$2/$name.txt"
    if [ "${UPDATE:-}" ]; then cp "$2/$name.txt" "$here/$name.out"; fi
    if diff -u "$here/$name.out" "$2/$name.txt"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "cli: $passed passed, $failed failed"
[ $failed = 0 ]
