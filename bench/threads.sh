#!/bin/bash
# Two threads beside one, and beside the same work of one thread in two processes at once, one on each core, which is
# what the two cores can do.  Of the rows of at least 4000 terms or a million keys, medians, the least of six processes.
# Use: [PAUSE=SECONDS] threads.sh BUILD [WORD ...]; a pause before each process, and only rows that have one of the words
set -eu
[ "$(nproc)" -gt 1 ] || { echo "threads: there is one core"; exit 0; }
mmm=$(realpath "$1")/mmm
shift
q=1152921504606846883
# times and what is run: rows of the sort as mmm_sort_u32 and mmm_sort_u64 choose
rows=("300 multiplication n=8000 m=8000" "80 multiplication n=65536 m=65536" "5 multiplication n=1048576 m=1048576"
    "80 multiplication n=8000 m=8000 p=$q" "16 multiplication n=65536 m=65536 p=$q" "1 multiplication n=1048576 m=1048576 p=$q"
    "80 division n=16384 m=8192" "3 division n=1048576 m=524288"
    "20 division n=16384 m=8192 p=$q" "1 division n=1048576 m=524288 p=$q"
    "20 gcd n=4000 m=4000" "8 gcd n=10000 m=9000" "1 gcd n=100000 m=100000"
    "8 gcd n=4000 m=4000 p=$q" "3 gcd n=10000 m=9000 p=$q"
    "10 sort n=1000000" "2 sort n=10000000" "10 sort n=1000000 values=1" "8 sort n=1000000 bits=64"
    "10 sort n=1000000 kind=4" "10 sort n=1000000 kind=2")

# THREADS REPEAT WORDS...: what is run
words() {
    local threads=$1 repeat=$2 n
    shift 2
    if [ "$1" = sort ]; then
        n=${2#n=}
        local one=1600000
        [[ "$*" == *values=1* || "$*" == *bits=64* ]] && one=700000
        [ "$threads" -gt 1 ] && one=300000
        echo "$* method=4 s=12 l=1 e=$((n / (8 * threads) + 1)) b=$((n >= one ? 256 : 1)) --repeat $repeat"
    else
        echo "$* --fastest --repeat $repeat"
    fi
}
# THREADS REPEAT WORDS...: milliseconds of one process, and of the quickest of six
run() {
    sleep "${PAUSE:-0}"
    # shellcheck disable=SC2046
    OMP_NUM_THREADS=$1 "$mmm" run $(words "$@") --json | sed 's/.*"seconds":\([0-9.]*\).*/\1/' | awk '{ printf "%.4f", 1000 * $1 }'
}
least() {
    for _ in 1 2 3 4 5 6; do
        run "$@"
        echo
    done | sort -g | head -n 1
}
printf '%-44s %9s %9s %9s %9s %8s\n' "milliseconds" one two two/one "both at once" of
for row in "${rows[@]}"; do
    for word in "$@"; do
        [[ "$row" == *"$word"* ]] && break
        word=
    done
    [ $# -gt 0 ] && [ -z "$word" ] && continue
    # shellcheck disable=SC2086
    {
        one=$(least 1 $row)
        two=$(least 2 $row)
        first=$(mktemp)
        (export -f run words; export mmm; taskset -c 0 bash -c "run 1 $row" >"$first") &
        second=$(export -f run words; export mmm; taskset -c 1 bash -c "run 1 $row")
        wait $!
    }
    awk -v row="${row#* }" -v one="$one" -v two="$two" -v a="$(cat "$first")" -v b="$second" 'BEGIN {
        both = 2 * one / ((a + b) / 2)
        printf "%-44s %9.3f %9.3f %9.2f %9.2f %8.2f\n", row, one, two, one / two, both, one / two / both }'
    rm -f "$first"
done
