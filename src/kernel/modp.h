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
 * A `multiplier`, multiplier_of(x), is a residue that many others are multiplied by: mul_by(f, x) is mul of it and x,
 * cross_by(f, x, g, y) is cross of f, x, g and y.
 *
 * `dots` is a sum of many products, for loops inside a region: larger than `products`, and corrected less often.
 *   dots_clear(h)       h = 0
 *   dots_more(h, x, y)  h += x y for operands x and y, two operations; at most 8 times between two dots_carry
 *   dots_carry(h)       the same sum, with room for 8 products more
 *   dots_value(h)       the residue
 *   dots_few(h)         the residue of a sum that was never carried, so of at most 8 products: quicker
 *   products_dots(g, h) a sum of products g and a sum that was never carried
 * An `operand` is a residue in the form that dots_more needs, operand_of(x) for a word x: what a loop reads again and
 * again is copied to a LOCAL array of operands once. */
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

/* Sums of many products.  Operands are residues between -p/2 and p/2, so that 8 of their products are less than
 * 2 p^2 < p R in size, and a sum starts from p R, which is 0 and keeps it above 0; what is above R goes to a second
 * number, again with p R for the first.
 *
 * Any sum of m products is below m p^2.  Divided by R twice and times R^2 in Montgomery form it is divided by R once.
 */
#if defined(MMM_TARGET_ABSTRACT) /* one load or store each: the residue itself */
typedef word operand, dots;
#define MMM_OPERAND_OF(x)      (x)
#define MMM_DOTS_CLEAR(h)      (h) = 0
#define MMM_DOTS_MORE(h, x, y) (h) = mmm_add(h, mmm_mul(x, y, MMM_P, MMM_N, MMM_SHIFT), MMM_P)
#define MMM_DOTS_CARRY(h)      (void)0
#define MMM_DOTS_VALUE(h)      (h)
#define MMM_DOTS_FEW(h)        (h)
#elif MMM_WORD_BITS == 64
#if defined(MMM_TARGET_CPU) && defined(__AVX512DQ__) && !defined(__clang__) /* by halves, which gcc vectorises */
#define MMM_BY_HALVES 1
#define MMM_LOWER     ((word)0xffffffff)
#undef MMM_HIGH_PRODUCT
#define MMM_HIGH_PRODUCT(x, y) mmm_high_product(x, y)

MMM_INLINE word mmm_high_product(word x, word y)
{
    word x0 = x & MMM_LOWER, x1 = x >> 32, y0 = y & MMM_LOWER, y1 = y >> 32;
    word middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (middle & MMM_LOWER);
    return x1 * y1 + (middle >> 32) + (other >> 32);
}
#endif

#if defined(MMM_BY_HALVES) && defined(MMM_BELOW_60) /* halves of 30 bits, of whose products 16 fit 64 bits */
#define MMM_LOWER_30      ((word)0x3fffffff)
typedef word operand;
typedef struct dots {
    word low, middle, high, top; /* low + 2^30 middle + 2^60 high + 2^90 top, the first three below 2^30 when carried */
} dots;
#define MMM_OPERAND_OF(x) (x)
#define MMM_DOTS_CLEAR(h) (h).low = (h).middle = (h).high = (h).top = 0
#define MMM_DOTS_MORE(h, x, y)                                                                                   \
    ({                                                                                                           \
        const word mmm_x0 = (x)&MMM_LOWER_30, mmm_x1 = (x) >> 30, mmm_y0 = (y)&MMM_LOWER_30, mmm_y1 = (y) >> 30; \
        (h).low += mmm_x0 * mmm_y0;                                                                              \
        (h).middle += mmm_x0 * mmm_y1;                                                                           \
        (h).middle += mmm_x1 * mmm_y0;                                                                           \
        (h).high += mmm_x1 * mmm_y1;                                                                             \
    })
#define MMM_DOTS_CARRY(h)                                                                                           \
    (h).middle += (h).low >> 30, (h).low &= MMM_LOWER_30, (h).high += (h).middle >> 30, (h).middle &= MMM_LOWER_30, \
        (h).top += (h).high >> 30, (h).high &= MMM_LOWER_30
