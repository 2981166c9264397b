#!/bin/sh
# What mmm derive states is what mmm analyze counts, at random jobs inside its conditions (derived.py).
# Use: derived.sh MMM SCRATCH JOBS [SEED]       a line of the list below each, with JOBS jobs for each form; of 10 jobs or
# fewer the first line alone
set -eu
here=$(dirname "$0")
mmm=$1 scratch=$2 jobs=$3 seed=${4:-1} python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "derived: skipped, $python is not installed"
    exit 0
fi
mkdir -p "$scratch"
failed=0
while read -r app fixed; do
    file=$scratch/$(basename "$app")${fixed:+ }${fixed}.txt
    # shellcheck disable=SC2086
    "$mmm" derive "$app" $fixed -o "$file" </dev/null
    "$python" "$here/derived.py" "$mmm" "$app" "$file" "$jobs" "$seed" </dev/null || failed=1
    [ "$jobs" -gt 10 ] || break
done <<END
division
division-naive
gcd-naive
gcd
multiplication
radix-sort
multiplication-tile
division-inverse g=1
division-inverse g=1 w=16384
gcd-stop
gcd-half
gcd-jump
examples/prefix-sum
examples/transpose
examples/histogram
examples/stencil
examples/reduction
examples/matrix-product
END
exit $failed
