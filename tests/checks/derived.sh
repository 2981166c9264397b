#!/bin/sh
# What mmm derive states is what mmm analyze counts, at random jobs inside its conditions (derived.py), and, of algorithms
# whose forms were found by hand, too, the same.
# Use: derived.sh MMM SCRATCH JOBS [SEED [LINE]]      a line of the list below each, as many at once as there are
# processors, with JOBS jobs for each form; of 10 jobs or fewer the first line alone.  A line takes two minutes at most, or
# so, of a processor.
set -eu
here=$(dirname "$0")
mmm=$1 scratch=$2 jobs=$3 seed=${4:-1} python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "derived: skipped, $python is not installed"
    exit 0
fi
# same FILE APP [1]: the forms of FILE are the measured ones of APP, or of its naive algorithm
same() {
    for q in W S O N L K C; do
        stated=$("$mmm" formula "$2" "$q${3-}" --measured) found=$("$mmm" formula "$1" "$q")
        [ "$("$mmm" formula "$2" "($found) - ($stated)")" = 0 ] && continue
        echo "derived: $q of $1 is $found, and of $2 $stated"
        exit 1
    done
}
if [ $# -gt 4 ]; then
    app=${5%% *} file=$scratch/$(basename "$5").txt
    # shellcheck disable=SC2086
    "$mmm" derive $5 -o "$file" </dev/null
    case $app in
    division-naive | gcd-naive) same "$file" "${app%-naive}" 1 ;;
    gcd-stop) same "$file" gcd ;;
    division | division-inverse | gcd | multiplication | multiplication-tile | radix-sort) same "$file" "$app" ;;
    esac
    exec "$python" "$here/derived.py" "$mmm" "$app" "$file" "$jobs" "$seed" </dev/null
fi
mkdir -p "$scratch"
lines=$([ "$jobs" -gt 10 ] && echo 100 || echo 1)
begin=$(date +%s) failed=0
head -n "$lines" <<END | tr '\n' '\0' | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$0" "$mmm" "$scratch" "$jobs" "$seed" || failed=1
division
multiplication-tile
gcd-jump r=0
radix-sort
division-inverse g=1
division-inverse g=1 w=16384
gcd-jump
gcd-half
gcd-stop
examples/matrix-product
multiplication
division-naive
gcd-naive
gcd
examples/prefix-sum
examples/transpose
examples/histogram
examples/stencil
examples/reduction
END
echo "derived: $(($(date +%s) - begin)) seconds"
exit $failed
