#!/bin/sh
# Every kernel is OpenCL C 1.2 and, where nvcc is installed, CUDA for sm_90, as the generator makes it of its file: both
# word sizes, and CUDA also with local memory given at the launch; warnings are errors.
# Use: kernels.sh BUILD SCRATCH
set -eu
build=$1
scratch=$2/kernels
nvcc=$(command -v nvcc || true)
clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | head -n 1 || true)
[ -n "$clang" ] || { echo "kernels: clang is not installed, and checks OpenCL C: run deps.sh"; exit 1; }
rm -rf "$scratch"
flags=${SAN:+-fsanitize=address,undefined}
for file in apps/*/kernels.c src/*/*_kernels.c tests/kernels/*.c tests/kernel/clean/*.c; do
    [ -e "$file" ] || continue
    unit=$(echo "${file%.c}" | tr -c 'a-z0-9\n' _)
    place=$scratch/$unit
    mkdir -p "$place"
    "$build/generate" "$file" "$unit" "$place"
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -O0 $flags -D_GNU_SOURCE -Iinclude -Isrc -DRECORDS="\"$PWD/$place/kernels.records.c\"" \
        -DKERNELS="mmm_kernels_$unit" tests/checks/texts.c "$build/libmmm.a" -fopenmp $LIBS -o "$place/texts"
    "$place/texts" "$place"
done
each() { find "$scratch" -name "*.$1" -print0 | xargs -0 -n 1 -P "$(nproc)" sh -c "$2" sh; }
each cl "$clang -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Wno-unused-variable \"\$1\""
[ -z "$nvcc" ] || each cu "$nvcc -arch=sm_90 -ptx -o \"\$1.ptx\" \"\$1\" 2>\"\$1.log\" || { cat \"\$1.log\"; exit 1; }"
checked=$(find "$scratch" -name "*.cl" | wc -l)
cuda=$(find "$scratch" -name "*.ptx" | wc -l)
echo "kernels: $checked texts are OpenCL C; CUDA for sm_90: $([ -n "$nvcc" ] && echo "$cuda compiled" || echo "skipped, nvcc is not installed")"
