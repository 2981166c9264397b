/* SPDX-License-Identifier: Apache-2.0 */
/* `dots` of modp.h, sums of many products.  Operands are residues between -p/2 and p/2, so that 8 of their products are
 * less than 2 p^2 < p R in size, and a sum starts from p R, which is 0 and keeps it above 0; what is above R goes to a
 * second number, again with p R for the first.
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
