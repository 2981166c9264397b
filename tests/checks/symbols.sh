#!/bin/sh
# The shared library exports what the public headers declare, what kernels call (mmm_count_..., mmm_hook_...) and the
# tables of kernels that generated headers declare (mmm_kernels_...), and nothing else.
# Use: symbols.sh LIBRARY
set -eu
unversioned=$(nm -D --defined-only "$1" | awk '$3 ~ /^mmm_/ && $3 !~ /@@MMM_0\.1$/ {print $3}')
[ -z "$unversioned" ] || { echo "symbols: without the version MMM_0.1:" $unversioned; exit 1; }
exported=$(nm -D --defined-only "$1" | awk '$3 != "MMM_0.1" {sub(/@@.*/, "", $3); print $3}' | grep -v -e '^mmm_count_' -e '^mmm_hook_' -e '^mmm_kernels_' -e '^__odr_asan' | sort)
declared=$(cat include/mmm.h include/mmm/*.h | tr '\n' ' ' | grep -o 'MMM_API[^;]*;' | grep -o 'mmm_[a-z0-9_]*(' | tr -d '(' | sort -u)
[ "$exported" = "$declared" ] || { echo "symbols: exported (<) and declared (>) differ"; echo "$exported" >/dev/null
    for s in $exported; do echo "$declared" | grep -qx "$s" || echo "< $s"; done
    for s in $declared; do echo "$exported" | grep -qx "$s" || echo "> $s"; done; exit 1; }
echo "symbols: $(echo "$exported" | wc -l) exported, all in the public headers"
