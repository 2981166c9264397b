#!/bin/sh
# Every kernel file is OpenCL C 1.2 and, where nvcc is installed, CUDA for sm_90: both word sizes, warnings are errors.
# Use: kernels.sh FOLDER-FOR-SCRATCH
set -eu
scratch=$1
mkdir -p "$scratch"
checked=0
nvcc=$(command -v nvcc || true)
clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | head -n 1 || true)
[ -n "$clang" ] || { echo "kernels: clang is not installed, and checks OpenCL C: run deps.sh"; exit 1; }
for file in src/kernels/*.c tests/kernels/*.c; do
    [ "$file" = src/kernels/kernels.c ] && continue
    for bits in 32 64; do
        text=$scratch/$(basename "$file" .c).w$bits
        {
            echo "#define MMM_WORD_BITS $bits"
            echo "#define MMM_BLOCK_SIZE 64"
            echo "#define MMM_P 2013265921u"
            echo "#define MMM_N 2013265919u"
            echo "#define MMM_ONE 268435454u"
            echo "#define MMM_SHIFT $bits"
            echo '#include "dialect.h"'
            grep -o 'CONSTANT([a-z_]*)' "$file" | sort -u | sed 's/CONSTANT(\(.*\))/#define \1 16/'
            sed '/^ENTRY(/d' "$file"
        } >"$text.cl"
        "$clang" -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Wno-unused-variable -DMMM_TARGET_OPENCL -Isrc/kernel -Itests/kernels "$text.cl"
        checked=$((checked + 1))
        [ -n "$nvcc" ] || continue
        cp "$text.cl" "$text.cu"
        "$nvcc" -arch=sm_90 -ptx -DMMM_TARGET_CUDA -Isrc/kernel -Itests/kernels -o "$text.ptx" "$text.cu" 2>"$text.log" || { cat "$text.log"; exit 1; }
    done
done
echo "kernels: $checked texts are OpenCL C; CUDA for sm_90: $([ -n "$nvcc" ] && echo "$checked compiled" || echo "skipped, nvcc is not installed")"
