/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of the kernel dialect (docs/dialect.md) are on each target.  The generator turns a kernel file into
 * text in these macros; nobody writes them by hand. */
#ifndef MMM_DIALECT_H
#define MMM_DIALECT_H

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)

#include <mmm/kernel.h>

#include <tgmath.h>
#if defined(MMM_TARGET_CPU) && defined(__AVX512DQ__)
#include <immintrin.h>
#define MMM_VECTORS 1
#endif

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
#if MMM_WORD_BITS == 64
typedef uint64_t word;
#else
typedef uint32_t word;
#endif

/* The modulus in words. */
typedef struct mmm_words {
    word p, minus_inverse, one, square;
    int shift;
} mmm_words;

/* gcc multiplies vectors of 32-bit numbers well where it sees that both factors have 32 bits; without the empty asm it
 * takes p for 64 bits of which some are 0. */
static inline mmm_words mmm_words_of(const mmm_modulus *modulus)
{
    mmm_words words = {(word)modulus->p, (word)modulus->minus_inverse, (word)modulus->one, (word)modulus->square,
                       modulus->shift};
    __asm__("" : "+r"(words.p), "+r"(words.minus_inverse), "+r"(words.square));
    return words;
}

#define MMM_KERNEL         static inline
#define MMM_FUNCTION       static inline __attribute__((unused))
#define MMM_CONSTANT(name) int name
#define MMM_CONSTANT_HERE(name)
#define MMM_BLOCK_ONLY                                                         \
    __attribute__((unused)) int block, __attribute__((unused)) int block_size, \
        __attribute__((unused)) mmm_words modulus_, __attribute__((unused)) const mmm_call *call_
#define MMM_BLOCK             , MMM_BLOCK_ONLY
#define MMM_KERNEL_BLOCK      MMM_BLOCK
#define MMM_KERNEL_BLOCK_ONLY MMM_BLOCK_ONLY
#define MMM_BEGIN_0
#define MMM_BEGIN_1
#define MMM_PASS_ONLY  block, block_size, modulus_, call_
#define MMM_PASS       , MMM_PASS_ONLY
#define blocks         (call_->grid)
#define blocks_x       (call_->grid_x)
#define blocks_y       (call_->grid / call_->grid_x)
#define block_width    (call_->threads_x)
#define block_height   (block_size / call_->threads_x)
#define block_x        (block % call_->grid_x)
#define block_y        (block / call_->grid_x)
#define MMM_LOW(low)   ((low) > 0 ? (low) : 0)
#define MMM_HIGH(high) ((high) < block_size ? (high) : block_size)

#define MMM_ALL(t) MMM_PART(t, 0, block_size)

#define MMM_ENTRIES(unit) MMM_TABLE(unit, MMM_VARIANT)
#define MMM_ENTER                                             \
    const mmm_words modulus_ = mmm_words_of(&call_->modulus); \
    const int block_size = call_->threads;

#if defined(MMM_TARGET_CPU)

MMM_API void mmm_count_no_room(mmm_scratch *scratch);

static inline void *mmm_scratch_take(mmm_scratch *scratch, size_t bytes)
{
    void *memory = scratch->memory + scratch->used;
    scratch->used += (bytes + 63) / 64 * 64;
    if (scratch->used > scratch->size) mmm_count_no_room(scratch); /* does not return */
    return memory;
}

#define MMM_MINE(x, t, k) x[(k)*block_size + (t)]
#define MMM_GLOBAL
#define MMM_ALONE(a)
#define MMM_IN_LOCAL
#define MMM_IN_PRIVATE
#define MMM_LOCAL(type, name, count, rest) \
    type(*const name) rest = mmm_scratch_take(call_->scratch, sizeof(type rest) * (size_t)(count))
#define MMM_PRIVATE(type, name, count) MMM_LOCAL(type, name, (size_t)block_size *(size_t)(count), )
#define MMM_REGION
#define MMM_GROUP_REGION
#define MMM_GROUP_ALONE
#define MMM_FIRST_GROUP
#define MMM_PART(t, low, high)                                               \
    for (int mmm_end = MMM_HIGH(high), mmm_once = 1; mmm_once; mmm_once = 0) \
    _Pragma("omp simd") for (int t = MMM_LOW(low); t < mmm_end; t++)
#define MMM_ITEMS(i, count)                                           \
    for (int mmm_end = (count), mmm_once = 1; mmm_once; mmm_once = 0) \
    _Pragma("omp simd") for (int i = 0; i < mmm_end; i++)
#define MMM_ITEMS_FROM(i, count, low) MMM_ITEMS(i, count)
#define MMM_PART_2D(x, y)                                         \
    for (int y = 0, mmm_end = block_width; y < block_height; y++) \
    _Pragma("omp simd") for (int x = 0; x < mmm_end; x++)
#if defined(__clang__)
#define MMM_EACH(k, count) _Pragma("unroll") for (int k = 0; k < (count); k++)
#else /* gcc vectorises a region only where loops in it are unrolled before */
#define MMM_EACH(k, count) _Pragma("GCC unroll 16") for (int k = 0; k < (count); k++)
#endif
#define MMM_OPS(k)       ((void)0)
#define MMM_GROUP_OPS(k) ((void)0)
#define MMM_NEXT_BLOCK   call_->scratch->used = 0;
#define MMM_FAR(a, i)    (i)
#define MMM_OWN(x, i)    (i)

