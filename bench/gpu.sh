#!/bin/sh
# Everything that needs a GPU, in one go, from a folder made by `make bundle`: what is found, the tests on every machine,
# the tests under compute-sanitizer, times of kernels, and of calls beside them.
# Use: gpu.sh BUNDLE [tests|sanitize|times|sort|calls ...]    (sort: beside CUB's, where nvcc is)
set -u
bundle=$1
shift
[ $# -gt 0 ] || set -- tests sanitize times sort calls
"$bundle/mmm" list | sed -n '/machines that run/,$p'
for what in "$@"; do
    case $what in
    tests) "$bundle/test_machines" ;;
    sanitize)
        for tool in memcheck racecheck; do
            echo "== compute-sanitizer --tool $tool"
            MMM_TEST_SMALL=1 MMM_TEST_MACHINES=cuda:0 compute-sanitizer --tool $tool --error-exitcode 9 "$bundle/test_machines" 2>&1 | tail -n 12
        done ;;
    times)
        for sizes in '2000 1500' '4000 3500' '10000 9000' '100000 100000'; do
            set -- $sizes
            "$bundle/mmm" run gcd n=$1 m=$2 s=64,128,256 -m cuda:0 --repeat 9 --check
        done
        for sizes in '4000 2000' '10000 5000' '16384 8192' '100000 50000'; do
            set -- $sizes
            "$bundle/mmm" run division n=$1 m=$2 s=32,64,128,256 -m cuda:0 --repeat 9 --check
            "$bundle/mmm" run division-inverse n=$1 m=$2 s=1024,2048,4096,8192 w=64 l=64 g=1 -m cuda:0 --repeat 9 --check
        done
        for sizes in '4000 4000' '8000 8000' '16384 16384'; do
            set -- $sizes
            "$bundle/mmm" run multiplication n=$1 m=$2 s=1,2,4,8,16 -m cuda:0 --repeat 9 --check
            "$bundle/mmm" run multiplication-tile n=$1 m=$2 s=128,256,512 l=32 g=1 -m cuda:0 --repeat 9 --check
        done
        "$bundle/mmm" run gcd-naive n=10000 m=9000 l=256 -m cuda:0 --repeat 3 --check
        "$bundle/mmm" run division-naive n=10000 m=5000 l=256 -m cuda:0 --repeat 3 --check
        "$bundle/mmm" run gcd n=10000 m=9000 s=128 -m opencl:0 --repeat 3 --check
        ;;
    calls) "$bundle/calls" cuda:0 ;;
    sort)
        sort() { "$bundle/mmm" run sort s=8 b=1 -m cuda:0 --repeat 9 "$@"; }
        sort n=1000 l=256 e=4 method=1 --check
        sort n=4000 l=512 e=8 method=1 --check
        sort n=10000 l=256 e=4 method=3 values=0,1 bits=32,64 --check
        sort n=100000 l=256 e=8 method=1 values=0,1 bits=32,64 --check
        sort n=1000000 l=512 e=16 method=2 kind=0,1,2,3,4,5 --check
        sort n=1000000 l=256 e=8 method=1 values=1 --check
        sort n=1000000 l=256 e=12 method=1 bits=64 --check
        sort n=10000000 l=512 e=16 method=1 kind=0,1,2,3,4,5
        for n in 10000000 100000000; do
            sort n=$n l=256 e=24 method=1
            sort n=$n l=256,512 e=28 method=1 values=1
            sort n=$n l=512 e=12 method=1 bits=64
        done
        nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
        [ -z "$nvcc" ] || { "$nvcc" -O3 -arch=native -o "$bundle/cub" "$(dirname "$0")/cub.cu" && "$bundle/cub"; }
        ;;
    esac
done
