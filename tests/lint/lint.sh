#!/bin/sh
# Every file of the library, the command and the applications, looked at by clang with more warnings than the build has,
# and with `all` also by cppcheck and clang-tidy, where they are installed.  Nothing is to be said.
# Use: lint.sh BUILD [all]
set -eu
build=$1
clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | grep -E 'clang-[0-9]+$' | head -n 1 || true)
[ -n "$clang" ] || { echo "lint: skipped, clang is not installed"; exit 0; }
flags="-std=c11 -Iinclude -Isrc -Icli -I$build/gen -I$build/include -D_GNU_SOURCE -DMMM_BUILD"
sources=$(find src cli -name '*.c' ! -name '*_kernels.c' | sort)
log=$build/lint.log
# shellcheck disable=SC2086
echo $sources | xargs -n 8 -P 2 "$clang" $flags -fsyntax-only -Wall -Wextra -Wconversion -Wshadow >"$log" 2>&1 || true
said=$(grep -c 'warning:\|error:' "$log" || true)
done="clang"
if [ "${2:-}" = all ]; then
    if command -v cppcheck >/dev/null; then
        # shellcheck disable=SC2086
        cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr -j2 -Iinclude -Isrc -Icli \
            -D_GNU_SOURCE -DMMM_BUILD -DMMM_API= --suppressions-list=tests/lint/cppcheck.txt --template=gcc $sources >>"$log" 2>&1 || true
        done="$done, cppcheck"
    fi
    if command -v clang-tidy >/dev/null; then
        # shellcheck disable=SC2086
        echo $sources | xargs -n 4 -P 1 sh -c 'flags=$1; shift; clang-tidy --quiet "$@" -- $flags' tidy "$flags" 2>/dev/null >>"$log" || true
        done="$done, clang-tidy"
    fi
    said=$(grep -c 'warning:\|error:' "$log" || true)
fi
[ "$said" = 0 ] || { grep 'warning:\|error:' "$log" | head -n 40; echo "lint: $said things are said by $done (all in $log)"; exit 1; }
echo "lint: $(echo "$sources" | wc -l) files, and nothing to say for $done"
