#!/bin/sh
# Every function that the public headers declare is called by the test of nonsense.
# Use: nonsense.sh FILE...
set -eu
bad=0
for name in $(cat include/mmm.h include/mmm/*.h | tr '\n' ' ' | grep -o 'MMM_API[^;]*;' | grep -o 'mmm_[a-z0-9_]*(' | tr -d '(' | sort -u); do
    cat "$@" | grep -q "\<$name(" || { echo "nonsense: $name is not called in $*"; bad=1; }
done
[ $bad = 0 ] && echo "nonsense: every exported function is called"
exit $bad
