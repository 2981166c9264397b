/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic modulo p on words: add, sub, mul, inv, quo of residues in Montgomery form, and ONE, the residue 1.  Each
 * is one local operation, as in section 3 of the paper; p may be any prime, 2 included (then R = 1, the shift is 0 and
 * -1/p counts as 0).
 *
 * Two more save reductions, and count as what they replace: cross(x, y, z, w) is x y - z w, three operations, and
 * cross_late the same where x is what is waited for, or x and w; and
 * `products` is a sum of products: products_first(x, y) begins it (one operation), products_add(h, x, y) gives
 * h + x y (two), products_two(h, x, y, z, w) h + x y + z w (four, corrected once), products_value(h) the residue.
 *
 * A `multiplier` (modp_by.h), multiplier_of(x), is a residue that many others are multiplied by: mul_by(f, x) is mul of
 * it and x, cross_by(f, x, g, y) is cross of f, x, g and y; these may be lanes.
 *
 * `dots` (modp_dots.h) is a sum of many products, for loops inside a region: larger than `products`, and corrected less
 * often. dots_clear(h)       h = 0 dots_more(h, x, y)  h += x y for operands x and y, two operations; at most 8 times
 * between two dots_carry dots_carry(h)       the same sum, with room for 8 products more dots_value(h)       the
 * residue dots_few(h)         the residue of a sum that was never carried, so of at most 8 products: quicker
 *   products_dots(g, h) a sum of products g and a sum that was never carried
 * An `operand` is a residue in the form that dots_more needs, operand_of(x) for a word x: what a loop reads again and
 * again is copied to a LOCAL array of operands once.
 *
 * Loose residues, and words of 52 bits: modp_loose.h. */
#ifndef MMM_MODP_H
#define MMM_MODP_H

#include "dialect.h"

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)
#define MMM_INLINE static inline
typedef uint64_t mmm_wide;
#define MMM_P      modulus_.p
#define MMM_N      modulus_.minus_inverse
#define MMM_ONE    modulus_.one
#define MMM_SQUARE modulus_.square
#define MMM_SHIFT  modulus_.shift
#else /* MMM_P, MMM_N, MMM_ONE, MMM_SQUARE and MMM_SHIFT are numbers, defined before this text */
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

/* sum / R for a sum below p R, p odd: with 1/p for -1/p the lower halves cancel, and no carry waits for them. */
#if defined(MMM_TARGET_CUDA)
MMM_INLINE word mmm_reduce(mmm_wide sum, word p, word n)
{
    word rest = (word)(sum >> 32) - __umulhi((word)sum * (0 - n), p);
    return min(rest, rest + p);
}
#endif

MMM_INLINE word mmm_mul(word x, word y, word p, word n, int shift)
{
    mmm_wide product = (mmm_wide)x * y;
#if defined(MMM_TARGET_CUDA)
    if (shift) return mmm_reduce(product, p, n);
#endif
    word quotient = MMM_BY_PARTS ? x * (word)(y * n) : (word)product * n;
    return mmm_reduce_once((word)((product + (mmm_wide)quotient * p) >> shift), p);
}

/* The sum is below 2 p^2 < p R, so that one reduction leaves less than 2 p. */
MMM_INLINE word mmm_cross(word x, word y, word z, word w, word p, word n, int shift)
{
    mmm_wide sum = (mmm_wide)x * y + (mmm_wide)(p - z) * w;
#if defined(MMM_TARGET_CUDA)
    if (shift) return mmm_reduce(sum, p, n);
#endif
    word quotient = MMM_BY_PARTS ? (word)(x * n) * y + (word)((p - z) * n) * w : (word)sum * n;
    return mmm_reduce_once((word)((sum + (mmm_wide)quotient * p) >> shift), p);
}
#endif

/* The same, the sooner after x and w are known: the quotient comes from the factors, beside their products, as y / p
 * times x and 1 - z / p, which is (p - z) / p, times w.  Written with 1 / p twice, compilers would take it out of the
 * sum, and wait. */
#if defined(MMM_TARGET_CUDA) && MMM_WORD_BITS == 32

MMM_INLINE word mmm_cross_late(word x, word y, word z, word w, word p, word n, int shift)
{
    word other = p - z, quotient;
    mmm_wide sum;
    if (!shift) return mmm_cross(x, y, z, w, p, n, shift);
    asm("{ .reg .b32 i, k; .reg .b64 h;"
        " mul.lo.u32 i, %4, %6;"
        " mad.lo.u32 k, %8, %7, 1;"
        " mul.lo.u32 k, %5, k;"
        " mad.lo.u32 %1, %2, i, k;"
        " mul.wide.u32 h, %2, %4;"
        " mad.wide.u32 %0, %3, %5, h; }"
        : "=l"(sum), "=r"(quotient)
        : "r"(x), "r"(other), "r"(y), "r"(w), "r"(0 - n), "r"(n), "r"(z));
    word rest = (word)(sum >> 32) - __umulhi(quotient, p);
    return min(rest, rest + p);
}
#else
#define mmm_cross_late mmm_cross
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

