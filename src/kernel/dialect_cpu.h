/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect on the CPU: a region is a loop that is vectorised. */

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
/* Parts whose condition says which threads have something to do: those from `from` on and before `to`. */
static inline i64 mmm_least(i64 x, i64 y)
{
    return x < y ? x : y;
}

static inline i64 mmm_most(i64 x, i64 y)
{
    return x > y ? x : y;
}

#define MMM_AT_0(t, x)   \
    ({                   \
        const int t = 0; \
        (x);             \
    })
#define MMM_WHERE(condition)
/* A loop of each thread, around all of them. */
#define MMM_OUTER(loop) loop
#define MMM_INNER(loop)
#define MMM_PART_WITHIN(t, low, high, from, to)                                                 \
    for (int mmm_end = (int)mmm_most(mmm_least(MMM_HIGH(high), to), 0),                         \
             mmm_first = (int)mmm_least(mmm_most(MMM_LOW(low), from), INT32_MAX), mmm_once = 1; \
         mmm_once; mmm_once = 0)                                                                \
    _Pragma("omp simd") for (int t = mmm_first; t < mmm_end; t++)
#define MMM_ALL_WITHIN(t, from, to) MMM_PART_WITHIN(t, 0, block_size, from, to)
#define MMM_ITEMS_WITHIN(i, count, from, to)                                                                \
    for (int mmm_end = (int)mmm_most(mmm_least(count, to), 0), mmm_first = (int)mmm_least(from, INT32_MAX), \
             mmm_once = 1;                                                                                  \
         mmm_once; mmm_once = 0)                                                                            \
    _Pragma("omp simd") for (int i = mmm_first; i < mmm_end; i++)
#define MMM_ITEMS_FROM_WITHIN(i, count, low, from, to) MMM_ITEMS_WITHIN(i, count, from, to)
#define MMM_PART_2D_WITHIN(x, y, from, to, from_y, to_y)                                                          \
    for (int mmm_end = (int)mmm_most(mmm_least(block_width, to), 0), mmm_first = (int)mmm_least(from, INT32_MAX), \
             mmm_bottom = (int)mmm_most(mmm_least(block_height, to_y), 0),                                        \
             mmm_top = (int)mmm_least(from_y, INT32_MAX), mmm_once = 1;                                           \
         mmm_once; mmm_once = 0)                                                                                  \
        for (int y = mmm_top; y < mmm_bottom; y++)                                                                \
    _Pragma("omp simd") for (int x = mmm_first; x < mmm_end; x++)
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
/* An index that is a sum of ints is added up in 64 bits.  One of 32 might wrap around, for all that gcc knows of a loop
 * with a condition in it, so that what lies side by side is gathered element by element. */
#define MMM_SUM(i) _Generic((i), int : (i64)0 + i, default : i)

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
