/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for cores that multiply numbers of 52 bits (AVX-512 IFMA): integers in digits of 52 bits, modulo the products
 * of five primes at a time, and back.  They are no dialect but vectors by hand: no compiler finds these instructions by
 * itself, and the dialect's words for such numbers give residues, where sums of both halves of products are wanted. */
#ifndef MMM_WIDE_H
#define MMM_WIDE_H

#include "machine/machine.h"

/* A product of GROUP primes has WIDE_LIMBS digits of WIDE_BITS bits.  A prime's constants there are itself, 2^52 / p,
 * and WIDE_PLACES pairs of a factor and its quotient by p; back itself, a factor, its quotient, 2^82 / p, and the
 * product of the other primes of its group. */
enum { WIDE_BITS = 52, GROUP = 5, WIDE_LIMBS = 3, WIDE_PLACES = 5, WIDE_THERE = 2 + 2 * WIDE_PLACES, WIDE_BACK = 8 };

/* Digits of 0 before each row of weights on the way back. */
enum { WIDE_HALO = 3 };

/* Coefficients that a block has there and back, and the most digits and primes that sums of 64 bits hold. */
enum { WIDE_TILE = 32, WIDE_TILE_BACK = 16, WIDE_ROWS_MOST = 1024, WIDE_PRIMES_MOST = 3400 };

/* n coefficients of `size` limbs of 32 bits, in pieces of `rows` digits, modulo primes: residues of piece i begin at
 * i `apart` + `from`, those of a prime `stride` behind those of the one before. */
typedef struct wide_there {
    mmm_u32_array limbs, negative, residues;
    mmm_u64_array weights, constants;
    int64_t n, size, rows, primes, stride, from, pieces, apart;
} wide_there;
mmm_status mmm_wide_remainders(mmm_program *program, const wide_there *x);

/* And back: pieces of `rows` digits, one `per` digits behind the other, to coefficients of `all` digits.  `others` are
 * 2^156 less the product of each group; weights, of each group, the digits of the product of all other primes, and
 * behind them those of 2^(52 rows) less the product of all. */
typedef struct wide_back {
    mmm_u32_array residues, limbs, negative;
    mmm_u64_array constants, others, weights;
    int64_t n, size, rows, primes, stride, from, pieces, per, all;
} wide_back;
mmm_status mmm_wide_reconstruct(mmm_program *program, const wide_back *x);

#endif
