#!/bin/bash
# Runs the lines of standard input as commands, some at a time.  What one prints comes when it is done, with the seconds that
# it took; the first that fails ends it all.
# Use: run.sh JOBS SCRATCH <COMMANDS
set -u
mkdir -p "$2" && rm -f "$2"/*
export SCRATCH=$2
one() {
    local log=$SCRATCH/$BASHPID status=0
    bash -c "$1" >"$log" 2>&1 </dev/null || status=$?
    [ $status = 0 ] || echo "exit status $status" >>"$log"
    { echo "== $1 ($SECONDS s)" && cat "$log"; } | flock "$SCRATCH/lock" cat
    [ $status = 0 ] || exit 255
}
export -f one
tr '\n' '\0' | xargs -0 -n 1 -P "$1" bash -c 'one "$0"'
