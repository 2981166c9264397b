/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: vectors of words on the CPU where it has them, elsewhere those of one thread. */
#if !defined(MMM_VECTORS)
#define u32_lanes                      u32
#define word_lanes                     word
#define MMM_LANES(type, t)             MMM_ALL(t)
#define MMM_LANES_2D(type, x, y)       MMM_PART_2D(x, y)
#define MMM_ITEM_LANES(type, i, count) MMM_ITEMS(i, count)
#define lanes_load(e)                  (e)
#define lanes_store(e, x)              ((e) = (x))
#define lanes_load_rows(x, e)          MMM_EACH(mmm_k, 16)(x)[mmm_k] = (&(e))[mmm_k]
#define lanes_store_rows(e, x)         MMM_EACH(mmm_k, 16)(&(e))[mmm_k] = (x)[mmm_k]
#if defined(MMM_TARGET_ABSTRACT)
#define lanes_ahead(e) ((void)sizeof(e), mmm_count_ahead())
#else
#define lanes_ahead(e) (void)sizeof(e)
#endif
#define lanes_ahead_rows(e) lanes_ahead(e)
#else
/* Lanes: a vector has 16 u32 or 8 u64.  Of the last vector of a row of threads there may be only `mmm_left` lanes:
 * words are then loaded by a mask, and of rows that are not there the first one, always by the same instructions, as
 * gcc would copy all vectors of a region where two ways of loading them meet.  Items have few vectors a turn, and many
 * turns: there whole ones are loaded without a mask. */
typedef u32 u32_lanes __attribute__((vector_size(64)));
typedef u64 u64_lanes __attribute__((vector_size(64)));
#if MMM_WORD_BITS == 64
typedef u64_lanes word_lanes;
#else
typedef u32_lanes word_lanes;
#endif
#define MMM_LANES(type, t)                                                                            \
    for (int t = 0, mmm_left = block_size, mmm_of = 64 / sizeof(type), mmm_by_mask = 1; mmm_left > 0; \
         t += mmm_of, mmm_left -= mmm_of)
#define MMM_LANES_2D(type, x, y)                                                                           \
    for (int y = 0; y < block_height; y++)                                                                 \
        for (int x = 0, mmm_left = block_width, mmm_of = 64 / sizeof(type), mmm_by_mask = 1; mmm_left > 0; \
             x += mmm_of, mmm_left -= mmm_of)
#define MMM_ITEM_LANES(type, i, count)                                                             \
    for (int i = 0, mmm_left = (count), mmm_of = 64 / sizeof(type), mmm_by_mask = 0; mmm_left > 0; \
         i += mmm_of, mmm_left -= mmm_of)
#define MMM_SOME(left, of)     ((1u << ((left) < (of) ? (left) : (of))) - 1)
#define MMM_ROW_OF(i, left)    ((i) < (left) ? 16 * (i) : 0)

static inline u32_lanes mmm_load_32(const u32 *a, int left, int by_mask)
{
    if (!by_mask && left >= 16) return (u32_lanes)_mm512_loadu_si512(a);
    return (u32_lanes)_mm512_maskz_loadu_epi32((__mmask16)MMM_SOME(left, 16), a);
}

static inline u64_lanes mmm_load_64(const u64 *a, int left, int by_mask)
{
    if (!by_mask && left >= 8) return (u64_lanes)_mm512_loadu_si512(a);
    return (u64_lanes)_mm512_maskz_loadu_epi64((__mmask8)MMM_SOME(left, 8), a);
}

static inline void mmm_store_32(u32 *a, u32_lanes x, int left)
{
    if (left >= 16)
        _mm512_storeu_si512(a, (__m512i)x);
    else
        _mm512_mask_storeu_epi32(a, (__mmask16)MMM_SOME(left, 16), (__m512i)x);
}

static inline void mmm_store_64(u64 *a, u64_lanes x, int left)
{
    if (left >= 8)
        _mm512_storeu_si512(a, (__m512i)x);
    else
        _mm512_mask_storeu_epi64(a, (__mmask8)MMM_SOME(left, 8), (__m512i)x);
}

