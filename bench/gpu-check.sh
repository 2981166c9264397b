#!/bin/sh
# Every application and every example on a GPU, checked: for a computer that has one.  Compiling takes most of the
# time, so there are as many runs at once as there are cores.
# Use: gpu-check.sh MMM MACHINE...
set -u
mmm=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check() { echo "$*" >>"$scratch/runs"; }
for machine in "$@"; do
    for p in 2 101 2013265921 2147483647 9223372036854775783; do
        check division n=700 m=300 s=1,7,64,128 p=$p -m "$machine"
        check division-naive n=100 m=40 l=32 p=$p -m "$machine"
        check multiplication n=500 m=333 s=1,5,16 l=64 p=$p -m "$machine"
        check gcd n=700 m=650 s=1,8,64,128 p=$p -m "$machine"
        check multiplication-tile n=500 m=333 s=64,200 l=32 g=1,2 p=$p -m "$machine"
        check division-inverse n=700 m=300 s=64,256 w=64 l=32 g=1 p=$p -m "$machine"
        check gcd-jump n=700 m=650 s=0,90,240 h=64,256 l=32 r=1,8 k=1,2 p=$p -m "$machine"
        check gcd-jump n=700 m=650 s=90,240 h=64,256 l=32 r=0 k=2 p=$p -m "$machine"
        check gcd-jump n=900 m=100 s=120 h=128 l=32 r=0,1 k=2 p=$p -m "$machine"
        check multiplication-ntt n=3000 m=1000 p=$p -m "$machine"
        check multiplication-ring n=64,1024 batch=3 negacyclic=0,1 p=$p -m "$machine"
        check division-newton n=9000 m=3000 w=1500,8388608 p=$p -m "$machine"
        check gcd-half n=3000 m=2900 s=60,240 j=1,8 h=256 l=32 k=1,2 p=$p -m "$machine"
        check gcd-naive n=90 m=70 l=32 p=$p -m "$machine"
    done
    for bits in 32 64; do
        check radix-sort n=100000 s=1,4,8 l=64,256 bits=$bits values=1 -m "$machine"
    done
    check sort n=100000 bits=32,64 values=0,1 -m "$machine"
    for p in 2013265921 1152921504204193793; do
        check ntt n=65536 batch=2 w=4,8,16 inverse=0,1 ordered=0,1 p=$p -m "$machine"
    done
    for app in stencil reduction prefix-sum transpose matrix-product histogram; do
        check "./examples/$app" -m "$machine"
    done
    check ./examples/stencil n=10007 steps=37 s=1,8,32 l=64,256 -m "$machine"
    check ./examples/prefix-sum n=100003 s=1,3 l=32,96,1024 -m "$machine"
    check ./examples/prefix-sum n=1003 s=1,3 l=20,33,100 -m "$machine"
    check ./examples/transpose n=1000 m=777 s=1,8,32 -m "$machine"
    check ./examples/matrix-product n=200 s=7,16,32 -m "$machine"
    check ./examples/histogram n=1000003 s=3,64 l=64,1024 -m "$machine"
done
export mmm scratch
# shellcheck disable=SC2016  # it is that shell that expands
xargs -P "$(nproc)" -I '{}' sh -c '
    log=$(mktemp "$scratch/log.XXXXXX")
    # shellcheck disable=SC2086  # the words of a run
    "$mmm" run $1 --check >"$log" 2>&1 && echo "$1" >>"$scratch/equal" || { echo "FAILED: mmm run $1"; cat "$log"; }' \
    check '{}' <"$scratch/runs"
touch "$scratch/equal"
runs=$(wc -l <"$scratch/runs") equal=$(wc -l <"$scratch/equal")
[ "$runs" = "$equal" ] || { echo "gpu-check: $equal of $runs equal on $*"; exit 1; }
echo "gpu-check: all $runs equal on $*"