#else
typedef i64 operand;

MMM_INLINE operand mmm_operand_of(word x, word p)
{
    word less = x - p;
    return (operand)(x > p / 2 ? less : x);
}
#define MMM_OPERAND_OF(x) mmm_operand_of(x, MMM_P)
#define MMM_DOTS_FEW(h)   mmm_dots_few(MMM_DOTS_PARTS(h), MMM_P, MMM_N)
#if defined(MMM_BY_HALVES)
typedef struct dots {
    word low, high, above, top; /* low + 2^32 middle + R (high + above) + 2^32 R top, low and middle below 2^32 */
    i64 middle;
} dots;

#define MMM_DOTS_CLEAR(h) (h).low = (h).above = (h).top = 0, (h).middle = 0, (h).high = MMM_P
#define MMM_DOTS_MORE(h, x, y)                                                            \
    ({                                                                                    \
        const i64 mmm_x = (x), mmm_y = (y), mmm_x1 = mmm_x >> 32, mmm_y1 = mmm_y >> 32;   \
        const word mmm_x0 = (word)mmm_x & MMM_LOWER, mmm_y0 = (word)mmm_y & MMM_LOWER;    \
        (h).low += mmm_x0 * mmm_y0;                                                       \
        (h).middle += (i64)((h).low >> 32) + (i64)mmm_x0 * mmm_y1 + mmm_x1 * (i64)mmm_y0; \
        (h).low &= MMM_LOWER;                                                             \
        (h).high += (word)((h).middle >> 32) + (word)(mmm_x1 * mmm_y1);                   \
        (h).middle &= (i64)MMM_LOWER;                                                     \
    })
#define MMM_DOTS_CARRY(h) (h).above += (h).high & MMM_LOWER, (h).top += (h).high >> 32, (h).high = MMM_P
#define MMM_DOTS_PARTS(h)                                                    \
    (h).low | (word)(h).middle << 32, (h).high, (h).above + ((h).top << 32), \
        ((h).top >> 32) + ((h).above + ((h).top << 32) < (h).above)
#elif defined(MMM_TARGET_CPU)
typedef struct dots {
    unsigned __int128 sum, above; /* sum + R above */
} dots;
#define MMM_DOTS_CLEAR(h)      (h).sum = (unsigned __int128)MMM_P << 64, (h).above = 0
#define MMM_DOTS_MORE(h, x, y) (h).sum += (unsigned __int128)((__int128)(x) * (y))
#define MMM_DOTS_CARRY(h)      (h).above += (word)((h).sum >> 64), (h).sum = (word)(h).sum | (unsigned __int128)MMM_P << 64
#define MMM_DOTS_PARTS(h)      (word)(h).sum, (word)((h).sum >> 64), (word)(h).above, (word)((h).above >> 64)
#else
#if defined(MMM_TARGET_CUDA)
#define MMM_HIGH_SIGNED(x, y) (word) __mul64hi(x, y)
#else
#define MMM_HIGH_SIGNED(x, y) (word) mul_hi(x, y)
#endif
typedef struct dots {
    word low, high, above, top; /* low + R (high + above) + R^2 top */
} dots;

MMM_INLINE void mmm_dots_more(dots *sum, operand x, operand y)
{
    word low = (word)x * (word)y;
    sum->low += low;
    sum->high += MMM_HIGH_SIGNED(x, y) + (sum->low < low);
}

MMM_INLINE void mmm_dots_carry(dots *sum, word p)
{
    sum->above += sum->high;
    sum->top += sum->above < sum->high;
    sum->high = p;
}
#define MMM_DOTS_CLEAR(h)      (h).low = (h).above = (h).top = 0, (h).high = MMM_P
#define MMM_DOTS_MORE(h, x, y) mmm_dots_more(&(h), x, y)
#define MMM_DOTS_CARRY(h)      mmm_dots_carry(&(h), MMM_P)
#define MMM_DOTS_PARTS(h)      (h).low, (h).high, (h).above, (h).top
#endif
#endif

