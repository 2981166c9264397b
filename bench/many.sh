#!/bin/bash
# How a gcd over Z scales: 1, 2 and 4 ranks by mpirun on this computer, and the curve to 1,024 ranks beside them.
# Use: many.sh BUILD [DEGREE BITS [MACHINE]]; results go to BUILD/bench/many.csv and many.svg
set -eu
build=$(realpath "$1") degree=${2:-2000} bits=${3:-2000} machine=${4:-cpu}
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$build/bench"
# FACTOR SEED BITS: a polynomial of half the degree
factor() {
    awk -v seed="$1" -v terms=$((degree / 2 + 1)) -v digits=$(($2 * 301 / 1000)) 'BEGIN {
        srand(seed); printf "%d ", terms
        for (i = 0; i < terms; i++) {
            printf rand() < 0.5 ? " -%d" : " %d", 1 + int(9 * rand())
            for (k = 1; k < digits; k++) printf "%d", int(10 * rand())
        }
        print "" }'
}
factor 1 $((bits / 2)) >g.poly
factor 2 $((bits / 2 - 8)) >u.poly
factor 3 $((bits / 2 - 8)) >v.poly
"$build/mmm" run multiplication --over Z g.poly u.poly -o a.poly >/dev/null
"$build/mmm" run multiplication --over Z g.poly v.poly -o b.poly >/dev/null
points=()
if command -v mpirun >/dev/null && [ -e "$build/libmmm-starpu.so" ]; then
    for n in 1 2 4; do # the least of 15 runs; ranks that have a core each stay on it
        seconds=$(mpirun $([ $n -le "$(nproc)" ] || echo --oversubscribe) -n $n "$build/mmm" run gcd --over Z a.poly b.poly --engine starpu -m "$machine" --repeat 15 --json |
            sed 's/.*"least":\([0-9.]*\).*/\1/')
        points+=("$n=$seconds")
    done
else
    echo "many: no runs by mpirun: StarPU or MPI is not installed"
fi
"$build/bench/many" "$machine" "$degree" "$bits" many.csv many.svg "${points[@]}"
