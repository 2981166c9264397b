#!/bin/bash
# Ctrl-C ends everything that takes more than a second within 200 ms, with exit status 130 and one line.  On a machine that
# others use, one time of five counts.
# Use: interrupt.sh MMM SCRATCH
set -u
mmm=$(realpath "$1") relaxation=$(realpath examples/relaxation) division=$(realpath apps/division)
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
export MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl OCL_ICD_VENDORS=$PWD/none
bad=0 commands=0 slowest=0
"$mmm" run "$relaxation" n=100 e=4 >/dev/null || exit 1 # compiled

# ends ARGUMENTS...
ends() {
    local try status from to quickest=1000000 after=0.4
    commands=$((commands + 1))
    for try in 1 2 3 4 5; do
        env --default-signal=INT "$mmm" "$@" >stdout 2>stderr </dev/null &
        sleep $after
        from=$(date +%s%N)
        kill -INT $! 2>/dev/null
        wait $!
        status=$?
        to=$(date +%s%N)
        if [ $status != 130 ] || [ "$(wc -l <stderr)" -gt 1 ]; then
            echo "interrupt: mmm $*: exit status $status, not 130, or more than a line: $(head -c 200 stderr)"
            bad=1
            return
        fi
        [ $(((to - from) / 1000)) -ge $quickest ] || quickest=$(((to - from) / 1000))
        [ $quickest -gt 200000 ] || break
    done
    [ $quickest -le $slowest ] || slowest=$quickest
    [ $quickest -le 200000 ] || { echo "interrupt: mmm $*: $((quickest / 1000)) ms"; bad=1; }
}
# numbers TERMS DIGITS SEED: a polynomial over Z.
numbers() {
    awk -v n="$1" -v d="$2" -v s="$3" 'BEGIN { srand(s); printf "%d ", n
        for (i = 0; i < n; i++) { printf " %d", 1 + int(rand() * 9); for (j = 1; j < d; j += 6) printf "%06d", int(rand() * 1000000) }
        print "" }'
}
numbers 2000 600 1 >a.poly
numbers 2000 600 2 >b.poly
ends run multiplication --over Z a.poly b.poly --repeat 1000
ends run gcd --over Z a.poly a.poly --repeat 1000
ends run gcd-naive n=400000 m=300000
ends run "$relaxation" n=100000 e=16 --repeat 1000
ends compare sort n=3000000
ends compare division n=4000 m=2000 s=16,32 -m cpu --repeat 100000
ends analyze sort n=3000000
ends analyze gcd-half n=100000 m=90000 s=255 j=1 h=1 l=8 k=1 e=12 c=32
ends run gcd-jump n=1000 m=900 --batch 20000 --repeat 100
ends run multiplication-tile n=1000 m=1000 --batch 10000 --check
ends run gcd n=1000000 m=900000 --fastest --repeat 100
ends run multiplication n=4000000 m=4000000 --fastest --check
ends run division n=4000000 m=2000000 --fastest --check
ends run sort n=100000000 --repeat 100
ends tune multiplication-ntt n=1000000 m=1000000
ends report sort n=3000000
ends derive sort
ends formula radix-sort --check
ends calibrate -o machine.json
ends compile "$division" -o division.o
ends reproduce -m cpu -o tables
[ $bad = 0 ] && echo "interrupt: $commands commands end within 200 ms, the slowest after $((slowest / 1000))"
exit $bad
