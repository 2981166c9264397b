#!/bin/bash
# The command whose k-th allocation fails, for every k or some hundred of them, alone or with all that follow: it works, or
# says in one line that it cannot and exits with 2.  It never crashes, hangs, calls a right result wrong, or leaves files.
# A command that has its own malloc, and a sanitizer behind it, leaks nothing either.
# Use: memory.sh MMM SHORT.so SCRATCH, or memory.sh MMM - SCRATCH for that; MMM_MEMORY_RUNS is how many k a command gets (50,
# under a sanitizer 8), MMM_MEMORY_SEED chooses them, MMM_MEMORY_ONLY (an extended regular expression) the commands.
set -u
mmm=$(realpath "$1") short= most=${MMM_MEMORY_RUNS:-8} seed=${MMM_MEMORY_SEED:-$RANDOM} only=${MMM_MEMORY_ONLY:-.}
[ "$2" = - ] || short=$(realpath "$2") most=${MMM_MEMORY_RUNS:-50}
example=$(realpath examples/reduction) unfolding=$(realpath examples/relaxation) folder=$(realpath apps/division)
profile=$(realpath tests/model/profiles/ncu-raw.csv) calibrated=$(realpath machines/cpu-epyc.json)
rm -rf "$3" && mkdir -p "$3" && cd "$3" || exit 1
export OCL_ICD_VENDORS=$PWD/none MMM_CACHE=$PWD/cache MMM_WISDOM=$PWD/wisdom.jsonl OMP_NUM_THREADS=2 # no drivers: they are others' code
"$mmm" run "$example" n=100 >/dev/null && "$mmm" run "$unfolding" n=60 e=4 >/dev/null || exit 1 # compiled: from now on only opened
printf '3  -7 0 123456789012345678901234567890\n' >a.poly
printf '4  12 5 98765432109876543210 1\n' >b.poly
printf '2  1 98765432109876543210\n1  3\n2  0 1\n' >c.poly # in x and y, a line for each power of y
printf '1  -5\n3  1 2 123456789012345678901234567890\n' >e.poly
# The leak sanitizer takes what lies before memory of a thread for its size, which it is no more, and may end by that.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}intercept_tls_get_addr=0
bad=0 runs=0

# once NUMBER ARGUMENTS...: allocation NUMBER fails, and $long of them in all.
once() {
    local k=$1 status complaint=
    shift
    rm -rf out && mkdir out
    SHORT_AT=$k SHORT_FOR=$long LD_PRELOAD=$short timeout 60 "$mmm" "$@" >stdout 2>stderr </dev/null
    status=$?
    runs=$((runs + 1))
    grep -q Sanitizer stderr && complaint="$(grep -m 1 Sanitizer stderr)"
    [ -n "$(find out -name '*.??????' -newer reference 2>/dev/null)" ] && complaint="leaves $(ls out)"
    case $status in
    0) [ $same = 0 ] || cmp -s stdout reference || complaint="prints something else" ;;
    2) [ "$(wc -l <stderr)" = 1 ] && grep -q '^mmm[a-z ]*: .' stderr || complaint="complains: $(head -c 200 stderr)" ;;
    130) ;;
    *) complaint="exits with $status: $(tail -n 1 stderr | head -c 200)" ;;
    esac
    [ -z "$complaint" ] && return
    echo "memory: mmm $* $complaint (SHORT_AT=$k SHORT_FOR=$long)"
    bad=$((bad + 1))
}

# sweep SAME ARGUMENTS...: SAME is 1 where it prints the same each time.
sweep() {
    local all
    same=$1
    shift
    [[ $* =~ $only ]] || return
    rm -rf out && mkdir out
    SHORT_COUNT=$PWD/count LD_PRELOAD=$short "$mmm" "$@" >reference 2>stderr </dev/null ||
        { echo "memory: mmm $*: $(cat stderr)"; bad=$((bad + 1)); return; }
    all=$(cat count)
    [ "$all" -gt 0 ] || [ -z "$short" ] || { echo "memory: mmm $* makes no allocation: is $short in place?"; bad=$((bad + 1)); return; }
    # All k, or the first ones, where most paths begin, and others at random.
    for k in $(awk -v all="$all" -v most="$most" -v seed="$seed" 'BEGIN {
        srand(seed)
        for (i = 1; i <= all && i <= most; i++) print i <= most / 4 || all <= most ? i : 1 + int(rand() * all) }'); do
        long=1
        once "$k" "$@"
        [ $((k % 4)) = 0 ] || continue
        long=1000000000
        once "$k" "$@"
    done
}

sweep 0 --version
sweep 1 help --man run
sweep 0 list
sweep 1 list gcd --json
sweep 0 new out/new
sweep 1 analyze gcd n=20 m=10 s=4
sweep 1 analyze radix-sort n=50 s=2,3 --json
sweep 1 analyze division n=20 m=10 s=4 --kernels
sweep 0 run gcd n=20 m=10 s=4 --check
sweep 0 run division n=20 m=10 s=4 --check -m abstract
sweep 0 run multiplication n=20 m=20 --check --json
sweep 0 run "$example" n=100 --check
sweep 0 run "$unfolding" n=60 e=4 --check
sweep 0 run gcd n=20 m=10 --fastest --check
sweep 0 run division n=900 m=300 --fastest --check
sweep 0 run multiplication --over Z a.poly b.poly -o out/f.poly --check
sweep 0 run division --over Z a.poly b.poly -o out/q.poly -o out/r.poly --check
sweep 0 run gcd --over Z a.poly a.poly -o out/g.poly --check --json
sweep 0 run resultant --over Z c.poly e.poly -o out/r.poly --check
sweep 0 run gcd-jump n=20 m=10 --batch 3 --check
sweep 0 run division-newton n=900 m=300 --check
sweep 0 run sort n=1000 --check
most=$((most / 4)) sweep 0 compile "$folder" -o out/division.o
sweep 1 import "$profile" -o out/program.json
most=$((most / 10)) sweep 0 derive division-naive -o out/formulas.txt
cp "$calibrated" machine.json
most=$((most / 4)) sweep 0 calibrate cpu division-naive -o machine.json
sweep 0 tune gcd n=20 m=10 --dry-run
sweep 0 tune gcd n=20 m=10 --max-runs 1
sweep 1 formula gcd W1/W
sweep 1 formula radix-sort "T1/T > 1" --set n=2^20 --solve U
sweep 1 formula division "W(s=Z/7)" --eval n=1000,m=999,l=8,Z=100,s=3 --json
most=$((most / 4)) sweep 1 formula --paper
sweep 1 optimize division
sweep 1 compare division n=40 m=20 s=4,8
sweep 0 compare multiplication n=30 m=20 s=4,8 -m cpu --repeat 3 -o out/page.html --json
most=$((most / 4)) sweep 0 doctor --json # which compiles a folder too
sweep 0 report gcd n=20 m=10 s=4 --no-runs -o out/page.html
sweep 0 report gcd n=20 m=10 s=4,8 -o out/page.html --json
sweep 0 reproduce --largest 100 -o out
[ $bad = 0 ] || { echo "memory: $bad of $runs runs were bad (MMM_MEMORY_SEED=$seed)"; exit 1; }
echo "memory: $runs runs short of memory worked, or said that they could not"
