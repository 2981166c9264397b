/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of tests/kernels/faulty.c, counted and compiled for 32-bit and 64-bit words. */
#ifndef FAULTY_H
#define FAULTY_H

#include "mmm.h"

#define FAULTY(kernel)                                                                                        \
    mmm_entry kernel##_w32_count, kernel##_w64_count, kernel##_w32_base, kernel##_w64_base;                   \
    static const mmm_kernel kernel = {.name = #kernel,                                                        \
                                      .file = "faulty.c",                                                     \
                                      .counted = {kernel##_w32_count, kernel##_w64_count},                    \
                                      .compiled = {{kernel##_w32_base, kernel##_w32_base, kernel##_w32_base}, \
                                                   {kernel##_w64_base, kernel##_w64_base, kernel##_w64_base}}}

#endif
