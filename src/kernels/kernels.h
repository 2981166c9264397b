/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels, one record each. */
#ifndef MMM_KERNELS_H
#define MMM_KERNELS_H

#include "mmm/kernel.h"

extern const mmm_kernel mmm_kernel_naive_division, mmm_kernel_division;
extern const mmm_kernel mmm_kernel_multiply_rows, mmm_kernel_add_rows;
extern const mmm_kernel mmm_kernel_naive_gcd, mmm_kernel_gcd;
extern const mmm_kernel mmm_kernel_count_terms, mmm_kernel_scale;
extern const mmm_kernel mmm_kernel_tile_sort, mmm_kernel_tile_scan, mmm_kernel_tile_add, mmm_kernel_tile_scatter;
extern const mmm_kernel mmm_kernel_chain, mmm_kernel_nothing; /* for calibration */

#endif
