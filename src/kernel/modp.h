/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo p on words: add, sub, mul, inv, quo of residues in Montgomery form, and ONE, the residue 1.  Each
 * is one local operation, as in section 3 of the paper; p may be any prime, 2 included (then R = 1, the shift is 0 and
 * -1/p counts as 0).
 *
 * Two more save reductions, and count as what they replace: cross(x, y, z, w) is x y - z w, three operations; and
 * `products` is a sum of products: products_first(x, y) begins it (one operation), products_add(h, x, y) gives
 * h + x y (two), products_value(h) the residue. */
#ifndef MMM_MODP_H
#define MMM_MODP_H

#include "dialect.h"

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)
#define MMM_INLINE static inline
typedef uint64_t mmm_wide;
#define MMM_P     modulus_.p
#define MMM_N     modulus_.minus_inverse
#define MMM_ONE   modulus_.one
#define MMM_SHIFT modulus_.shift
#else /* MMM_P, MMM_N, MMM_ONE and MMM_SHIFT are numbers, defined before this text */
#if defined(MMM_TARGET_CUDA)
#define MMM_INLINE static __device__ __forceinline__
#else
#define MMM_INLINE static inline __attribute__((always_inline))
#endif
typedef unsigned long mmm_wide;
#endif

MMM_INLINE word mmm_reduce_once(word x, word p) /* x < 2p to x mod p: of x and x - p mod 2^bits, the smaller */
{
    word y = x - p;
    return y < x ? y : x;
}

#if MMM_WORD_BITS == 64
#if defined(MMM_TARGET_CUDA)
#define MMM_HIGH_PRODUCT(x, y) __umul64hi(x, y)
#elif defined(MMM_TARGET_OPENCL)
#define MMM_HIGH_PRODUCT(x, y) mul_hi(x, y)
#else
#define MMM_HIGH_PRODUCT(x, y) (word)(((unsigned __int128)(x) * (y)) >> 64)
#endif

MMM_INLINE word mmm_mul(word x, word y, word p, word n, int shift)
{
    word low = x * y;
    word high = MMM_HIGH_PRODUCT(x, y) + MMM_HIGH_PRODUCT(low * n, p) + (low != 0);
    return shift ? mmm_reduce_once(high, p) : low;
}

/* The sum is below 2 p^2 < p R, so that one reduction leaves less than 2 p. */
MMM_INLINE word mmm_cross(word x, word y, word z, word w, word p, word n, int shift)
{
    word first = x * y, low = first + (p - z) * w;
    word high = MMM_HIGH_PRODUCT(x, y) + MMM_HIGH_PRODUCT(p - z, w) + (low < first);
    high += MMM_HIGH_PRODUCT(low * n, p) + (low != 0);
    return mmm_reduce_once(shift ? high : low, p);
}
#else
/* The quotient of a reduction can come from the factors instead of their product.  With AVX2 that is cheaper: halves of
 * words need less moving about, and y (of a cross product x and z) is the same for all threads in most loops. */
#if defined(MMM_TARGET_CPU) && defined(__AVX2__) && !defined(__AVX512F__)
#define MMM_BY_PARTS 1
#else
#define MMM_BY_PARTS 0
#endif

MMM_INLINE word mmm_mul(word x, word y, word p, word n, int shift)
{
    mmm_wide product = (mmm_wide)x * y;
    word quotient = MMM_BY_PARTS ? x * (word)(y * n) : (word)product * n;
    return mmm_reduce_once((word)((product + (mmm_wide)quotient * p) >> shift), p);
}

/* The sum is below 2 p^2 < p R, so that one reduction leaves less than 2 p. */
MMM_INLINE word mmm_cross(word x, word y, word z, word w, word p, word n, int shift)
{
    mmm_wide sum = (mmm_wide)x * y + (mmm_wide)(p - z) * w;
    word quotient = MMM_BY_PARTS ? (word)(x * n) * y + (word)((p - z) * n) * w : (word)sum * n;
    return mmm_reduce_once((word)((sum + (mmm_wide)quotient * p) >> shift), p);
}
#endif

MMM_INLINE word mmm_add(word x, word y, word p)
{
    return mmm_reduce_once(x + y, p);
}

MMM_INLINE word mmm_sub(word x, word y, word p)
{
    word difference = x - y, wrapped = difference + p;
    return x < y ? wrapped : difference;
}

MMM_INLINE word mmm_inv(word x, word p, word n, word one, int shift) /* x^(p-2) */
{
    word power = one;
    for (word e = p - 2; e; e >>= 1) {
        if (e & 1) power = mmm_mul(power, x, p, n, shift);
        x = mmm_mul(x, x, p, n, shift);
    }
    return power;
}

MMM_INLINE word mmm_quo(word x, word y, word p, word n, word one, int shift)
{
    return mmm_mul(x, mmm_inv(y, p, n, one, shift), p, n, shift);
}

#if MMM_WORD_BITS == 64
typedef word products;

MMM_INLINE products mmm_products_add(products sum, word x, word y, word p, word n, int shift)
{
    return mmm_add(sum, mmm_mul(x, y, p, n, shift), p);
}

MMM_INLINE word mmm_products_value(products sum, word p, word n, int shift)
{
    (void)p, (void)n, (void)shift;
    return sum;
}
#else
typedef mmm_wide products; /* below p^2 */

MMM_INLINE products mmm_products_add(products sum, word x, word y, word p, word n, int shift)
{
    mmm_wide more = sum + (mmm_wide)x * y, less = more - (mmm_wide)p * p;
    (void)n, (void)shift;
    return (mmm_wide)1 << 63 <= less ? more : less;
}

MMM_INLINE word mmm_products_value(products sum, word p, word n, int shift)
{
    return mmm_reduce_once((word)((sum + (mmm_wide)((word)sum * n) * p) >> shift), p);
}
#endif

#if defined(MMM_TARGET_ABSTRACT)
#define MMM_CHARGE(k) mmm_count_operations(k),
#else
#define MMM_CHARGE(k)
#endif

#define ONE               MMM_ONE
#define add(x, y)         (MMM_CHARGE(1) mmm_add(x, y, MMM_P))
#define sub(x, y)         (MMM_CHARGE(1) mmm_sub(x, y, MMM_P))
#define mul(x, y)         (MMM_CHARGE(1) mmm_mul(x, y, MMM_P, MMM_N, MMM_SHIFT))
#define inv(x)            (MMM_CHARGE(1) mmm_inv(x, MMM_P, MMM_N, MMM_ONE, MMM_SHIFT))
#define quo(x, y)         (MMM_CHARGE(1) mmm_quo(x, y, MMM_P, MMM_N, MMM_ONE, MMM_SHIFT))
#define cross(x, y, z, w) (MMM_CHARGE(3) mmm_cross(x, y, z, w, MMM_P, MMM_N, MMM_SHIFT))

#define products_first(x, y)  (MMM_CHARGE(1) mmm_products_add(0, x, y, MMM_P, MMM_N, MMM_SHIFT))
#define products_add(h, x, y) (MMM_CHARGE(2) mmm_products_add(h, x, y, MMM_P, MMM_N, MMM_SHIFT))
#define products_value(h)     mmm_products_value(h, MMM_P, MMM_N, MMM_SHIFT)

#endif