/* Quarters of four vectors: of x[i], the four that are quarter k of each become one. */
static inline void mmm_turn_quarters(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    __m512i even = _mm512_shuffle_i32x4(*a, *b, 0x88), odd = _mm512_shuffle_i32x4(*a, *b, 0xdd);
    __m512i even_2 = _mm512_shuffle_i32x4(*c, *d, 0x88), odd_2 = _mm512_shuffle_i32x4(*c, *d, 0xdd);
    *a = _mm512_shuffle_i32x4(even, even_2, 0x88);
    *b = _mm512_shuffle_i32x4(odd, odd_2, 0x88);
    *c = _mm512_shuffle_i32x4(even, even_2, 0xdd);
    *d = _mm512_shuffle_i32x4(odd, odd_2, 0xdd);
}

/* Rows to columns: 16 vectors of 16 numbers, and 8 of 8. */
static inline void mmm_turn_32(__m512i *x)
{
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i += 4)
    {
        __m512i a = _mm512_unpacklo_epi32(x[i], x[i + 1]), b = _mm512_unpackhi_epi32(x[i], x[i + 1]);
        __m512i c = _mm512_unpacklo_epi32(x[i + 2], x[i + 3]), d = _mm512_unpackhi_epi32(x[i + 2], x[i + 3]);
        x[i] = _mm512_unpacklo_epi64(a, c);
        x[i + 1] = _mm512_unpackhi_epi64(a, c);
        x[i + 2] = _mm512_unpacklo_epi64(b, d);
        x[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < 4; i++) mmm_turn_quarters(x + i, x + i + 4, x + i + 8, x + i + 12);
}

static inline void mmm_turn_64(__m512i *x)
{
    _Pragma("GCC unroll 16") for (int i = 0; i < 8; i += 2)
    {
        __m512i a = x[i];
        x[i] = _mm512_unpacklo_epi64(a, x[i + 1]);
        x[i + 1] = _mm512_unpackhi_epi64(a, x[i + 1]);
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < 2; i++) mmm_turn_quarters(x + i, x + i + 2, x + i + 4, x + i + 6);
}

static inline void mmm_load_rows_32(u32_lanes *x, const u32 *a, int left)
{
    __m512i y[16];
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) y[i] = _mm512_loadu_si512(a + MMM_ROW_OF(i, left));
    mmm_turn_32(y);
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) x[i] = (u32_lanes)y[i];
}

static inline void mmm_store_rows_32(u32 *a, const u32_lanes *x, int left)
{
    __m512i y[16];
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) y[i] = (__m512i)x[i];
    mmm_turn_32(y);
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) if (i < left) _mm512_storeu_si512(a + 16 * i, y[i]);
}

static inline void mmm_load_rows_64(u64_lanes *x, const u64 *a, int left)
{
    _Pragma("GCC unroll 16") for (int k = 0; k < 16; k += 8)
    {
        __m512i y[8];
        _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) y[i] = _mm512_loadu_si512(a + MMM_ROW_OF(i, left) + k);
        mmm_turn_64(y);
        _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) x[k + i] = (u64_lanes)y[i];
    }
}

static inline void mmm_store_rows_64(u64 *a, const u64_lanes *x, int left)
{
    _Pragma("GCC unroll 16") for (int k = 0; k < 16; k += 8)
    {
        __m512i y[8];
        _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) y[i] = (__m512i)x[k + i];
        mmm_turn_64(y);
        _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) if (i < left) _mm512_storeu_si512(a + 16 * i + k, y[i]);
    }
}
#define lanes_load(e)          _Generic((e), u64 : mmm_load_64, default : mmm_load_32)(&(e), mmm_left, mmm_by_mask)
#define lanes_store(e, x)      _Generic((e), u64 : mmm_store_64, default : mmm_store_32)(&(e), x, mmm_left)
#define lanes_load_rows(x, e)  _Generic((e), u64 : mmm_load_rows_64, default : mmm_load_rows_32)(x, &(e), mmm_left)
#define lanes_store_rows(e, x) _Generic((e), u64 : mmm_store_rows_64, default : mmm_store_rows_32)(&(e), x, mmm_left)
#define lanes_ahead(e)         _mm_prefetch((const char *)&(e), _MM_HINT_T1)
#define lanes_ahead_rows(e)    MMM_EACH(mmm_k, 16) _mm_prefetch((const char *)(&(e) + 16 * mmm_k), _MM_HINT_T1)
#endif
