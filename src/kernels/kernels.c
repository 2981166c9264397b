/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with every form they were compiled to. */
#include "kernels/kernels.h"

#include <stddef.h>

#if defined(__x86_64__)
#define COMPILED(kernel, bits) {kernel##_w##bits##_base, kernel##_w##bits##_v3, kernel##_w##bits##_v4}
#define DECLARE(kernel)                                                                                                \
    mmm_entry kernel##_w32_count, kernel##_w32_base, kernel##_w32_v3, kernel##_w32_v4;                                 \
    mmm_entry kernel##_w64_count, kernel##_w64_base, kernel##_w64_v3, kernel##_w64_v4
#else
#define COMPILED(kernel, bits) {kernel##_w##bits##_base}
#define DECLARE(kernel)                                                                                                \
    mmm_entry kernel##_w32_count, kernel##_w32_base;                                                                   \
    mmm_entry kernel##_w64_count, kernel##_w64_base
#endif
#define RECORD(kernel, source)                                                                                         \
    {.name = #kernel, .file = #source ".c", .texts = source##_texts, .counted = {kernel##_w32_count, kernel##_w64_count},                             \
     .compiled = {COMPILED(kernel, 32), COMPILED(kernel, 64)}}

/* The texts of the files, as they are. */
#define TEXT(name, file)                                                                                               \
    __asm__(".section .rodata\n.global " #name "\n.hidden " #name "\n" #name ":\n.incbin \"" file "\"\n.byte 0\n.previous");  \
    extern const char name[]
#define FILE_TEXTS(file)                                                                                               \
    TEXT(mmm_text_##file, "src/kernels/" #file ".c");                                                                  \
    static const char *const file##_texts[] = {mmm_text_dialect, mmm_text_modp, mmm_text_##file, NULL}

TEXT(mmm_text_dialect, "src/kernel/dialect.h");
TEXT(mmm_text_modp, "src/kernel/modp.h");
FILE_TEXTS(division);
FILE_TEXTS(multiplication);
FILE_TEXTS(gcd);
FILE_TEXTS(radix_sort);
FILE_TEXTS(arrays);
FILE_TEXTS(calibration);

const char *const *mmm_kernel_headers(void)
{
    static const char *const headers[] = {mmm_text_dialect, mmm_text_modp, NULL};
    return headers;
}

DECLARE(naive_division);
DECLARE(division);
DECLARE(multiply_rows);
DECLARE(add_rows);
DECLARE(naive_gcd);
DECLARE(gcd);
DECLARE(tile_sort);
DECLARE(tile_scan);
DECLARE(tile_add);
DECLARE(tile_scatter);
DECLARE(count_terms);
DECLARE(scale);
DECLARE(chain);
DECLARE(nothing);

const mmm_kernel mmm_kernel_naive_division = RECORD(naive_division, division);
const mmm_kernel mmm_kernel_division = RECORD(division, division);
const mmm_kernel mmm_kernel_multiply_rows = RECORD(multiply_rows, multiplication);
const mmm_kernel mmm_kernel_add_rows = RECORD(add_rows, multiplication);
const mmm_kernel mmm_kernel_naive_gcd = RECORD(naive_gcd, gcd);
const mmm_kernel mmm_kernel_gcd = RECORD(gcd, gcd);
const mmm_kernel mmm_kernel_tile_sort = RECORD(tile_sort, radix_sort);
const mmm_kernel mmm_kernel_tile_scan = RECORD(tile_scan, radix_sort);
const mmm_kernel mmm_kernel_tile_add = RECORD(tile_add, radix_sort);
const mmm_kernel mmm_kernel_tile_scatter = RECORD(tile_scatter, radix_sort);
const mmm_kernel mmm_kernel_count_terms = RECORD(count_terms, arrays);
const mmm_kernel mmm_kernel_scale = RECORD(scale, arrays);
const mmm_kernel mmm_kernel_chain = RECORD(chain, calibration);
const mmm_kernel mmm_kernel_nothing = RECORD(nothing, calibration);
