#!/bin/sh
# The team of threads of the CPU and callers in several threads, under the thread sanitizer: it reports nothing.
# Use: threads.sh FOLDER      with a command, a test_library and a test_plans that were built for it
set -eu
folder=$1
scratch=$folder/runs
mkdir -p "$scratch"
# Drivers are others' code, and OpenCL's does not know the sanitizer.
export OCL_ICD_VENDORS=/nonexistent TSAN_OPTIONS="halt_on_error=1 exitcode=66 die_after_fork=0" MMM_CACHE="$scratch/cache" MMM_WISDOM="$scratch/wisdom.jsonl"
runs=0
run() {
    runs=$((runs + 1))
    timeout 300 "$@" >"$scratch/log" 2>&1 || { status=$?; grep -A 30 -m 1 'WARNING: ThreadSanitizer' "$scratch/log" || tail -n 3 "$scratch/log"
        echo "threads: $*: exit $status"; exit 1; }
}
run "$folder/test_library"
run "$folder/test_plans"
for threads in 1 2 7; do
    export OMP_NUM_THREADS=$threads
    for job in "division n=3000 m=1000 s=32" "division-inverse n=3000 m=1000" "multiplication n=900 m=900" "multiplication-tile n=2000 m=2000" \
        "multiplication-ntt n=5000 m=5000" "gcd n=600 m=500 s=32" "gcd-jump n=900 m=800 h=64" "gcd-naive n=200 m=100" "radix-sort n=30000" \
        "sort n=100000 method=1" "sort n=100000 method=3" "sort n=100000 method=4 b=16 e=5000" "ntt n=65536" \
        "multiplication-ring n=4096 batch=4" "gcd-stop n=900 m=800 s=32" "gcd-jump n=900 m=800 h=64 l=32 r=0" "gcd-half n=900 m=800 s=60 u=1"; do
        # shellcheck disable=SC2086
        run "$folder/mmm" run $job -m cpu --check --repeat 3
    done
done
run "$folder/mmm" run gcd-jump n=60 m=50 --batch 500 -m cpu --check --repeat 3
run "$folder/mmm" run gcd n=9000 m=8000 --fastest -m cpu --check --repeat 3
run "$folder/mmm" run division n=20000 m=9000 --fastest -m cpu --check --repeat 3
printf '3  -7 0 123456789012345678901234567890\n' >"$scratch/a.poly"
printf '4  12 5 98765432109876543210 1\n' >"$scratch/b.poly"
# Long enough for several threads to copy it.
for x in c d; do
    awk -v x=$x 'BEGIN { srand(x == "c"); printf "400 "
        for (i = 0; i < 400; i++) { t = i % 3 ? " -1" : " 1"; for (j = 0; j < 2500; j++) t = t int(10 * rand()); printf "%s", t }
        print "" }' >"$scratch/$x.poly"
done
for threads in 2 7; do OMP_NUM_THREADS=$threads run "$folder/mmm" run multiplication --over Z "$scratch/c.poly" "$scratch/d.poly" -m cpu --check --repeat 3; done
for app in multiplication gcd division; do run "$folder/mmm" run $app --over Z "$scratch/a.poly" "$scratch/b.poly" -m cpu --check --repeat 3; done
run "$folder/mmm" tune division n=2000 m=1000 --max-runs 4 -m cpu
run "$folder/mmm" report multiplication n=300 m=300 s=4,8 -o "$scratch/page.html"
echo "threads: $runs runs, and the thread sanitizer is silent"