MMM_INLINE word mmm_dots_high(word low, word p, word n) /* low / R mod p, at most p */
{
    return MMM_HIGH_PRODUCT(low * n, p) + (low != 0);
}

MMM_INLINE word mmm_dots_few(word low, word high, word above, word top, word p, word n)
{
    (void)above, (void)top;
    return mmm_reduce_once(mmm_reduce_once(high, p) + mmm_dots_high(low, p, n), p);
}

MMM_INLINE word mmm_dots_value(word low, word high, word above, word top, word p, word n, word square, int shift)
{
    word two = above + high, three = two + mmm_dots_high(low, p, n);
    word rest = top + (two < high) + (three < two) + mmm_dots_high(three, p, n), product = rest * square;
    (void)shift;
    return mmm_reduce_once(MMM_HIGH_PRODUCT(rest, square) + mmm_dots_high(product, p, n), p);
}
#if defined(MMM_LOWER_30) /* what was not carried yet, is in the parts */
#define MMM_CARRIED(low, middle, high)         \
    middle += low >> 30, high += middle >> 30; \
    const word whole = (low & MMM_LOWER_30) | (middle & MMM_LOWER_30) << 30 | high << 60

MMM_INLINE word mmm_dots_few_60(word low, word middle, word high, word p, word n)
{
    MMM_CARRIED(low, middle, high);
    return mmm_dots_few(whole, high >> 4, 0, 0, p, n);
}

MMM_INLINE word mmm_dots_value_60(word low, word middle, word high, word top, word p, word n, word square, int shift)
{
    MMM_CARRIED(low, middle, high);
    top += high >> 30;
    return mmm_dots_value(whole, (high & MMM_LOWER_30) >> 4 | top << 26, 0, top >> 38, p, n, square, shift);
}
#define MMM_DOTS_FEW(h)   mmm_dots_few_60((h).low, (h).middle, (h).high, MMM_P, MMM_N)
#define MMM_DOTS_VALUE(h) mmm_dots_value_60((h).low, (h).middle, (h).high, (h).top, MMM_P, MMM_N, MMM_SQUARE, MMM_SHIFT)
#else
#define MMM_DOTS_VALUE(h) mmm_dots_value(MMM_DOTS_PARTS(h), MMM_P, MMM_N, MMM_SQUARE, MMM_SHIFT)
#endif
#else
#if defined(MMM_TARGET_CPU) && defined(__AVX512DQ__) /* vectors of 64-bit numbers multiply as quickly, and unmoved */
typedef i64 operand;
#else
typedef i32 operand;
#endif
typedef struct dots {
    mmm_wide low, high; /* low + R high */
} dots;

MMM_INLINE operand mmm_operand_of(word x, word p)
{
    word less = x - p;
    return (i32)(x > p / 2 ? less : x);
}

/* All in numbers of 64 bits and without a branch, so that gcc vectorises loops around loops with it; and for p = 2 the
 * last bit of the sum. */
#define MMM_LOWER ((mmm_wide)0xffffffff)

MMM_INLINE mmm_wide mmm_dots_once(mmm_wide value, mmm_wide sum, mmm_wide p, int shift)
{
    mmm_wide less = value - p, odd = (mmm_wide)0 - (mmm_wide)(shift != 0);
    return ((less < value ? less : value) & odd) | (sum & 1 & ~odd);
}

MMM_INLINE mmm_wide mmm_dots_few(mmm_wide sum, mmm_wide p, mmm_wide n, int shift)
{
#if defined(MMM_TARGET_CUDA)
    if (shift)
        return mmm_reduce((mmm_wide)mmm_reduce_once((word)(sum >> 32), (word)p) << 32 | (word)sum, (word)p, (word)n);
#endif
    mmm_wide low = sum & MMM_LOWER, high = sum >> 32, less = high - p;
    return mmm_dots_once((less < high ? less : high) + (((low * n & MMM_LOWER) * p + low) >> 32), sum, p, shift);
}

