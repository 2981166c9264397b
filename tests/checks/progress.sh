#!/bin/sh
# On a terminal, long work shows after a second how far it is; nowhere else does it say a word.
# Use: progress.sh MMM
set -eu
mmm=$(realpath "$1")
work="timeout --foreground --preserve-status -s INT 2 env --default-signal=INT $mmm analyze gcd-naive n=30000 m=28000"
silent=$($work 2>&1 >/dev/null || true)
[ "$(echo "$silent" | wc -l)" = 1 ] || { echo "progress: without a terminal there is more than one line: $silent"; exit 1; }
if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "progress: skipped, no terminal can be made here"
    exit 0
fi
script -qec "$work" /dev/null </dev/null | tr '\r' '\n' | grep -q '^counting: [0-9]* %' ||
    { echo "progress: a terminal shows none"; exit 1; }
echo "progress: shown on a terminal, and there alone"
