#!/bin/sh
# Small problems run in processes that may have few addresses, predicted, counted and on the CPU; and under valgrind,
# where it is installed; what is too large is refused at once, and what is large is chosen for in no time.
# Use: limits.sh COMMAND
set -eu
mmm=$1
# In a subshell: limits cannot be raised again.
under() { (ulimit -v "$1" && shift && "$@" >/dev/null) || { echo "limits: ulimit -v $*: failed"; exit 1; }; }
case $mmm in *-san/*) echo "limits: not under sanitizers, which have most addresses themselves"; exit 0 ;; esac
MMM_WISDOM=/dev/null/wisdom.jsonl
export MMM_WISDOM
for kilobytes in 20000000 2000000 600000; do
    under $kilobytes "$mmm" run gcd n=60 m=50 --check
    under $kilobytes "$mmm" run gcd n=2000 m=1500 --check
    under $kilobytes "$mmm" run gcd n=60 m=50 s=8 -m abstract --check
    under $kilobytes "$mmm" analyze radix-sort n=2000
done
# 2^28 kernels: 77 GB on any machine, and none of it is touched.
if (ulimit -v 8000000; ulimit -t 2; "$mmm" run division n=268435456 m=1 s=1 2>&1) | grep -q 'kernels: .* GB are available'; then :; else
    echo "limits: a program that is too large is not refused at once"
    exit 1
fi
# Choosing takes no longer than running, and a limit is one: seconds of the processors, where it was minutes.
within() { (ulimit -t 15; "$@" >/dev/null) || { echo "limits: $*: failed or took too long"; exit 1; }; }
within "$mmm" run radix-sort n=16777216
within "$mmm" tune radix-sort n=16777216 --time-limit 1
within "$mmm" run gcd-stop n=30000 m=29000 --repeat 1
if command -v valgrind >/dev/null; then
    while read -r work; do
        # shellcheck disable=SC2086
        OCL_ICD_VENDORS=/dev/null/none valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
            "$mmm" $work >/dev/null </dev/null || { echo "limits: valgrind has something to say: mmm $work"; exit 1; }
    done <<'END'
run gcd n=60 m=50 s=8 -m abstract --check
run gcd-jump n=60 m=50 --batch 3 -m cpu --check --repeat 1
run division-newton n=900 m=300 -m cpu --check --repeat 1
run multiplication --over Z tests/fuzz/corpus/integer/four tests/fuzz/corpus/integer/four --check --repeat 1
analyze sort n=300 --kernels
compare division n=40 m=20 s=4,8
formula division T1/T>1 --set l=Z/2,s=Z/7 --solve Z
report gcd n=20 m=10 s=4,8 --no-runs -o /dev/null
tune gcd n=60 m=30 --dry-run
END
fi
echo "limits: small problems run with few addresses$(command -v valgrind >/dev/null && echo " and under valgrind" || true)"