MMM_INLINE mmm_wide mmm_dots_value(mmm_wide sum, mmm_wide high, mmm_wide p, mmm_wide n, mmm_wide square, int shift)
{
    mmm_wide low = sum & MMM_LOWER, above = high + (sum >> 32) + (((low * n & MMM_LOWER) * p + low) >> 32);
    mmm_wide product = ((above + (above * n & MMM_LOWER) * p) >> 32) * square;
    return mmm_dots_once((product + (product * n & MMM_LOWER) * p) >> 32, sum, p, shift);
}
/* Not functions: gcc keeps arrays of such sums in registers only where it sees the members written one by one. */
#define MMM_OPERAND_OF(x)      mmm_operand_of(x, MMM_P)
#define MMM_DOTS_CLEAR(h)      (h).low = (mmm_wide)MMM_P << 32, (h).high = 0
#define MMM_DOTS_MORE(h, x, y) (h).low += (mmm_wide)((i64)(x) * (y))
#define MMM_DOTS_CARRY(h)      (h).high += (h).low >> 32, (h).low = ((h).low & MMM_LOWER) | (mmm_wide)MMM_P << 32
#define MMM_DOTS_VALUE(h)      mmm_dots_value((h).low, (h).high, MMM_P, MMM_N, MMM_SQUARE, MMM_SHIFT)
#define MMM_DOTS_FEW(h)        mmm_dots_few((h).low, MMM_P, MMM_N, MMM_SHIFT)
#endif

/* Multipliers are known before the many words that they multiply: with the quotient of one by p, a product costs no
 * reduction.  Only where that can be done for vectors of words it is quicker. */
#if defined(MMM_BY_HALVES)
typedef struct multiplier {
    word value, quotient; /* value out of its form, below p; 2^64 value / p */
} multiplier;

MMM_INLINE multiplier mmm_multiplier_of(word x, word p, word n, int shift)
{
    word value = mmm_mul(x, 1, p, n, shift);
    return (multiplier){value, (word)(((unsigned __int128)value << 64) / p)};
}

#if defined(MMM_BELOW_60) /* the quotient may be 2 too small, which leaves less than 4 p */
MMM_INLINE word mmm_mul_nearly(multiplier f, word x, word p)
{
    word x0 = x & MMM_LOWER, x1 = x >> 32, q0 = f.quotient & MMM_LOWER, q1 = f.quotient >> 32;
    return f.value * x - (x1 * q1 + (x1 * q0 >> 32) + (x0 * q1 >> 32)) * p;
}

MMM_INLINE word mmm_mul_by(multiplier f, word x, word p)
{
    return mmm_reduce_once(mmm_reduce_once(mmm_mul_nearly(f, x, p), 2 * p), p);
}

MMM_INLINE word mmm_cross_by(multiplier f, word x, multiplier g, word y, word p)
{
    word difference = mmm_reduce_once(mmm_mul_nearly(f, x, p) - mmm_mul_nearly(g, y, p) + 4 * p, 4 * p);
    return mmm_reduce_once(mmm_reduce_once(difference, 2 * p), p);
}
#else
MMM_INLINE word mmm_mul_by(multiplier f, word x, word p)
{
    return mmm_reduce_once(f.value * x - mmm_high_product(f.quotient, x) * p, p);
}

MMM_INLINE word mmm_cross_by(multiplier f, word x, multiplier g, word y, word p)
{
    word difference = mmm_mul_by(f, x, p) - mmm_mul_by(g, y, p), wrapped = difference + p;
    return wrapped < difference ? wrapped : difference;
}
#endif
#define MMM_MULTIPLIER_OF(x)     mmm_multiplier_of(x, MMM_P, MMM_N, MMM_SHIFT)
#define MMM_MUL_BY(f, x)         mmm_mul_by(f, x, MMM_P)
#define MMM_CROSS_BY(f, x, g, y) mmm_cross_by(f, x, g, y, MMM_P)
#else
typedef word multiplier;
#define MMM_MULTIPLIER_OF(x)     (x)
#define MMM_MUL_BY(f, x)         mmm_mul(f, x, MMM_P, MMM_N, MMM_SHIFT)
#define MMM_CROSS_BY(f, x, g, y) mmm_cross(f, x, g, y, MMM_P, MMM_N, MMM_SHIFT)
#endif

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
#define multiplier_of(x)       MMM_MULTIPLIER_OF(x)
#define mul_by(f, x)           (MMM_CHARGE(1, MUL) MMM_MUL_BY(f, x))
#define cross_by(f, x, g, y)   (MMM_CHARGE(3, CROSS) MMM_CROSS_BY(f, x, g, y))

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

