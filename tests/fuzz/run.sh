#!/bin/sh
# Runs the fuzzer on every target, each for some seconds, from the corpora beside this script, the generator from the
# kernels of its tests; what is new stays in SCRATCH/corpus and is taken along the next time.  An input that breaks something stays in SCRATCH/TARGET/crash-...
# Use: run.sh FUZZ SECONDS SCRATCH [TARGET ...]
set -eu
corpora=$(cd "$(dirname "$0")" && pwd)/corpus
fuzz=$(realpath "$1") seconds=$2
mkdir -p "$3"
scratch=$(realpath "$3")
kernels=$(cd "$(dirname "$0")/../kernel" && pwd)
shift 3
[ $# -gt 0 ] || set -- generator $(ls "$corpora")
failed=0
for target; do
    mkdir -p "$scratch/$target" "$scratch/corpus/$target"
    from=$corpora/$target
    [ "$target" != generator ] || from="$kernels/clean $kernels/wrong"
    # shellcheck disable=SC2086
    (cd "$scratch/$target" && ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 MMM_FUZZ=$target \
        "$fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 -max_len=4096 -close_fd_mask=3 \
        "$scratch/corpus/$target" $from >log 2>&1) || {
        echo "fuzz: $target: broken; an input that does it: $(ls "$scratch/$target" | grep -E '^(crash|leak|timeout|oom)-' | head -n 1) in $scratch/$target"
        grep -E 'ERROR|SUMMARY|runtime error|    #[0-9] ' "$scratch/$target/log" | head -n 12
        failed=1
        continue
    }
    echo "fuzz: $target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$scratch/$target/log") inputs"
done
exit $failed
