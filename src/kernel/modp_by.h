/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers of modp.h, which are known before the many words that they multiply, one by one or as lanes.
 *
 * Where vectors have no product of two words, the quotient of a multiplier by p saves the reduction of a product. */
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

MMM_INLINE word mmm_mul_by(multiplier f, word x, word p, word n, int shift)
{
    (void)n, (void)shift;
    return mmm_reduce_once(mmm_reduce_once(mmm_mul_nearly(f, x, p), 2 * p), p);
}

MMM_INLINE word mmm_cross_by(multiplier f, word x, multiplier g, word y, word p, word n, int shift)
{
    (void)n, (void)shift;
    word difference = mmm_reduce_once(mmm_mul_nearly(f, x, p) - mmm_mul_nearly(g, y, p) + 4 * p, 4 * p);
    return mmm_reduce_once(mmm_reduce_once(difference, 2 * p), p);
}
#else
MMM_INLINE word mmm_mul_by(multiplier f, word x, word p, word n, int shift)
{
    (void)n, (void)shift;
    return mmm_reduce_once(f.value * x - mmm_high_product(f.quotient, x) * p, p);
}

MMM_INLINE word mmm_cross_by(multiplier f, word x, multiplier g, word y, word p, word n, int shift)
{
    word difference = mmm_mul_by(f, x, p, n, shift) - mmm_mul_by(g, y, p, n, shift), wrapped = difference + p;
    return wrapped < difference ? wrapped : difference;
}
#endif
#define multiplier_of(x) mmm_multiplier_of(x, MMM_P, MMM_N, MMM_SHIFT)
#else
typedef word multiplier;
#define multiplier_of(x) (x)
#define mmm_mul_by       mmm_mul
#define mmm_cross_by     mmm_cross
#endif

#if defined(MMM_VECTORS)
#if MMM_WORD_BITS == 32
/* Sums of products, of the even words and of the odd ones, over R: below 2 p, as the sums are below 2 p^2 < p R. */
MMM_INLINE word_lanes mmm_over_lanes(__m512i even, __m512i odd, word p, word n)
{
    const __m512i all = _mm512_set1_epi32((int)p), minus = _mm512_set1_epi32((int)n);
    even = _mm512_add_epi64(even, _mm512_mul_epu32(_mm512_mul_epu32(even, minus), all));
    odd = _mm512_add_epi64(odd, _mm512_mul_epu32(_mm512_mul_epu32(odd, minus), all));
    return (word_lanes)_mm512_mask_shuffle_epi32(odd, 0x5555, even, 0xf5);
}

MMM_INLINE __m512i mmm_even_lanes(word f, word_lanes x)
{
    return _mm512_mul_epu32(_mm512_set1_epi32((int)f), (__m512i)x);
}

MMM_INLINE __m512i mmm_odd_lanes(word f, word_lanes x)
{
    return _mm512_mul_epu32(_mm512_set1_epi32((int)f), _mm512_srli_epi64((__m512i)x, 32));
}

MMM_INLINE word_lanes mmm_mul_by_lanes(word f, word_lanes x, word p, word n, int shift)
{
    if (!shift) return x & f; /* p = 2 */
    return mmm_fold_32_lanes(mmm_over_lanes(mmm_even_lanes(f, x), mmm_odd_lanes(f, x), p, n), p);
}

MMM_INLINE word_lanes mmm_cross_by_lanes(word f, word_lanes x, word g, word_lanes y, word p, word n, int shift)
{
    if (!shift) return (x & f) ^ (y & g);
    __m512i even = _mm512_add_epi64(mmm_even_lanes(f, x), mmm_even_lanes(p - g, y));
    __m512i odd = _mm512_add_epi64(mmm_odd_lanes(f, x), mmm_odd_lanes(p - g, y));
    return mmm_fold_32_lanes(mmm_over_lanes(even, odd, p, n), p);
}
#elif defined(MMM_BY_HALVES)
#if defined(MMM_BELOW_60)
MMM_INLINE word_lanes mmm_mul_nearly_lanes(multiplier f, word_lanes x, word p)
{
    const __m512i q0 = _mm512_set1_epi64((i64)f.quotient), q1 = _mm512_srli_epi64(q0, 32);
    __m512i x0 = (__m512i)x, x1 = _mm512_srli_epi64(x0, 32);
    word_lanes quotient = (word_lanes)_mm512_mul_epu32(x1, q1) + ((word_lanes)_mm512_mul_epu32(x1, q0) >> 32) +
                          ((word_lanes)_mm512_mul_epu32(x0, q1) >> 32);
    return x * f.value - quotient * p;
}

MMM_INLINE word_lanes mmm_mul_by_lanes(multiplier f, word_lanes x, word p, word n, int shift)
{
    (void)n, (void)shift;
    return mmm_fold_64_lanes(mmm_fold_64_lanes(mmm_mul_nearly_lanes(f, x, p), 2 * p), p);
}

MMM_INLINE word_lanes mmm_cross_by_lanes(multiplier f, word_lanes x, multiplier g, word_lanes y, word p, word n,
                                         int shift)
{
    word_lanes difference = mmm_mul_nearly_lanes(f, x, p) - mmm_mul_nearly_lanes(g, y, p) + 4 * p;
    (void)n, (void)shift;
    return mmm_fold_64_lanes(mmm_fold_64_lanes(mmm_fold_64_lanes(difference, 4 * p), 2 * p), p);
}
#else
MMM_INLINE word_lanes mmm_mul_by_lanes(multiplier f, word_lanes x, word p, word n, int shift)
{
    (void)n, (void)shift;
    return mmm_fold_64_lanes(mmm_times_64_by_one(x, f.value, f.quotient, p), p);
}

MMM_INLINE word_lanes mmm_cross_by_lanes(multiplier f, word_lanes x, multiplier g, word_lanes y, word p, word n,
                                         int shift)
{
    word_lanes difference = mmm_mul_by_lanes(f, x, p, n, shift) - mmm_mul_by_lanes(g, y, p, n, shift);
    return (word_lanes)_mm512_min_epu64((__m512i)difference, (__m512i)(difference + p));
}
#endif
#else /* a compiler that makes no vectors of such products */
MMM_INLINE word_lanes mmm_mul_by_lanes(multiplier f, word_lanes x, word p, word n, int shift)
{
    MMM_EACH(k, 8) x[k] = mmm_mul(f, x[k], p, n, shift);
    return x;
}

MMM_INLINE word_lanes mmm_cross_by_lanes(multiplier f, word_lanes x, multiplier g, word_lanes y, word p, word n,
                                         int shift)
{
    MMM_EACH(k, 8) x[k] = mmm_cross(f, x[k], g, y[k], p, n, shift);
    return x;
}
#endif
#define MMM_BY(name, x) _Generic((x), word_lanes : name##_lanes, default : name)
#else
#define MMM_BY(name, x) name
#endif

#define mul_by(f, x)         (MMM_CHARGE(1, MUL) MMM_BY(mmm_mul_by, x)(f, x, MMM_P, MMM_N, MMM_SHIFT))
#define cross_by(f, x, g, y) (MMM_CHARGE(3, CROSS) MMM_BY(mmm_cross_by, x)(f, x, g, y, MMM_P, MMM_N, MMM_SHIFT))