/* ---- Loose residues, below 2 m, modulo any odd m below 2^31 (of u32) or 2^63 (of u64) ------------------------------
 *
 * times(x, w, q, m) is x w, loose, for any x and a factor w < m that was known before, with q = floor(w 2^bits / m):
 * one operation, a high and two low products.  fold(x, m) brings a loose residue below m; it is free, being part of the
 * addition that needs it.  Both take 32 or 64 bits, as x has them; q may have 64 in any case.
 *
 * centre(x, m) is a residue below m, of u32, as a number from -m / 2 to m / 2, free as well; and lanes_ring(z, x, y, w,
 * n, m) the product of polynomials x and y of eight such numbers modulo X^8 - v, where w is v y: with n = -1 / m modulo
 * 2^32, over 2^32, loose.  Eight products fit 64 bits, p 2^32 added; two operations a product.
 *
 * times_52, times_short and lanes_ring_52 are the same for words of 64 bits, with q and n for 2^52 instead: there are
 * machines that multiply such numbers at once.  x is below 2^52, and so are w and m but those of times_short, which are
 * the same for all threads.  lanes_ring_52 takes any numbers below 2^52: of x below i m, y and w below j m it gives
 * less than (1 + 8 i j m / 2^52) m.  Programs with words of 32 bits have no use for them. */

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)
#define MMM_HIGH_32(x, q) (u32)((x) * (q) >> 32)
#elif defined(MMM_TARGET_CUDA)
#define MMM_HIGH_32(x, q) __umulhi(x, (u32)(q))
#else
#define MMM_HIGH_32(x, q) mul_hi(x, (u32)(q))
#endif
#if defined(MMM_TARGET_CUDA) /* functions of one name */
#define MMM_HIGH_64(x, y)                __umul64hi(x, y)
#define mmm_times_64                     mmm_times_32
#define mmm_fold_64                      mmm_fold_32
#define MMM_BY_SIZE(x, call_32, call_64) call_32
#else
#if defined(MMM_TARGET_OPENCL)
#define MMM_HIGH_64(x, y) mul_hi(x, y)
#else
#define MMM_HIGH_64(x, y) (u64)(((unsigned __int128)(x) * (y)) >> 64)
#endif
#define MMM_BY_SIZE(x, call_32, call_64) __builtin_choose_expr(sizeof(x) == 8, call_64, call_32)
#endif

MMM_INLINE u32 mmm_times_32(u32 x, u32 w, u64 q, u32 m) /* q has 32 bits; as 64 of them gcc need not widen it */
{
    return x * w - MMM_HIGH_32(x, q) * m;
}

MMM_INLINE u32 mmm_fold_32(u32 x, u32 m)
{
    u32 y = x - m;
    return y < x ? y : x;
}

MMM_INLINE u64 mmm_times_64(u64 x, u64 w, u64 q, u64 m)
{
    return x * w - MMM_HIGH_64(x, q) * m;
}

MMM_INLINE u64 mmm_fold_64(u64 x, u64 m)
{
    u64 y = x - m;
    return y < x ? y : x;
}

#define MMM_BELOW_52      0xfffffffffffff
#define MMM_HIGH_52(x, y) MMM_HIGH_64((x) << 12, y)

MMM_INLINE u64 mmm_times_52(u64 x, u64 w, u64 q, u64 m)
{
    return x * w - MMM_HIGH_52(x, q) * m;
}

MMM_INLINE u64 mmm_ring_value_52(u64 low, u64 high, u64 n, u64 m)
{
    u64 rest = low & MMM_BELOW_52;
    return high + (low >> 52) + MMM_HIGH_52(rest * n & MMM_BELOW_52, m) + (rest != 0);
}

