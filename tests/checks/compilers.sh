#!/bin/sh
# Counts do not depend on the compiler: the same analyses from kernels instrumented by gcc and by clang.
# Use: compilers.sh MMM OTHER-MMM
set -eu
for what in 'division-naive n=100 m=33 l=1,7,16,64' 'division n=150 m=64 s=1,5,16,100' 'division n=100 m=33 s=8 p=9223372036854775783' \
    'multiplication n=61 m=50 s=1,4,7 l=5' 'gcd-naive n=60 m=40 l=1,7,16' 'gcd n=90 m=64 s=1,5,16' \
    'gcd n=90 m=64 s=8 p=9223372036854775783' 'radix-sort n=300 s=1,3,5 l=1,8 values=0,1 bits=64' \
    'sort n=700 s=4 l=32 e=4 method=1,2,3 b=1 values=0,1' 'sort n=700 s=5 l=1 e=100 method=4 b=1,8 bits=32,64' \
    'ntt n=1024 batch=2 s=4,5 m=256 inverse=0,1 ordered=0,1' 'multiplication-ntt n=700 m=600 s=8 c=16 p=101' \
    'multiplication-ring n=256 batch=2 negacyclic=0,1 p=101'; do
    # shellcheck disable=SC2086
    [ "$("$1" analyze $what --json)" = "$("$2" analyze $what --json)" ] || { echo "compilers: counts differ for: $what"; exit 1; }
done
echo "compilers: gcc and clang count alike"