/* A block runs in one thread of the system: what is LOCAL needs no atomic instruction, but must not be vectorised. */
#define MMM_ATOMIC_IN_GLOBAL(type, f, p, x, op) __atomic_##f((type *)(p), (type)(x), __ATOMIC_RELAXED)
#define MMM_ATOMIC_IN_LOCAL(type, f, p, x, op)          \
    ({                                                  \
        volatile type *mmm_p = (type *)(p);             \
        const type mmm_x = (type)(x), mmm_old = *mmm_p; \
        *mmm_p = (type)(op);                            \
        mmm_old;                                        \
    })
#define MMM_ATOMIC_ADD(type, memory, p, x)      MMM_ATOMIC_IN_##memory(type, fetch_add, p, x, mmm_old + mmm_x)
#define MMM_ATOMIC_AND(type, memory, p, x)      MMM_ATOMIC_IN_##memory(type, fetch_and, p, x, mmm_old &mmm_x)
#define MMM_ATOMIC_OR(type, memory, p, x)       MMM_ATOMIC_IN_##memory(type, fetch_or, p, x, mmm_old | mmm_x)
#define MMM_ATOMIC_XOR(type, memory, p, x)      MMM_ATOMIC_IN_##memory(type, fetch_xor, p, x, mmm_old ^ mmm_x)
#define MMM_ATOMIC_EXCHANGE(type, memory, p, x) MMM_ATOMIC_IN_##memory(type, exchange_n, p, x, mmm_x)
#define MMM_ATOMIC_CAS(type, memory, p, e, x)                                                                 \
    ({                                                                                                        \
        type mmm_old = (type)(e);                                                                             \
        __atomic_compare_exchange_n((type *)(p), &mmm_old, (type)(x), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        mmm_old;                                                                                              \
    })
#define MMM_ATOMIC_BY(type, p, x, better)                                                                   \
    ({                                                                                                      \
        type *mmm_p = (type *)(p), mmm_x = (type)(x), mmm_old = __atomic_load_n(mmm_p, __ATOMIC_RELAXED);   \
        while (mmm_x better mmm_old &&                                                                      \
               !__atomic_compare_exchange_n(mmm_p, &mmm_old, mmm_x, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) \
            ;                                                                                               \
        mmm_old;                                                                                            \
    })
#define MMM_ATOMIC_MIN(type, memory, p, x) MMM_ATOMIC_BY(type, p, x, <)
#define MMM_ATOMIC_MAX(type, memory, p, x) MMM_ATOMIC_BY(type, p, x, >)

#else /* the abstract machine: every access of a volatile object is one load or store, and is reported */

typedef enum mmm_atomic {
    MMM_ATOM_ADD,
    MMM_ATOM_MIN,
    MMM_ATOM_MAX,
    MMM_ATOM_AND,
    MMM_ATOM_OR,
    MMM_ATOM_XOR,
    MMM_ATOM_EXCHANGE,
    MMM_ATOM_CAS
} mmm_atomic;

MMM_API void mmm_count_operations(int64_t operations, int kind);
MMM_API void mmm_count_reduction(void);
MMM_API int mmm_count_region(int line);
MMM_API int mmm_count_region_end(int group);
MMM_API int mmm_count_first_group(int begin);
MMM_API int mmm_count_part(int low, int high);
MMM_API int mmm_count_items(int count, int low);
MMM_API int mmm_count_next(void);
MMM_API uint64_t mmm_count_atomic(mmm_atomic what, int size, int negative, volatile void *element, uint64_t x,
                                  uint64_t expected);
MMM_API void *mmm_count_local(const char *name, int size, int64_t count);
MMM_API void *mmm_count_private(const char *name, int size, int count);
MMM_API int64_t mmm_count_far(const volatile void *array, int64_t index);
MMM_API void mmm_count_outside(const char *array, int64_t index) __attribute__((noreturn));

#define MMM_GLOBAL     volatile
#define MMM_ALONE(a)
#define MMM_IN_LOCAL   volatile
#define MMM_IN_PRIVATE volatile
#define MMM_LOCAL(type, name, count, rest) \
    volatile type(*const name) rest =      \
        mmm_count_local(#name, sizeof(type), (int64_t)(count) * (int64_t)(sizeof(type rest) / sizeof(type)))
#define MMM_PRIVATE(type, name, count) volatile type *const name = mmm_count_private(#name, sizeof(type), count)
#define MMM_REGION                     for (int mmm_once = mmm_count_region(__LINE__); mmm_once; mmm_once = mmm_count_region_end(0))
#define MMM_GROUP_REGION               for (int mmm_once = mmm_count_region(__LINE__); mmm_once; mmm_once = mmm_count_region_end(1))
#define MMM_GROUP_ALONE                MMM_GROUP_REGION
#define MMM_PART(t, low, high)         for (int t = mmm_count_part(MMM_LOW(low), MMM_HIGH(high)); t >= 0; t = mmm_count_next())
#define MMM_ITEMS(i, count)            MMM_ITEMS_FROM(i, count, 0)
#define MMM_ITEMS_FROM(i, count, low)  for (int i = mmm_count_items(count, MMM_LOW(low)); i >= 0; i = mmm_count_next())
#define MMM_PART_2D(x, y)                                                                 \
    for (int mmm_t = mmm_count_part(0, block_size); mmm_t >= 0; mmm_t = mmm_count_next()) \
        for (int x = mmm_t % block_width, y = mmm_t / block_width, mmm_q = 1; mmm_q; mmm_q = 0)
#define MMM_FIRST_GROUP    for (int mmm_only = mmm_count_first_group(1); mmm_only; mmm_only = mmm_count_first_group(0))
#define MMM_EACH(k, count) for (int k = 0; k < (count); k++)
#define MMM_OPS(k)         mmm_count_operations(k, MMM_OPERATION_OTHER)
#define MMM_GROUP_OPS(k)   mmm_count_operations(k, MMM_OPERATION_EXCHANGE)
#define MMM_NEXT_BLOCK
/* What the hooks cannot see: an index of 64 bits that reaches another array, one outside an array on the stack. */
#define MMM_FAR(a, i)                                          \
    ({                                                         \
        const int64_t mmm_i = (int64_t)(i);                    \
        mmm_i == (int)mmm_i ? mmm_i : mmm_count_far(a, mmm_i); \
    })
#define MMM_OWN(x, i)                                                                                  \
    ({                                                                                                 \
        const int64_t mmm_i = (int64_t)(i);                                                            \
        if (mmm_i < 0 || mmm_i >= (int64_t)(sizeof(x) / sizeof((x)[0]))) mmm_count_outside(#x, mmm_i); \
        mmm_i;                                                                                         \
    })
#define MMM_MINE_OF(name, x, t, k, n)                                              \
    x[({                                                                           \
          const int64_t mmm_k##n = (int64_t)(k);                                   \
          if (mmm_k##n < 0 || mmm_k##n > 65535) mmm_count_outside(name, mmm_k##n); \
          mmm_k##n *block_size;                                                    \
      }) +                                                                         \
      (t)]
#define MMM_MINE_AT(name, x, t, k, n) MMM_MINE_OF(name, x, t, k, n)
#define MMM_MINE(x, t, k)             MMM_MINE_AT(#x, x, t, k, __COUNTER__)

#define MMM_ATOMIC(what, type, p, x, expected) \
    ((type)mmm_count_atomic(MMM_ATOM_##what, sizeof(type), (type)-1 < (type)1, p, (uint64_t)(x), (uint64_t)(expected)))
#define MMM_ATOMIC_ADD(type, memory, p, x)      MMM_ATOMIC(ADD, type, p, x, 0)
#define MMM_ATOMIC_MIN(type, memory, p, x)      MMM_ATOMIC(MIN, type, p, x, 0)
#define MMM_ATOMIC_MAX(type, memory, p, x)      MMM_ATOMIC(MAX, type, p, x, 0)
#define MMM_ATOMIC_AND(type, memory, p, x)      MMM_ATOMIC(AND, type, p, x, 0)
#define MMM_ATOMIC_OR(type, memory, p, x)       MMM_ATOMIC(OR, type, p, x, 0)
#define MMM_ATOMIC_XOR(type, memory, p, x)      MMM_ATOMIC(XOR, type, p, x, 0)
#define MMM_ATOMIC_EXCHANGE(type, memory, p, x) MMM_ATOMIC(EXCHANGE, type, p, x, 0)
#define MMM_ATOMIC_CAS(type, memory, p, e, x)   MMM_ATOMIC(CAS, type, p, x, e)

#endif

#define MMM_FIRST_PART(t) MMM_PART(t, 0, 32)

/* Words of a group of 32 threads: group by group, the values of all its threads first. */
#define MMM_GROUP_OF_32(size, code)                                          \
    for (int mmm_g = 0; mmm_g < MMM_HIGH(size); mmm_g += 32) {               \
        const int mmm_n = block_size - mmm_g < 32 ? block_size - mmm_g : 32; \
        code                                                                 \
    }
#define MMM_BALLOT(size, type, h, flag)                                                                \
    do {                                                                                               \
        MMM_GROUP_OPS(1);                                                                              \
        MMM_GROUP_OF_32(size, uint32_t mmm_v = 0; for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) mmm_v |= \
                                                  (uint32_t)(flag[mmm_g + mmm_k] != 0) << mmm_k;       \
                        for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) h[mmm_g + mmm_k] = (type)mmm_v;)   \
    } while (0)
#define MMM_SHUFFLE(size, type, h, x, from)                                                                    \
    do {                                                                                                       \
        MMM_GROUP_OPS(1);                                                                                      \
        MMM_GROUP_OF_32(                                                                                       \
            size, type mmm_v[32]; for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) mmm_v[mmm_k] = x[mmm_g + mmm_k]; \
            for (int mmm_t = mmm_g; mmm_t < mmm_g + mmm_n; mmm_t++) {                                          \
                const int mmm_f = (int)(from)&31;                                                              \
                h[mmm_t] = mmm_v[mmm_f < mmm_n ? mmm_f : mmm_t - mmm_g];                                       \
            })                                                                                                 \
    } while (0)
/* The threads of the group that have the same `bits` bits from bit `low` on as this one: a ballot for each bit. */
#define MMM_BITS(x, low, bits) ((uint64_t)(x) >> (low) & ((bits) < 64 ? ((uint64_t)1 << (bits)) - 1 : ~(uint64_t)0))
#define MMM_MATCH(size, type, h, x, low, bits)                                                                \
    do {                                                                                                      \
        MMM_GROUP_OPS(bits);                                                                                  \
        MMM_GROUP_OF_32(                                                                                      \
            size, uint64_t mmm_v[32];                                                                         \
            for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) mmm_v[mmm_k] = MMM_BITS(x[mmm_g + mmm_k], low, bits); \
            for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) {                                                     \
                uint32_t mmm_s = 0;                                                                           \
                for (int mmm_j = 0; mmm_j < mmm_n; mmm_j++)                                                   \
                    mmm_s |= (uint32_t)(mmm_v[mmm_j] == mmm_v[mmm_k]) << mmm_j;                               \
                h[mmm_g + mmm_k] = (type)mmm_s;                                                               \
            })                                                                                                \
    } while (0)
#define MMM_SCAN_ADD(size, type, h, x)                                          \
    do {                                                                        \
        MMM_GROUP_OPS(5);                                                       \
        MMM_GROUP_OF_32(                                                        \
            size, type mmm_v = 0; for (int mmm_k = 0; mmm_k < mmm_n; mmm_k++) { \
                mmm_v += x[mmm_g + mmm_k];                                      \
                h[mmm_g + mmm_k] = mmm_v;                                       \
            })                                                                  \
    } while (0)

#define MMM_POPCOUNT(x) __builtin_popcountll(sizeof(x) == 8 ? (uint64_t)(x) : (uint32_t)(x))
#if defined(MMM_VECTORS)
/* Lanes: a vector has 16 u32 or 8 u64.  Of the last vector of a row of threads there may be only `mmm_left` lanes: words
 * are then loaded by a mask, and of rows that are not there the first one, always by the same instructions, as gcc would
 * copy all vectors of a region where two ways of loading them meet. */
typedef u32 u32_lanes __attribute__((vector_size(64)));
typedef u64 u64_lanes __attribute__((vector_size(64)));
#if MMM_WORD_BITS == 64
typedef u64_lanes word_lanes;
#else
typedef u32_lanes word_lanes;
#endif
#define MMM_LANES(type, t) \
    for (int t = 0, mmm_left = block_size, mmm_of = 64 / sizeof(type); mmm_left > 0; t += mmm_of, mmm_left -= mmm_of)
#define MMM_LANES_2D(type, x, y)                                                          \
    for (int y = 0; y < block_height; y++)                                                \
        for (int x = 0, mmm_left = block_width, mmm_of = 64 / sizeof(type); mmm_left > 0; \
             x += mmm_of, mmm_left -= mmm_of)
#define MMM_SOME(left, of)    ((1u << ((left) < (of) ? (left) : (of))) - 1)
#define MMM_ROW_OF(i, left) ((i) < (left) ? 16 * (i) : 0)

static inline u32_lanes mmm_load_32(const u32 *a, int left)
{
    return (u32_lanes)_mm512_maskz_loadu_epi32((__mmask16)MMM_SOME(left, 16), a);
}

static inline u64_lanes mmm_load_64(const u64 *a, int left)
{
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
#define lanes_load(e)          _Generic((e), u64 : mmm_load_64, default : mmm_load_32)(&(e), mmm_left)
#define lanes_store(e, x)      _Generic((e), u64 : mmm_store_64, default : mmm_store_32)(&(e), x, mmm_left)
#define lanes_load_rows(x, e)  _Generic((e), u64 : mmm_load_rows_64, default : mmm_load_rows_32)(x, &(e), mmm_left)
#define lanes_store_rows(e, x) _Generic((e), u64 : mmm_store_rows_64, default : mmm_store_rows_32)(&(e), x, mmm_left)
#endif

#define spread(i) (i) /* where a word of a LOCAL array lies, so that threads meet in no bank of it */
/* Each with variables of its own, for one may stand in another. */
#define MMM_PICK(x, y, op, n)                                 \
    ({                                                        \
        __typeof__((x) + (y)) mmm_x##n = (x), mmm_y##n = (y); \
        mmm_x##n op mmm_y##n ? mmm_x##n : mmm_y##n;           \
    })
#define MMM_ABS(x, n)                        \
    ({                                       \
        __typeof__(+(x)) mmm_x##n = (x);     \
        mmm_x##n < 0 ? -mmm_x##n : mmm_x##n; \
    })
#define MMM_PICKED(x, y, op, n) MMM_PICK(x, y, op, n)
#define MMM_ABS_OF(x, n)        MMM_ABS(x, n)
#define min(x, y)               MMM_PICKED(x, y, <, __COUNTER__)
#define max(x, y)               MMM_PICKED(x, y, >, __COUNTER__)
#define abs(x)                  MMM_ABS_OF(x, __COUNTER__)

#else /* GPUs: a thread of the block runs each region once */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;
#if MMM_WORD_BITS == 64
typedef unsigned long word;
#else
typedef unsigned int word;
#endif

#define MMM_CONSTANT(name)      int mmm_constant_##name
#define MMM_CONSTANT_HERE(name) enum { name = MMM_VALUE_##name };
#define block_size              MMM_BLOCK_SIZE
#define block_width             MMM_BLOCK_WIDTH
#define block_height            (MMM_BLOCK_SIZE / MMM_BLOCK_WIDTH)
#define MMM_PART(t, low, high) \
    for (int t = MMM_THREAD, mmm_some = t >= (low) && t < (high) && t < block_size; mmm_some; mmm_some = 0)
#define MMM_ALL(t)          for (int t = MMM_THREAD, mmm_some = 1; mmm_some; mmm_some = 0)
#define MMM_ITEMS(i, count) for (int i = MMM_THREAD, mmm_end = (count); i < mmm_end; i += block_size)
#if defined(MMM_TARGET_CUDA) && MMM_WORD_BITS == 32 && MMM_BLOCK_SIZE >= 256 && MMM_BLOCK_SIZE % 128 == 0
/* Each of an SM's four schedulers has every fourth group: that of the first one is left to it. */
#define MMM_ITEMS_FROM(i, count, low)                                                                \
    for (int mmm_end = (count),                                                                      \
             i = MMM_THREAD % 128 < (low) ? mmm_end : MMM_THREAD - MMM_THREAD / 128 * (low) - (low); \
         i < mmm_end; i += block_size - block_size / 128 * (low))
#else
#define MMM_ITEMS_FROM(i, count, low)                                     \
    for (int mmm_low = (low) < block_size ? (low) : 0, mmm_end = (count), \
             i = MMM_THREAD < mmm_low ? mmm_end : MMM_THREAD - mmm_low;   \
         i < mmm_end; i += block_size - mmm_low)
#endif
#define MMM_PART_2D(x, y) for (int x = MMM_THREAD_X, y = MMM_THREAD_Y, mmm_some = 1; mmm_some; mmm_some = 0)
#define MMM_REGION        for (int mmm_once = 1; mmm_once; mmm_once = 0, MMM_BARRIER)
#define MMM_GROUP_REGION  for (int mmm_once = 1; mmm_once; mmm_once = 0, MMM_GROUP_BARRIER)
#define MMM_IN_PRIVATE
#define MMM_PRIVATE(type, name, count) type name[count] MMM_NO_VALUE
#define MMM_MINE(x, t, k)              x[k]
#define MMM_OPS(k)                     ((void)0)
#define MMM_FAR(a, i)                  (i)
#define MMM_OWN(x, i)                  (i)
#define MMM_GROUP_LEFT                 (MMM_BLOCK_SIZE - (MMM_THREAD & ~31)) /* threads of the group, if below 32 */

/* As C compares, also numbers of two types, and NaN: the devices' own functions do it otherwise.  The generator sees to
 * it that nothing is written in the arguments. */
#define spread(i)                      ((i) + ((i) >> 5)) /* threads 2, 4 ... 32 words apart meet in no bank */
#define min(x, y)                      ((x) < (y) ? (x) : (y))
#define max(x, y)                      ((x) > (y) ? (x) : (y))
#define abs(x)                         ((x) < 0 ? -(x) : (x))

/* Of a batch: the elements that a problem has of each array, as arguments, and the way to the problem's own. */
#if !defined(MMM_STRIDES)
#define MMM_STRIDES
#define MMM_TO_PROBLEM
#endif

#if defined(MMM_TARGET_CUDA)

#define MMM_NO_VALUE
#define MMM_PROBLEM  (long)blockIdx.z
/* Where few threads run at once, they may have many registers: then the compiler asks for all they read together. */
#if defined(MMM_AT_ONCE)
#define MMM_KERNEL extern "C" __global__ __launch_bounds__(MMM_BLOCK_SIZE, MMM_AT_ONCE)
#else
#define MMM_KERNEL extern "C" __global__ __launch_bounds__(MMM_BLOCK_SIZE)
#endif
#define MMM_FUNCTION static __device__ __forceinline__
#define MMM_GLOBAL
#define MMM_ALONE(a) MMM_ALONE_##a /* __restrict__ or nothing */
#define MMM_IN_LOCAL
#define blocks_x ((int)gridDim.x)
#define blocks_y ((int)gridDim.y)
#define block_x  ((int)blockIdx.x)
#define block_y  ((int)blockIdx.y)
#if MMM_DIMENSIONS == 2
#define blocks     ((int)(gridDim.x * gridDim.y))
#define block      ((int)(blockIdx.y * gridDim.x + blockIdx.x))
#define MMM_THREAD (int)(threadIdx.y * MMM_BLOCK_WIDTH + threadIdx.x)
#else
#define blocks     ((int)gridDim.x)
#define block      ((int)blockIdx.x)
#define MMM_THREAD (int)threadIdx.x
#endif
#define MMM_THREAD_X       (int)threadIdx.x
#define MMM_THREAD_Y       (int)threadIdx.y
#define MMM_BARRIER        __syncthreads()
#define MMM_GROUP_BARRIER  __syncwarp()
#define MMM_GROUP_ALONE    /* no barrier where nothing is shared */
#define MMM_POPCOUNT(x)    (sizeof(x) == 8 ? __popcll((unsigned long)(x)) : __popc((unsigned int)(x)))
#define MMM_FIRST_GROUP    if (MMM_THREAD < 32)
#define MMM_EACH(k, count) _Pragma("unroll") for (int k = 0; k < (count); k++)
#define MMM_FIRST_PART(t)  for (int t = MMM_THREAD, mmm_some = 1; mmm_some; mmm_some = 0)
/* A kernel may come before the one that it follows has written everything: before all else it waits for that.  Arrays
 * that compilers may read as early as they like are reached by a number of that moment. */
#if __CUDA_ARCH__ >= 900
#define MMM_FOLLOW                                                                       \
    int mmm_moment;                                                                      \
    asm volatile("griddepcontrol.wait; mov.u32 %0, 0;" : "=r"(mmm_moment) : : "memory"); \
    MMM_FROM(mmm_moment)
#else
#define MMM_FOLLOW
#endif
#define MMM_BEGIN_0 MMM_FOLLOW MMM_TO_PROBLEM
#define MMM_BEGIN_1 MMM_FOLLOW MMM_TO_PROBLEM
#if defined(MMM_DYNAMIC_LOCAL) /* more than 48 KB: given at the launch, and an argument says where it starts */
extern __shared__ __align__(16) unsigned char mmm_shared[];
#define MMM_LOCAL(type, name, count, rest)                          \
    type(*const name) rest = (type(*) rest)(mmm_shared + mmm_used); \
    mmm_used += (sizeof(type rest) * (count) + 15) / 16 * 16
#define MMM_BLOCK_ONLY unsigned mmm_used
#define MMM_PASS_ONLY  mmm_used
#define MMM_BLOCK      , MMM_BLOCK_ONLY
#define MMM_PASS       , MMM_PASS_ONLY
#else
#define MMM_LOCAL(type, name, count, rest) __shared__ __align__(16) type name[count] rest
#define MMM_BLOCK_ONLY
#define MMM_PASS_ONLY
#define MMM_BLOCK
#define MMM_PASS
#endif
#define MMM_KERNEL_BLOCK                        MMM_STRIDES MMM_BLOCK
#define MMM_KERNEL_BLOCK_ONLY                   MMM_BLOCK_ONLY

/* CUDA's atomics know int and the unsigned types; the bits of a signed 64-bit sum are those of the unsigned one. */
#define MMM_ATOMIC_ADD(type, memory, p, x)      mmm_atomic_add(p, (type)(x))
#define MMM_ATOMIC_MIN(type, memory, p, x)      mmm_atomic_min(p, (type)(x))
#define MMM_ATOMIC_MAX(type, memory, p, x)      mmm_atomic_max(p, (type)(x))
#define MMM_ATOMIC_AND(type, memory, p, x)      mmm_atomic_and(p, (type)(x))
#define MMM_ATOMIC_OR(type, memory, p, x)       mmm_atomic_or(p, (type)(x))
#define MMM_ATOMIC_XOR(type, memory, p, x)      mmm_atomic_xor(p, (type)(x))
#define MMM_ATOMIC_EXCHANGE(type, memory, p, x) mmm_atomic_exchange(p, (type)(x))
#define MMM_ATOMIC_CAS(type, memory, p, e, x)   mmm_atomic_cas(p, (type)(e), (type)(x))
#define MMM_ATOMIC_OF(type, as, signed_as)                    \
    MMM_FUNCTION type mmm_atomic_add(type *p, type x)         \
    {                                                         \
        return (type)atomicAdd((as *)p, (as)x);               \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_min(type *p, type x)         \
    {                                                         \
        return (type)atomicMin((signed_as *)p, (signed_as)x); \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_max(type *p, type x)         \
    {                                                         \
        return (type)atomicMax((signed_as *)p, (signed_as)x); \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_and(type *p, type x)         \
    {                                                         \
        return (type)atomicAnd((as *)p, (as)x);               \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_or(type *p, type x)          \
    {                                                         \
        return (type)atomicOr((as *)p, (as)x);                \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_xor(type *p, type x)         \
    {                                                         \
        return (type)atomicXor((as *)p, (as)x);               \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_exchange(type *p, type x)    \
    {                                                         \
        return (type)atomicExch((as *)p, (as)x);              \
    }                                                         \
    MMM_FUNCTION type mmm_atomic_cas(type *p, type e, type x) \
    {                                                         \
        return (type)atomicCAS((as *)p, (as)e, (as)x);        \
    }
MMM_ATOMIC_OF(int, int, int)
MMM_ATOMIC_OF(unsigned int, unsigned int, unsigned int)
MMM_ATOMIC_OF(long, unsigned long long, long long)
MMM_ATOMIC_OF(unsigned long, unsigned long long, unsigned long long)

/* Numbers that the compiler knows: a mask that it does not know costs more than the rest. */
#if MMM_BLOCK_SIZE % 32 == 0
#define MMM_GROUP_MASK       ~0u
#define MMM_GROUP_FROM(from) (from)
#else
#define MMM_GROUP_MASK       (MMM_GROUP_LEFT < 32 ? (1u << (MMM_GROUP_LEFT & 31)) - 1 : ~0u)
#define MMM_GROUP_FROM(from) (((from)&31) < MMM_GROUP_LEFT ? ((from)&31) : MMM_THREAD & 31)
#endif
#define MMM_BALLOT(size, type, h, flag) h[0] = (type)__ballot_sync(MMM_GROUP_MASK, flag[0] != 0)
#define MMM_SHUFFLE(size, type, h, x, from)                                    \
    do {                                                                       \
        const int mmm_f = (int)(from);                                         \
        h[0] = (type)__shfl_sync(MMM_GROUP_MASK, x[0], MMM_GROUP_FROM(mmm_f)); \
    } while (0)
/* A ballot for each bit, as CUDA's own match takes longer the more different values there are; in PTX, as the compiler
 * would test each bit twice, but for blocks that end with part of a group, where it runs out of predicates. */
MMM_FUNCTION unsigned int mmm_match(unsigned int group, unsigned int x, int bits)
{
    unsigned int same = group;
    _Pragma("unroll") for (int b = 0; b < bits; b++)
    {
        unsigned int alike;
#if MMM_BLOCK_SIZE % 32 == 0
        asm volatile("{ .reg .pred p; .reg .b32 bit; and.b32 bit, %1, %2; setp.ne.b32 p, bit, 0;"
                     " vote.sync.ballot.b32 %0, p, %3; @!p not.b32 %0, %0; }"
                     : "=r"(alike)
                     : "r"(x), "r"(1u << b), "r"(group));
#else
        alike = __ballot_sync(group, x >> b & 1) ^ ((x >> b & 1) - 1);
#endif
        same &= alike;
    }
    return same;
}
#define MMM_MATCH(size, type, h, x, low, bits)                                                                         \
    h[0] =                                                                                                             \
        (type)(mmm_match(MMM_GROUP_MASK, (unsigned int)(x[0] >> (low)), (bits) < 32 ? (bits) : 32) &                   \
               ((bits) > 32 ? mmm_match(MMM_GROUP_MASK, (unsigned int)((unsigned long)x[0] >> (low) >> 32), (bits)-32) \
                            : ~0u))
#define MMM_SCAN_ADD(size, type, h, x)                                             \
    do {                                                                           \
        type mmm_v = x[0];                                                         \
        for (int mmm_d = 1; mmm_d < 32; mmm_d *= 2) {                              \
            const type mmm_w = (type)__shfl_up_sync(MMM_GROUP_MASK, mmm_v, mmm_d); \
            if ((MMM_THREAD & 31) >= mmm_d) mmm_v += mmm_w;                        \
        }                                                                          \
        h[0] = mmm_v;                                                              \
    } while (0)

#elif defined(MMM_TARGET_OPENCL)

#pragma OPENCL FP_CONTRACT OFF
#if defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#if MMM_DIMENSIONS == 2
#define MMM_KERNEL __kernel __attribute__((reqd_work_group_size(MMM_BLOCK_WIDTH, MMM_BLOCK_SIZE / MMM_BLOCK_WIDTH, 1)))
#define blocks     ((int)(get_num_groups(0) * get_num_groups(1)))
#define block      ((int)(get_group_id(1) * get_num_groups(0) + get_group_id(0)))
#define MMM_THREAD (int)(get_local_id(1) * MMM_BLOCK_WIDTH + get_local_id(0))
#else
#define MMM_KERNEL __kernel __attribute__((reqd_work_group_size(MMM_BLOCK_SIZE, 1, 1)))
#define blocks     ((int)get_num_groups(0))
#define block      ((int)get_group_id(0))
#define MMM_THREAD (int)get_local_id(0)
#endif
/* Never called but inlined: PoCL gives a LOCAL array that a called function uses to all work-groups at once. */
#define MMM_FUNCTION                       static inline __attribute__((always_inline))
/* PoCL makes one barrier of those at the ends of both arms of an `if`, and may then let one thread choose for all what
 * comes before it: something that compilers leave where it is keeps them apart. */
MMM_FUNCTION void mmm_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if defined(POCL_DEVICE_ADDRESS_BITS)
    __asm__ volatile("");
#endif
}
#define MMM_GLOBAL                         __global
#define MMM_ALONE(a)
#define MMM_IN_LOCAL                       __local
#define blocks_x                           ((int)get_num_groups(0))
#define blocks_y                           ((int)get_num_groups(1))
#define block_x                            ((int)get_group_id(0))
#define block_y                            ((int)get_group_id(1))
#define MMM_THREAD_X                       (int)get_local_id(0)
#define MMM_THREAD_Y                       (int)get_local_id(1)
#define MMM_LOCAL(type, name, count, rest) __local type name[count] rest
#define MMM_POPCOUNT(x)                    (sizeof(x) == 8 ? (int)popcount((ulong)(x)) : (int)popcount((uint)(x)))
#define MMM_BARRIER                        mmm_barrier()
#define MMM_GROUP_BARRIER                  MMM_BARRIER
#define MMM_GROUP_ALONE                    MMM_GROUP_REGION
#define MMM_EACH(k, count)                 for (int k = 0; k < (count); k++)
#define MMM_FIRST_GROUP                    /* barriers are for all: the others come along and do nothing */
#define MMM_NO_VALUE                       = {0} /* but exchange, and what is undefined there would be so everywhere */
#define MMM_FIRST_PART(t)                  MMM_PART(t, 0, 32)
/* OpenCL 1.2 has no words for groups of threads: a kernel that uses them exchanges values in local memory. */
#define MMM_BEGIN_0                        MMM_TO_PROBLEM __local ulong *const mmm_exchange = 0;
#define MMM_BEGIN_1                             \
    __local ulong mmm_exchange[MMM_BLOCK_SIZE]; \
    MMM_TO_PROBLEM
#define MMM_PROBLEM           (long)get_group_id(2)
#define MMM_KERNEL_BLOCK      MMM_STRIDES
#define MMM_KERNEL_BLOCK_ONLY void
#define MMM_BLOCK_ONLY        __local ulong *mmm_exchange
#define MMM_PASS_ONLY         mmm_exchange
#define MMM_BLOCK             , MMM_BLOCK_ONLY
#define MMM_PASS              , MMM_PASS_ONLY

#define MMM_EXCHANGE(type) ((__local type *)mmm_exchange) /* as it is: a float's bits must not become a number */
#define MMM_GIVE(type, value)                 \
    MMM_BARRIER;                              \
    MMM_EXCHANGE(type)[MMM_THREAD] = (value); \
    MMM_BARRIER
#define MMM_GROUP_SIZE (MMM_GROUP_LEFT < 32 ? MMM_GROUP_LEFT : 32)
#define MMM_BALLOT(size, type, h, flag)                                       \
    do {                                                                      \
        uint mmm_v = 0;                                                       \
        MMM_GIVE(uint, flag[0] != 0);                                         \
        for (int mmm_k = 0; mmm_k < MMM_GROUP_SIZE; mmm_k++)                  \
            mmm_v |= MMM_EXCHANGE(uint)[(MMM_THREAD & ~31) + mmm_k] << mmm_k; \
        h[0] = (type)mmm_v;                                                   \
    } while (0)
#define MMM_SHUFFLE(size, type, h, x, from)                                                          \
    do {                                                                                             \
        const int mmm_f = (int)(from)&31;                                                            \
        MMM_GIVE(type, x[0]);                                                                        \
        h[0] = MMM_EXCHANGE(type)[mmm_f < MMM_GROUP_LEFT ? (MMM_THREAD & ~31) + mmm_f : MMM_THREAD]; \
    } while (0)
#define MMM_MATCH(size, type, h, x, low, bits)                                           \
    do {                                                                                 \
        uint mmm_v = 0;                                                                  \
        const ulong mmm_m = (bits) < 64 ? ((ulong)1 << ((bits)&63)) - 1 : ~(ulong)0;     \
        const ulong mmm_x = (ulong)x[0] >> (low)&mmm_m;                                  \
        MMM_GIVE(ulong, mmm_x);                                                          \
        for (int mmm_k = 0; mmm_k < MMM_GROUP_SIZE; mmm_k++)                             \
            mmm_v |= (uint)(mmm_exchange[(MMM_THREAD & ~31) + mmm_k] == mmm_x) << mmm_k; \
        h[0] = (type)mmm_v;                                                              \
    } while (0)
#define MMM_SCAN_ADD(size, type, h, x)                                   \
    do {                                                                 \
        type mmm_v = 0;                                                  \
        MMM_GIVE(type, x[0]);                                            \
        for (int mmm_k = MMM_THREAD & ~31; mmm_k <= MMM_THREAD; mmm_k++) \
            mmm_v += MMM_EXCHANGE(type)[mmm_k];                          \
        h[0] = mmm_v;                                                    \
    } while (0)

/* atomic_... are for 32 bits, atom_... of an extension for 64. */
#define MMM_CL_int(f)      atomic_##f
#define MMM_CL_unsigned(f) atomic_##f
#define MMM_CL_i32(f)      atomic_##f
#define MMM_CL_u32(f)      atomic_##f
#define MMM_CL_i64(f)      atom_##f
#define MMM_CL_u64(f)      atom_##f
#if MMM_WORD_BITS == 64
#define MMM_CL_word(f) atom_##f
#else
#define MMM_CL_word(f) atomic_##f
#endif
#define MMM_ATOMIC_ADD(type, memory, p, x)      MMM_CL_##type(add)(p, (type)(x))
#define MMM_ATOMIC_MIN(type, memory, p, x)      MMM_CL_##type(min)(p, (type)(x))
#define MMM_ATOMIC_MAX(type, memory, p, x)      MMM_CL_##type(max)(p, (type)(x))
#define MMM_ATOMIC_AND(type, memory, p, x)      MMM_CL_##type (and)(p, (type)(x))
#define MMM_ATOMIC_OR(type, memory, p, x)       MMM_CL_##type(or)(p, (type)(x))
#define MMM_ATOMIC_XOR(type, memory, p, x)      MMM_CL_##type (xor)(p, (type)(x))
#define MMM_ATOMIC_EXCHANGE(type, memory, p, x) MMM_CL_##type(xchg)(p, (type)(x))
#define MMM_ATOMIC_CAS(type, memory, p, e, x)   MMM_CL_##type(cmpxchg)(p, (type)(e), (type)(x))

#else
#error "define MMM_TARGET_CPU, MMM_TARGET_ABSTRACT, MMM_TARGET_CUDA or MMM_TARGET_OPENCL"
#endif
#endif
#if !defined(MMM_VECTORS) /* lanes are those of one thread */
#define u32_lanes                u32
#define word_lanes               word
#define MMM_LANES(type, t)       MMM_ALL(t)
#define MMM_LANES_2D(type, x, y) MMM_PART_2D(x, y)
#define lanes_load(e)            (e)
#define lanes_store(e, x)        ((e) = (x))
#define lanes_load_rows(x, e)    MMM_EACH(mmm_k, 16)(x)[mmm_k] = (&(e))[mmm_k]
#define lanes_store_rows(e, x)   MMM_EACH(mmm_k, 16)(&(e))[mmm_k] = (x)[mmm_k]
#define lanes_ahead(e)           (void)0
#define lanes_ahead_rows(e)      (void)0
#else
#define lanes_ahead(e)      _mm_prefetch((const char *)&(e), _MM_HINT_T1)
#define lanes_ahead_rows(e) MMM_EACH(mmm_k, 16) _mm_prefetch((const char *)(&(e) + 16 * mmm_k), _MM_HINT_T1)
#endif
#endif