MMM_INLINE u32 mmm_centre_32(u32 x, u32 m)
{
    return x > m / 2 ? x - m : x;
}

MMM_INLINE u32 mmm_ring_value(u64 sum, u32 n, u32 m)
{
    u32 low = (u32)sum;
    return mmm_fold_32((u32)(sum >> 32), m) + (u32)((u64)(low * n) * m >> 32) + (low != 0);
}

#if defined(MMM_VECTORS)
/* High products of the even numbers and of the odd ones, which are merged. */
MMM_INLINE u32_lanes mmm_high_32_lanes(u32_lanes x, u32_lanes q, u32_lanes q_odd)
{
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)x, 32), (__m512i)q_odd);
    return (u32_lanes)_mm512_mask_shuffle_epi32(odd, 0x5555, _mm512_mul_epu32((__m512i)x, (__m512i)q), 0xf5);
}

MMM_INLINE u32_lanes mmm_times_32_lanes(u32_lanes x, u32_lanes w, u32_lanes q, u32 m)
{
    return x * w - mmm_high_32_lanes(x, q, (u32_lanes)_mm512_srli_epi64((__m512i)q, 32)) * m;
}

MMM_INLINE u32_lanes mmm_times_32_by_one(u32_lanes x, u32 w, u32 q, u32 m)
{
    u32_lanes all = q - (u32_lanes){0};
    return x * w - mmm_high_32_lanes(x, all, all) * m;
}

MMM_INLINE u32_lanes mmm_fold_32_lanes(u32_lanes x, u32 m)
{
    return (u32_lanes)_mm512_min_epu32((__m512i)x, (__m512i)(x - m));
}

MMM_INLINE u32_lanes mmm_centre_32_lanes(u32_lanes x, u32 m)
{
    __m512i value = (__m512i)x, all = (__m512i)(m - (u32_lanes){0});
    __mmask16 above = _mm512_cmpgt_epu32_mask(value, _mm512_srli_epi32(all, 1));
    return (u32_lanes)_mm512_mask_sub_epi32(value, above, value, all);
}

MMM_INLINE u32_lanes mmm_ring_value_lanes(__m512i even, __m512i odd, u32 n, u32 m)
{
    u32_lanes all = m - (u32_lanes){0}, low = (u32_lanes)_mm512_mask_shuffle_epi32(even, 0xaaaa, odd, 0xa0);
    u32_lanes high = (u32_lanes)_mm512_mask_shuffle_epi32(odd, 0x5555, even, 0xf5);
    __m512i sum = (__m512i)(mmm_fold_32_lanes(high, m) + mmm_high_32_lanes(low * n, all, all));
    __mmask16 carry = _mm512_test_epi32_mask((__m512i)low, (__m512i)low);
    return (u32_lanes)_mm512_mask_sub_epi32(sum, carry, sum, _mm512_set1_epi32(-1));
}

MMM_INLINE void mmm_lanes_ring(u32_lanes *z, const u32_lanes *x, const u32_lanes *y, const u32_lanes *w, u32 n, u32 m)
{
    const __m512i start = _mm512_set1_epi64((i64)((u64)m << 32));
    MMM_EACH(k, 8)
    {
        __m512i even = start, odd = start;
        MMM_EACH(i, 8)
        {
            __m512i a = (__m512i)x[i], b = (__m512i)(i <= k ? y[k - i] : w[k + 8 - i]);
            even = _mm512_add_epi64(even, _mm512_mul_epi32(a, b));
            odd = _mm512_add_epi64(odd, _mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)));
        }
        z[k] = mmm_ring_value_lanes(even, odd, n, m);
    }
}

MMM_INLINE u64_lanes mmm_high_64_lanes(u64_lanes x, u64_lanes q)
{
    __m512i x0 = (__m512i)x, x1 = (__m512i)(x >> 32), q0 = (__m512i)q, q1 = (__m512i)(q >> 32);
    u64_lanes middle = (u64_lanes)_mm512_mul_epu32(x1, q0) + ((u64_lanes)_mm512_mul_epu32(x0, q0) >> 32);
    u64_lanes other = (u64_lanes)_mm512_mul_epu32(x0, q1) + (middle & 0xffffffff);
    return (u64_lanes)_mm512_mul_epu32(x1, q1) + (middle >> 32) + (other >> 32);
}

