/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with every form they were compiled to. */
#include "kernels/kernels.h"

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
    {.name = #kernel, .file = source, .counted = {kernel##_w32_count, kernel##_w64_count},                             \
     .compiled = {COMPILED(kernel, 32), COMPILED(kernel, 64)}}

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

const mmm_kernel mmm_kernel_naive_division = RECORD(naive_division, "division.c");
const mmm_kernel mmm_kernel_division = RECORD(division, "division.c");
const mmm_kernel mmm_kernel_multiply_rows = RECORD(multiply_rows, "multiplication.c");
const mmm_kernel mmm_kernel_add_rows = RECORD(add_rows, "multiplication.c");
const mmm_kernel mmm_kernel_naive_gcd = RECORD(naive_gcd, "gcd.c");
const mmm_kernel mmm_kernel_gcd = RECORD(gcd, "gcd.c");
const mmm_kernel mmm_kernel_tile_sort = RECORD(tile_sort, "radix_sort.c");
const mmm_kernel mmm_kernel_tile_scan = RECORD(tile_scan, "radix_sort.c");
const mmm_kernel mmm_kernel_tile_add = RECORD(tile_add, "radix_sort.c");
const mmm_kernel mmm_kernel_tile_scatter = RECORD(tile_scatter, "radix_sort.c");
