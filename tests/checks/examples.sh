#!/bin/sh
# The examples: each equals its oracle on every machine at hand, at sizes that do not divide and two values of each choice,
# and breaks no rule of the abstract machine; the one that is wrong on purpose is told where; the closed forms hold.
# Use: examples.sh BUILD SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
mkdir -p "$2"
log=$(realpath "$2")/log
export PATH="$build:$PATH"
machines="abstract cpu"
if mmm list | grep -q '^  opencl:0 '; then machines="$machines opencl:0"; fi
failed=0 runs=0
bad() { echo "examples: $1"; cat "$log"; failed=1; }

# Use: check FOLDER SETTINGS: lists of values, all combinations are run
check() {
    name=$1
    shift
    mmm analyze "examples/$name" "$@" -P 1 >"$log" 2>&1 || bad "mmm analyze examples/$name $*"
    if grep '^violation' "$log" >/dev/null; then bad "$name breaks a rule of the machine"; fi
    for machine in $machines; do
        mmm run "examples/$name" "$@" --check -m "$machine" >"$log" 2>&1 || bad "mmm run examples/$name $* -m $machine"
        right=$(grep -c 'equal to the result of' "$log" || true)
        if [ "$right" = 0 ] || [ "$right" != "$(wc -l <"$log")" ]; then bad "$name is not checked on $machine"; fi
        runs=$((runs + right))
    done
}
check stencil n=1000,77 steps=10 s=1,4 l=32,96
check reduction n=1001,30 l=16,64
check prefix-sum n=1001,1999 s=1,3 l=32,50
check transpose n=50,33 m=61 s=4,16
check matrix-product n=19,33 s=4,8
check histogram n=1001,5003 s=1,5 l=32,100
check child n=1001,30 r=3 w=0,1 k=0,1 l=16,64
check relaxation n=1001,1 e=5,8 r=7 s=2,8 l=32,128

# Each folder here is either checked above or the wrong one.
for folder in examples/*/; do
    case $(basename "$folder") in
    stencil | reduction | prefix-sum | transpose | matrix-product | histogram | relaxation | child | racy) ;;
    *) echo "examples: $folder is not in tests/checks/examples.sh"; failed=1 ;;
    esac
    [ -e "$folder/README.md" ] || { echo "examples: $folder has no README.md"; failed=1; }
    grep -q "$(basename "$folder")/README.md" examples/README.md || { echo "examples: $folder is not in examples/README.md"; failed=1; }
done

# Work and span of the parts of a parent are those of the whole; a word a thread that lives across the split is charged twice.
for w in 0 1; do
    mmm analyze examples/child n=1001 r=5 w=$w k=0,1 l=64 --kernels >"$log" 2>&1 || bad "mmm analyze examples/child"
    awk '/^groups|^regions/ { other = 1 }
         /^kernels/ { other = 0 }
         other { next }
         $1 == "whole" { w = $5; s = $6; words = $7; found++ }
         $1 ~ /^part_[ab]$/ { w -= $5; s -= $6; words -= $7; found++ }
         END { exit !(found == 3 && w == 0 && s == 0 && words == -2) }' "$log" || bad "child: its parts do not add up"
done

status=0
mmm analyze examples/racy n=1001 l=32 >"$log" 2>&1 || status=$?
[ $status = 1 ] || bad "racy: exit status $status, not 1"
threads=$(grep -n 'two threads, one count' examples/racy/kernels.c | cut -d: -f1)
blocks=$(grep -n 'two blocks, one count' examples/racy/kernels.c | cut -d: -f1)
grep -q "^violation: write-write at local own.*examples/racy/kernels.c:$threads," "$log" || bad "racy: the race of threads is not told"
grep -q "^violation: block-race at global counts.*examples/racy/kernels.c:$blocks," "$log" || bad "racy: the race of blocks is not told"
twice=$(sed -n 's/^violation: \([a-z-]*\) .*kernels.c:\([0-9]*\).*/\1 \2/p' "$log" | sort | uniq -d)
[ -z "$twice" ] || bad "racy: told twice: $twice"

"$here/formulas.sh" examples/stencil "n=512 steps=12 s=4 l=64" "n=64 steps=6 s=1 l=32" "n=96 steps=16 s=16 l=32" || failed=1
"$here/formulas.sh" examples/transpose "n=32 m=48 s=8" "n=7 m=3 s=1" "n=64 m=32 s=32" || failed=1
"$here/formulas.sh" examples/matrix-product "n=24 s=8" "n=9 s=1" "n=16 s=16" || failed=1
[ $failed = 0 ] && echo "examples: $runs results are right, on $machines; both races of racy are told; three analyses hold"
exit $failed