MMM_INLINE u64_lanes mmm_times_64_lanes(u64_lanes x, u64_lanes w, u64_lanes q, u64 m)
{
    return x * w - mmm_high_64_lanes(x, q) * m;
}

MMM_INLINE u64_lanes mmm_times_64_by_one(u64_lanes x, u64 w, u64 q, u64 m)
{
    return mmm_times_64_lanes(x, w - (u64_lanes){0}, q - (u64_lanes){0}, m);
}

MMM_INLINE u64_lanes mmm_fold_64_lanes(u64_lanes x, u64 m)
{
    return (u64_lanes)_mm512_min_epu64((__m512i)x, (__m512i)(x - m));
}

/* The lower and the upper 52 bits of a product of such numbers, added to a sum. */
#if defined(__AVX512IFMA__)
#define MMM_LOW_52_LANES(sum, x, y)  (u64_lanes) _mm512_madd52lo_epu64((__m512i)(sum), (__m512i)(x), (__m512i)(y))
#define MMM_HIGH_52_LANES(sum, x, y) (u64_lanes) _mm512_madd52hi_epu64((__m512i)(sum), (__m512i)(x), (__m512i)(y))
#else
#define MMM_LOW_52_LANES(sum, x, y)  ((sum) + ((x) * (y)&MMM_BELOW_52))
#define MMM_HIGH_52_LANES(sum, x, y) ((sum) + mmm_high_64_lanes((x) << 12, y))
#endif

MMM_INLINE u64_lanes mmm_times_52_lanes(u64_lanes x, u64_lanes w, u64_lanes q, u64 m)
{
    const u64_lanes none = {0}, minus = (((u64)1 << 52) - m) - none;
    return MMM_LOW_52_LANES(MMM_LOW_52_LANES(none, x, w), MMM_HIGH_52_LANES(none, x, q), minus) & MMM_BELOW_52;
}

MMM_INLINE u64_lanes mmm_times_52_by_one(u64_lanes x, u64 w, u64 q, u64 m)
{
    return mmm_times_52_lanes(x, w - (u64_lanes){0}, q - (u64_lanes){0}, m);
}

MMM_INLINE u64_lanes mmm_times_short_by_one(u64_lanes x, u64 w, u64 q, u64 m)
{
    const u64_lanes none = {0}, all = q - none;
    return x * w - MMM_HIGH_52_LANES(none, x, all) * m;
}

MMM_INLINE void mmm_lanes_ring_52(u64_lanes *z, const u64_lanes *x, const u64_lanes *y, const u64_lanes *w, u64 n,
                                  u64 m)
{
    const u64_lanes none = {0}, inverse = n - none, all = m - none;
    MMM_EACH(k, 8)
    {
        u64_lanes low = none, high = none;
        MMM_EACH(i, 8)
        {
            u64_lanes other = i <= k ? y[k - i] : w[k + 8 - i];
            low = MMM_LOW_52_LANES(low, x[i], other);
            high = MMM_HIGH_52_LANES(high, x[i], other);
        }
        __mmask8 carry = _mm512_test_epi64_mask((__m512i)low, (__m512i)(MMM_BELOW_52 - none));
        u64_lanes quotient = MMM_LOW_52_LANES(none, low, inverse);
        high = MMM_HIGH_52_LANES(high, quotient, all) + (low >> 52);
        z[k] = (u64_lanes)_mm512_mask_sub_epi64((__m512i)high, carry, (__m512i)high, _mm512_set1_epi64(-1));
    }
}
#define times(x, w, q, m)                             \
    _Generic((x), u32_lanes                           \
             : _Generic((w), u32_lanes                \
                        : mmm_times_32_lanes, default \
                        : mmm_times_32_by_one),       \
               u64_lanes                              \
             : _Generic((w), u64_lanes                \
                        : mmm_times_64_lanes, default \
                        : mmm_times_64_by_one),       \
               u64                                    \
             : mmm_times_64, default                  \
             : mmm_times_32)(x, w, q, m)
