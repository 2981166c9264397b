#!/bin/sh
# Every application and some examples on a CUDA device under each tool of compute-sanitizer, which must find nothing.
# Use: gpu-sanitize.sh MMM [MACHINE]
set -u
mmm=$1
machine=${2:-cuda:0}
command -v compute-sanitizer >/dev/null || { echo "gpu-sanitize: skipped, there is no compute-sanitizer"; exit 0; }
"$mmm" list | grep -q "^  $machine .*SMs" || { echo "gpu-sanitize: skipped, there is no $machine"; exit 0; }
logs=$(mktemp -d)
# Sizes that are no multiples of anything, words of both sizes.
cases() {
    for p in 2013265921 9223372036854775783; do
        echo "division n=333 m=100 s=1,64 p=$p"
        echo "division-naive n=50 m=21 l=32 p=$p"
        echo "multiplication n=300 m=133 s=1,5 l=64 p=$p"
        echo "gcd n=333 m=300 s=8,64 p=$p"
        echo "gcd-naive n=40 m=33 l=32 p=$p"
        echo "gcd-stop n=333 m=300 s=8,64 r=4 p=$p"
        echo "division-inverse n=333 m=100 s=70 w=64 l=32 g=1 p=$p"
        echo "division-newton n=1500 m=600 p=$p"
        echo "multiplication-tile n=300 m=133 s=64 l=32 g=1 p=$p"
        echo "multiplication-ntt n=700 m=600 p=$p"
        echo "multiplication-ring n=256 batch=2 negacyclic=0,1 p=$p"
        echo "gcd-jump n=333 m=300 s=100 h=64 l=32 r=1 k=1,2 p=$p"
        echo "gcd-jump n=333 m=300 s=100 h=64 l=32 r=0 k=2 p=$p"
        echo "gcd-half n=900 m=800 s=60 j=2 h=64 l=32 k=1,2 e=8 c=16 p=$p"
        echo "gcd-half n=900 m=800 s=60 j=1 h=64 l=32 k=2 e=8 c=16 u=1 p=$p"
        echo "gcd-jump n=90 m=77 s=100 h=64 l=32 r=1 k=1 --batch 3 p=$p"
    done
    echo "ntt n=4096 batch=2 ordered=0,1"
    echo "sort n=10007 method=1,2,3 s=8 l=64 e=4 b=1 values=1"
    echo "radix-sort n=10007 s=4 l=64,256 bits=32 values=1"
    echo "radix-sort n=3001 s=8 l=64 bits=64"
    echo "./examples/prefix-sum n=10003 s=1,3 l=32,96"
    echo "./examples/histogram n=10003 s=3 l=64"
    echo "./examples/stencil n=1007 steps=37 s=8 l=64"
}
watch() {
    cases | while read -r case; do
        # shellcheck disable=SC2086
        compute-sanitizer --tool "$1" --error-exitcode 9 "$mmm" run $case -m "$machine" --check --repeat 1 >"$logs/$1" 2>&1 || {
            echo "gpu-sanitize: $1: mmm run $case: exit $?"
            grep -m 12 -e '=========' -e mmm "$logs/$1"
        }
    done >"$logs/$1.bad"
}
# Once without them, so that everything is compiled.
cases | while read -r case; do
    # shellcheck disable=SC2086
    "$mmm" run $case -m "$machine" --check >/dev/null || echo "gpu-sanitize: mmm run $case fails by itself"
done >"$logs/none.bad"
for tool in memcheck racecheck synccheck initcheck; do
    watch $tool &
done
wait
cat "$logs"/*.bad
if cat "$logs"/*.bad | grep -q .; then failed=1; else failed=0; fi
rm -rf "$logs"
[ $failed = 0 ] && echo "gpu-sanitize: memcheck, racecheck, synccheck and initcheck find nothing"
exit $failed