MMM_INLINE products mmm_products_two(products sum, word x, word y, word z, word w, word p, word n, int shift)
{
    return mmm_add(sum, mmm_cross(x, y, p - z, w, p, n, shift), p);
}

MMM_INLINE word mmm_products_value(products sum, word p, word n, int shift)
{
    (void)p, (void)n, (void)shift;
    return sum;
}
#else
typedef mmm_wide products; /* below p R, which holds two products more */

MMM_INLINE products mmm_products_less(products sum, word p) /* below 2 p R */
{
#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)
    mmm_wide less = sum - ((mmm_wide)p << 32);
    return (mmm_wide)1 << 63 <= less ? sum : less;
#else
    return (mmm_wide)mmm_reduce_once((word)(sum >> 32), p) << 32 | (word)sum;
#endif
}

MMM_INLINE products mmm_products_add(products sum, mmm_wide x, mmm_wide y, word p, word n, int shift)
{
    (void)n, (void)shift;
    return mmm_products_less(sum + x * y, p);
}

MMM_INLINE products mmm_products_two(products sum, mmm_wide x, mmm_wide y, mmm_wide z, mmm_wide w, word p, word n,
                                     int shift)
{
    (void)n, (void)shift;
    return mmm_products_less(sum + x * y + z * w, p);
}

MMM_INLINE word mmm_products_value(products sum, word p, word n, int shift)
{
#if defined(MMM_TARGET_CUDA)
    if (shift) return mmm_reduce(sum, p, n);
#endif
    word odd = (word)0 - (word)(shift != 0), rest = (word)((sum + (mmm_wide)((word)sum * n) * p) >> 32);
    return (mmm_reduce_once(rest, p) & odd) | ((word)sum & 1 & ~odd);
}
#endif

#include "modp_dots.h"

#if defined(MMM_TARGET_ABSTRACT)
#define MMM_CHARGE(k, kind) mmm_count_operations(k, MMM_OPERATION_##kind),
#define MMM_REDUCTION       mmm_count_reduction(),
#else
#define MMM_CHARGE(k, kind)
#define MMM_REDUCTION
#endif

#define ONE                    MMM_ONE
#define add(x, y)              (MMM_CHARGE(1, ADD) mmm_add(x, y, MMM_P))
#define sub(x, y)              (MMM_CHARGE(1, ADD) mmm_sub(x, y, MMM_P))
#define mul(x, y)              (MMM_CHARGE(1, MUL) mmm_mul(x, y, MMM_P, MMM_N, MMM_SHIFT))
#define inv(x)                 (MMM_CHARGE(1, INVERSE) mmm_inv(x, MMM_P, MMM_N, MMM_ONE, MMM_SHIFT))
#define quo(x, y)              (MMM_CHARGE(1, INVERSE) mmm_quo(x, y, MMM_P, MMM_N, MMM_ONE, MMM_SHIFT))
#define cross(x, y, z, w)      (MMM_CHARGE(3, CROSS) mmm_cross(x, y, z, w, MMM_P, MMM_N, MMM_SHIFT))
#define cross_late(x, y, z, w) (MMM_CHARGE(3, CROSS) mmm_cross_late(x, y, z, w, MMM_P, MMM_N, MMM_SHIFT))

#define products_first(x, y)        (MMM_CHARGE(1, PRODUCTS) mmm_products_add(0, x, y, MMM_P, MMM_N, MMM_SHIFT))
#define products_add(h, x, y)       (MMM_CHARGE(2, PRODUCTS) mmm_products_add(h, x, y, MMM_P, MMM_N, MMM_SHIFT))
#define products_two(h, x, y, z, w) (MMM_CHARGE(4, PRODUCTS) mmm_products_two(h, x, y, z, w, MMM_P, MMM_N, MMM_SHIFT))
#define products_value(h)           (MMM_REDUCTION mmm_products_value(h, MMM_P, MMM_N, MMM_SHIFT))

#define operand_of(x)      MMM_OPERAND_OF(x)
#define dots_clear(h)      (MMM_DOTS_CLEAR(h))
#define dots_more(h, x, y) (MMM_CHARGE(2, PRODUCTS) MMM_DOTS_MORE(h, x, y))
#define dots_carry(h)      (MMM_DOTS_CARRY(h))
#define dots_value(h)      (MMM_REDUCTION MMM_DOTS_VALUE(h))
#define dots_few(h)        (MMM_REDUCTION MMM_DOTS_FEW(h))

/* One operation: the addition. */
#if defined(MMM_TARGET_ABSTRACT)
#define products_dots(g, h) (MMM_CHARGE(1, PRODUCTS) mmm_products_add(g, h, MMM_ONE, MMM_P, MMM_N, MMM_SHIFT))
#elif MMM_WORD_BITS == 64
#define products_dots(g, h) mmm_add(g, MMM_DOTS_FEW(h), MMM_P)
#else
#define products_dots(g, h) mmm_products_less((g) + mmm_products_less((h).low, MMM_P), MMM_P)
#endif

#include "modp_loose.h"
#include "modp_by.h"

#endif