#define fold(x, m)                          \
    _Generic((x), u32_lanes                 \
             : mmm_fold_32_lanes, u64_lanes \
             : mmm_fold_64_lanes, u64       \
             : mmm_fold_64, default         \
             : mmm_fold_32)(x, m)
#define centre(x, m)                 _Generic((x), u32_lanes : mmm_centre_32_lanes, default : mmm_centre_32)(x, m)
#define lanes_ring(z, x, y, w, n, m) mmm_lanes_ring(z, x, y, w, n, m)
#define times_52(x, w, q, m)                          \
    _Generic((x), u32_lanes                           \
             : _Generic((w), u32_lanes                \
                        : mmm_times_32_lanes, default \
                        : mmm_times_32_by_one),       \
               u64_lanes                              \
             : _Generic((w), u64_lanes                \
                        : mmm_times_52_lanes, default \
                        : mmm_times_52_by_one),       \
               default                                \
             : mmm_times_52)(x, w, q, m)
#define times_short(x, w, q, m)                \
    _Generic((x), u32_lanes                    \
             : mmm_times_32_by_one, u64_lanes  \
             : mmm_times_short_by_one, default \
             : mmm_times_52)(x, w, q, m)
#if MMM_WORD_BITS == 64
#define lanes_ring_52(z, x, y, w, n, m) mmm_lanes_ring_52(z, x, y, w, n, m)
#else
#define lanes_ring_52(z, x, y, w, n, m) mmm_lanes_ring(z, x, y, w, n, m)
#endif
#else
#define times_52(x, w, q, m)    (MMM_CHARGE(1, TIMES)(word) mmm_times_52(x, w, q, m))
#define times_short(x, w, q, m) times_52(x, w, q, m)
#define lanes_ring_52(z, x, y, w, n, m)                                                               \
    do {                                                                                              \
        MMM_EACH(mmm_k, 8)                                                                            \
        {                                                                                             \
            u64 mmm_low = 0, mmm_high = 0;                                                            \
            MMM_EACH(mmm_i, 8)                                                                        \
            {                                                                                         \
                u64 mmm_x = (x)[mmm_i];                                                               \
                u64 mmm_y = mmm_i <= mmm_k ? (y)[(mmm_k - mmm_i) & 7] : (w)[(mmm_k + 8 - mmm_i) & 7]; \
                mmm_low += mmm_x * mmm_y & MMM_BELOW_52;                                              \
                mmm_high += MMM_HIGH_52(mmm_x, mmm_y);                                                \
            }                                                                                         \
            (z)[mmm_k] = (word)mmm_ring_value_52(mmm_low, mmm_high, n, m);                            \
        }                                                                                             \
        MMM_CHARGE(128, PRODUCTS)(void) 0;                                                            \
    } while (0)
#define times(x, w, q, m) (MMM_CHARGE(1, TIMES) MMM_BY_SIZE(x, mmm_times_32(x, w, q, m), mmm_times_64(x, w, q, m)))
#define fold(x, m)        MMM_BY_SIZE(x, mmm_fold_32(x, m), mmm_fold_64(x, m))
#define centre(x, m)      mmm_centre_32(x, m)
#define lanes_ring(z, x, y, w, n, m)                                                                           \
    do {                                                                                                       \
        MMM_EACH(mmm_k, 8)                                                                                     \
        {                                                                                                      \
            u64 mmm_sum = (u64)(m) << 32;                                                                      \
            MMM_EACH(mmm_i, 8)                                                                                 \
            mmm_sum += (u64)((i64)(i32)(x)[mmm_i] *                                                            \
                             (i32)(mmm_i <= mmm_k ? (y)[(mmm_k - mmm_i) & 7] : (w)[(mmm_k + 8 - mmm_i) & 7])); \
            (z)[mmm_k] = mmm_ring_value(mmm_sum, n, m);                                                        \
        }                                                                                                      \
        MMM_CHARGE(128, PRODUCTS)(void) 0;                                                                     \
    } while (0)
#endif

#endif
