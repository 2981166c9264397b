#!/bin/sh
# The shared library can be opened by a program that was not linked with it, here Python.  Use: dlopen.sh LIBRARY
set -eu
if ! command -v python3 >/dev/null; then
    echo "dlopen: skipped, python3 is not installed"
    exit 0
fi
if nm -D "$1" | grep -q __asan_init; then # its runtime must come first, and what Python leaves behind is Python's
    runtime=$(${CC:-cc} -print-file-name=libasan.so)
    [ -e "$runtime" ] || { echo "dlopen: skipped, the sanitizer's runtime is no shared library"; exit 0; }
    export LD_PRELOAD="$runtime" ASAN_OPTIONS=detect_leaks=0
fi
python3 tests/checks/dlopen.py "$1"
echo "dlopen: opened by Python: gcds and messages of two threads; closed, and nothing is lost"
