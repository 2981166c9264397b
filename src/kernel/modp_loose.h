/* SPDX-License-Identifier: Apache-2.0 */
/* Loose residues, below 2 m, modulo any odd m below 2^31 (of u32) or 2^63 (of u64).
 *
 * times(x, w, q, m) is x w, loose, for any x and a factor w < m that was known before, with q = floor(w 2^bits / m):
 * one operation, a high and two low products.  fold(x, m) brings a loose residue below m; it is free, being part of the
 * addition that needs it.  Both take 32 or 64 bits, as x has them; q may have 64 in any case.
 *
 * centre(x, m) is a residue below m, of u32, as a number from -m / 2 to m / 2, free as well; and lanes_ring(z, x, y, w,
 * n, m) the product of polynomials x and y of eight such numbers modulo X^8 - v, where w is v y: with n = -1 / m modulo
 * 2^32, over 2^32, loose.  Eight products fit 64 bits, p 2^32 added; two operations a product.
 *
 * times_both(x, y, u, v, n, m) is x y + u v over 2^32, loose, of u32 below m.
 *
 * times_52, times_short, times_both_52 and lanes_ring_52 are the same for words of 64 bits, with q and n for 2^52
 * instead: there are machines that multiply such numbers at once.  x is below 2^52, and so are w and m but those of
 * times_short, which are the same for all threads.  lanes_ring_52 takes any numbers below 2^52: of x below i m, y and w
 * below j m it gives less than (1 + 8 i j m / 2^52) m; and times_both_52 (1 + 2 i j m / 2^52) m.  Programs with words
 * of 32 bits have no use for them. */

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

MMM_INLINE u64 mmm_both_52(u64 x, u64 y, u64 u, u64 v, u64 n, u64 m)
{
    return mmm_ring_value_52((x * y & MMM_BELOW_52) + (u * v & MMM_BELOW_52), MMM_HIGH_52(x, y) + MMM_HIGH_52(u, v), n,
                             m);
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

MMM_INLINE u32 mmm_both_32(u32 x, u32 y, u32 u, u32 v, u32 n, u32 m)
{
    return mmm_ring_value((u64)x * y + (u64)u * v, n, m);
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

MMM_INLINE u32_lanes mmm_both_32_lanes(u32_lanes x, u32_lanes y, u32_lanes u, u32_lanes v, u32 n, u32 m)
{
    const __m512i a = (__m512i)x, b = (__m512i)y, c = (__m512i)u, d = (__m512i)v;
    const __m512i first = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    const __m512i second = _mm512_mul_epu32(_mm512_srli_epi64(c, 32), _mm512_srli_epi64(d, 32));
    const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(a, b), _mm512_mul_epu32(c, d));
    return mmm_ring_value_lanes(even, _mm512_add_epi64(first, second), n, m);
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

/* A sum of products in two parts, over 2^52. */
MMM_INLINE u64_lanes mmm_ring_value_52_lanes(u64_lanes low, u64_lanes high, u64 n, u64 m)
{
    const u64_lanes none = {0}, inverse = n - none, all = m - none;
    const __mmask8 carry = _mm512_test_epi64_mask((__m512i)low, (__m512i)(MMM_BELOW_52 - none));
    const u64_lanes quotient = MMM_LOW_52_LANES(none, low, inverse);
    const u64_lanes sum = MMM_HIGH_52_LANES(high, quotient, all) + (low >> 52);
    return (u64_lanes)_mm512_mask_sub_epi64((__m512i)sum, carry, (__m512i)sum, _mm512_set1_epi64(-1));
}

MMM_INLINE u64_lanes mmm_both_52_lanes(u64_lanes x, u64_lanes y, u64_lanes u, u64_lanes v, u64 n, u64 m)
{
    const u64_lanes none = {0};
    return mmm_ring_value_52_lanes(MMM_LOW_52_LANES(MMM_LOW_52_LANES(none, x, y), u, v),
                                   MMM_HIGH_52_LANES(MMM_HIGH_52_LANES(none, x, y), u, v), n, m);
}

MMM_INLINE void mmm_lanes_ring_52(u64_lanes *z, const u64_lanes *x, const u64_lanes *y, const u64_lanes *w, u64 n,
                                  u64 m)
{
    const u64_lanes none = {0};
    MMM_EACH(k, 8)
    {
        u64_lanes low = none, high = none;
        MMM_EACH(i, 8)
        {
            u64_lanes other = i <= k ? y[k - i] : w[k + 8 - i];
            low = MMM_LOW_52_LANES(low, x[i], other);
            high = MMM_HIGH_52_LANES(high, x[i], other);
        }
        z[k] = mmm_ring_value_52_lanes(low, high, n, m);
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
#define times_both(x, y, u, v, n, m) \
    _Generic((x), u32_lanes : mmm_both_32_lanes, default : mmm_both_32)(x, y, u, v, n, m)
#define times_both_52(x, y, u, v, n, m) \
    _Generic((x), u32_lanes : mmm_both_32_lanes, u64_lanes : mmm_both_52_lanes, default : mmm_both_52)(x, y, u, v, n, m)
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
#define times_52(x, w, q, m)            (MMM_CHARGE(1, TIMES)(word) mmm_times_52(x, w, q, m))
#define times_short(x, w, q, m)         times_52(x, w, q, m)
#define times_both(x, y, u, v, n, m)    (MMM_CHARGE(4, PRODUCTS) mmm_both_32(x, y, u, v, n, m))
#define times_both_52(x, y, u, v, n, m) (MMM_CHARGE(4, PRODUCTS)(word) mmm_both_52(x, y, u, v, n, m))
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
