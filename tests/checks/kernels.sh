#!/bin/sh
# Names of macros and functions that a kernel is compiled with, of C, OpenCL C and CUDA, are refused.
# Every kernel is OpenCL C 1.2 and, where NVRTC or nvcc is installed, CUDA for sm_90, as the generator makes it of its file:
# both word sizes, and CUDA also with local memory given at the launch; warnings of OpenCL C are errors.
# Use: kernels.sh BUILD SCRATCH
set -eu
build=$1
scratch=$2/kernels
nvcc=$(command -v nvcc || true)
clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | head -n 1 || true)
[ -n "$clang" ] || { echo "kernels: clang is not installed, and checks OpenCL C: run deps.sh"; exit 1; }
rm -rf "$scratch"
flags=${SAN:+-fsanitize=address,undefined}
for file in apps/*/kernels.c examples/*/kernels.c src/*/*_kernels.c tests/kernels/*.c tests/kernel/clean/*.c; do
    [ -e "$file" ] || continue
    unit=$(echo "${file%.c}" | tr -c 'a-z0-9\n' _)
    place=$scratch/$unit
    mkdir -p "$place"
    "$build/generate" "$file" "$unit" "$place"
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -O0 $flags -D_GNU_SOURCE -Iinclude -Isrc -DRECORDS="\"$PWD/$place/kernels.records.c\"" \
        -DKERNELS="mmm_kernels_$unit" tests/checks/texts.c "$build/libmmm.a" -pthread $LIBS -o "$place/texts"
    "$place/texts" "$place"
done
macros() {
    echo '#include "modp.h"' | ${CC:-cc} -std=c11 -D_GNU_SOURCE -DMMM_TARGET_CPU -DMMM_WORD_BITS=64 -DMMM_VARIANT=v -Iinclude -Isrc/kernel -dM -E -
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -dM -E /dev/null
    "$clang" -x cl -cl-std=CL3.0 -Xclang -finclude-default-header -dM -E /dev/null
}
functions() {
    cat "$("$clang" -print-resource-dir)/include/opencl-c.h"
    [ -z "$nvcc" ] || (cd "$(dirname "$(readlink -f "$nvcc")")/../include/crt" && cat math_functions.h device_functions.h)
}
macros | awk '$2 !~ /\(/ { print $2 }' | sort -u >"$scratch/macros"
functions | sed 's|//.*||; s/__attribute__((.*))//' | grep -v '^ *[#*]' | grep -oE '(^|[ *])[a-z][a-zA-Z0-9_]*\(' | tr -d ' *(' | sort -u |
    grep -vxE 'if|for|while|switch|return|defined' >"$scratch/functions"
# Use: refused NAMES BEFORE AFTER: no such line with a name between is taken, a few at a time
refused() {
    split -l 15 "$1" "$1-"
    for names in "$1"-*; do
        { sed "s/.*/$2&$3/" "$names"; echo 'KERNEL void f(GLOBAL int *a) { THREADS (t) a[t] = 1; }'; } >"$names.c"
        "$build/generate" "$names.c" unit "$scratch" >"$names.log" 2>&1 || true
        [ "$(grep -c 'choose another name' "$names.log")" = "$(wc -l <"$names")" ] ||
            { echo "kernels: a name of a target's headers is taken:"; cat "$names" "$names.log"; exit 1; }
    done
}
refused "$scratch/macros" 'enum { ' ' = 3 };'
refused "$scratch/functions" 'int ' '(int x) { return x; }'
# What compiled once need not do so again: by its text, after "make clean" and for another compiler anew.
cat >"$scratch/one" <<'END'
file=$1
known=$2/$(sha256sum <"$file" | cut -c1-40)
shift 2
[ -e "$known" ] || { "$@" "$file" >"$file.log" 2>&1 && touch "$known"; } || { cat "$file.log"; exit 1; }
END
each() {
    kind=$1
    shift
    known=$scratch/../kernels-known/$kind-$("$1" --version | cksum | cut -d' ' -f1)
    mkdir -p "$known"
    find "$scratch" -name "*.$kind" -print0 | xargs -0 -P "$(nproc)" -I '{}' sh "$scratch/one" '{}' "$known" "$@"
}
each cl "$clang" -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Wno-unused-variable
# CUDA by the compiler that runs use, many texts a process, which is several times as fast as nvcc.
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -O0 $flags -D_GNU_SOURCE -Iinclude -Isrc tests/checks/cuda.c "$build/libmmm.a" -pthread $LIBS -o "$scratch/cuda"
if by=$("$scratch/cuda"); then
    known=$scratch/../kernels-known/cu-$(echo "$by" | tr -c 'a-zA-Z0-9.\n' _)
    mkdir -p "$known"
    find "$scratch" -name '*.cu' -exec sha256sum '{}' + >"$scratch/hashes"
    while read -r hash file; do [ -e "$known/$hash" ] || printf '%s\0' "$file"; done <"$scratch/hashes" |
        xargs -0 -r -n 16 -P "$(nproc)" "$scratch/cuda" || exit 1
    cut -d' ' -f1 "$scratch/hashes" | (cd "$known" && xargs touch)
elif [ -n "$nvcc" ]; then
    by=nvcc
    each cu "$nvcc" -arch=sm_90 -ptx -o /dev/null
fi
checked=$(find "$scratch" -name "*.cl" | wc -l)
cuda=$(find "$scratch" -name "*.cu" | wc -l)
echo "kernels: $(wc -l <"$scratch/macros") macros and $(wc -l <"$scratch/functions") functions are no names; $checked texts are OpenCL C; CUDA for sm_90: $([ -n "$by" ] && echo "$cuda compiled by $by" || echo "skipped, neither NVRTC nor nvcc is installed")"
