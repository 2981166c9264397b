#!/bin/sh
# Every file of the library, the command and the applications, looked at by gcc and clang with more warnings than the build
# has, the kernels by clang, and with `all` the library and the command also by cppcheck and clang-tidy.  Nothing is to be
# said.  What is not installed is left out.
# Use: lint.sh BUILD [all]
set -eu
build=$1 log=$1/lint.log said=
includes="-Iinclude -Isrc -Icli -I$build/gen -I$build/include -D_GNU_SOURCE -DMMM_BUILD"
warnings="-std=c11 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow"
sources=$(find src cli -name '*.c' ! -name '*_kernels.c' | sort)
: >"$log"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    said="$said, $compiler"
    # shellcheck disable=SC2086
    {
        echo $sources | xargs -n 8 -P 2 $compiler $warnings $includes || true
        for folder in apps/*/; do
            name=$(basename "$folder")
            $compiler $warnings -Wno-missing-field-initializers -Iinclude -I"$build/include" -I"$build/gen/$name" \
                -DMMM_APPLICATION_NAME=record "apps/$name/app.c" || true
            [ $compiler = gcc ] && continue # which reads code for words of one size that those of another never reach
            for bits in 32 64; do
                $compiler $warnings -Wno-unused -Wno-unknown-pragmas $includes -Isrc/kernel -DMMM_TARGET_CPU \
                    -DMMM_WORD_BITS=$bits -DMMM_VARIANT=v "$build/gen/$name/kernels.host.c" || true
            done
        done
    } >>"$log" 2>&1
done
if [ "${2:-}" = all ] && command -v cppcheck >/dev/null; then
    said="$said, cppcheck"
    # shellcheck disable=SC2086
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr -j2 $includes -DMMM_API= \
        --suppressions-list=tests/lint/cppcheck.txt --template=gcc $sources >>"$log" 2>&1 || true
fi
if [ "${2:-}" = all ] && command -v clang-tidy >/dev/null; then
    said="$said, clang-tidy"
    # status.c has the function that analyzer.h explains to the others.
    # shellcheck disable=SC2086
    echo $sources | xargs -n 4 -P 2 sh -c 'includes=$1; shift; for f; do about=; [ "$f" = src/base/status.c ] || about="-include tests/lint/analyzer.h"
        clang-tidy --quiet "$f" -- -std=c11 $includes $about; done' tidy "$includes" 2>/dev/null >>"$log" || true
fi
[ -n "$said" ] || { echo "lint: skipped, none of the compilers is installed"; exit 0; }
count=$(grep -c 'warning:\|error:' "$log" || true)
[ "$count" = 0 ] || { grep 'warning:\|error:' "$log" | head -n 40; echo "lint: $count things are said by ${said#, } (all in $log)"; exit 1; }
echo "lint: $(echo "$sources" | wc -l) files and $(ls -d apps/*/ | wc -l) applications, and nothing to say for ${said#, }"
