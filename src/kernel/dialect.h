/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel dialect: plain C plus these words, for four targets from one source.
 *
 *   KERNEL void name(GLOBAL word *a, int i, CONSTANT(s) MMM_BLOCK) { ... }
 *                              a kernel; its body also knows `block` and `block_size`
 *   LOCAL(type, name, count)   an array in local memory, shared by the threads of the block
 *   PRIVATE(type, name)        a value of each thread that outlives a region; written name[MINE(t)]
 *   PRIVATES(type, name, count)
 *                              `count` such values; number k is written name[MINE_OF(t, k, count)]
 *   THREADS (t) { ... }        a region: every thread runs it, and the next region starts when all are done
 *   REGION { SOME (t, low, high) ... SOME ... }
 *                              a region in which threads low .. high-1 do one thing and others another
 *   EACH (k, count) { ... }    a short loop over k = 0 .. count-1, unrolled; the count is a number
 *   CONSTANT(name)             an int argument that GPUs compile in
 *   HELPER void name(IN_LOCAL word *a, IN_PRIVATE word *x MMM_BLOCK) { ... }
 *                              a function with regions; called as name(a, x MMM_PASS)
 *   OPS(k)                     charges k local operations to the thread; arithmetic of modp.h charges itself
 *   ENTRY(name, ARRAY(0), INT(1), ...)
 *                              after the kernel, on a line of its own: how the host passes its arguments
 *
 * `break` and `return` must not leave a region; `continue` may. */
#ifndef MMM_DIALECT_H
#define MMM_DIALECT_H

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)

#include "mmm/kernel.h"

#if MMM_WORD_BITS == 64
typedef uint64_t word;
#else
typedef uint32_t word;
#endif

/* The modulus in words. */
typedef struct mmm_words {
    word p, minus_inverse, one;
    int shift;
} mmm_words;

/* gcc multiplies vectors of 32-bit numbers well where it sees that both factors have 32 bits; without the empty asm it
 * takes p for 64 bits of which some are 0. */
static inline mmm_words mmm_words_of(const mmm_modulus *modulus)
{
    mmm_words words = {(word)modulus->p, (word)modulus->minus_inverse, (word)modulus->one, modulus->shift};
    __asm__("" : "+r"(words.p), "+r"(words.minus_inverse));
    return words;
}

#define KERNEL               static inline
#define HELPER               static inline
#define CONSTANT(name)       int name
#define MMM_BLOCK            , int block, int block_size, mmm_words modulus, mmm_scratch *scratch
#define MMM_PASS             , block, block_size, modulus, scratch
#define MMM_LOW(low)         ((low) > 0 ? (low) : 0)
#define MMM_HIGH(high)       ((high) < block_size ? (high) : block_size)
#define THREADS(t)           REGION SOME (t, 0, block_size)
#define PRIVATE(type, name)  PRIVATES(type, name, 1)
#define MINE(t)              (t)
#define MINE_OF(t, k, count) ((t) * (count) + (k))

#define ARRAY(i) arguments_[i].array
#define INT(i)   arguments_[i].integer
#define WORD(i)  (word) arguments_[i].word

#define MMM_JOIN_(a, b) a##_##b
#define MMM_JOIN(a, b)  MMM_JOIN_(a, b)
#define ENTRY(kernel, ...)                                                                                             \
    mmm_entry MMM_JOIN(kernel, MMM_VARIANT);                                                                           \
    void MMM_JOIN(kernel, MMM_VARIANT)(const mmm_value *arguments_, int first_, int last_, int block_size,             \
                                       mmm_modulus modulus, mmm_scratch *scratch)                                      \
    {                                                                                                                  \
        mmm_words words_ = mmm_words_of(&modulus);                                                                     \
        for (int block = first_; block < last_; block++) {                                                             \
            MMM_NEXT_BLOCK;                                                                                            \
            kernel(__VA_ARGS__, block, block_size, words_, scratch);                                                   \
        }                                                                                                              \
    }

#if defined(MMM_TARGET_CPU)

static inline void *mmm_scratch_take(mmm_scratch *scratch, size_t bytes)
{
    void *memory = scratch->memory + scratch->used;
    scratch->used += (bytes + 63) / 64 * 64;
    return memory;
}

#define GLOBAL
#define IN_LOCAL
#define IN_PRIVATE
#define LOCAL(type, name, count)    type *const name = mmm_scratch_take(scratch, sizeof(type) * (size_t)(count))
#define PRIVATES(type, name, count) LOCAL(type, name, (size_t)block_size * (count))
#define REGION
#define SOME(t, low, high)                                                                                             \
    for (int end_ = MMM_HIGH(high), some_ = 1; some_; some_ = 0)                                                       \
        _Pragma("omp simd") for (int t = MMM_LOW(low); t < end_; t++)
#if defined(__clang__)
#define EACH(k, count) _Pragma("unroll") for (int k = 0; k < (count); k++)
#else /* gcc vectorises a region only where loops in it are unrolled before */
#define EACH(k, count) _Pragma("GCC unroll 8") for (int k = 0; k < (count); k++)
#endif
#define OPS(k)         ((void)0)
#define MMM_NEXT_BLOCK (scratch->used = 0)

#else /* the abstract machine: every access of a volatile object is one load or store, and is reported */

MMM_API void mmm_count_operations(int64_t operations);
MMM_API int mmm_count_region(int line);
MMM_API int mmm_count_region_end(void);
MMM_API int mmm_count_first(int low, int high);
MMM_API int mmm_count_next(void);
MMM_API void *mmm_count_local(const char *name, int size, int64_t count);
MMM_API void *mmm_count_private(const char *name, int size, int count);

#define GLOBAL                      volatile
#define IN_LOCAL                    volatile
#define IN_PRIVATE                  volatile
#define LOCAL(type, name, count)    volatile type *const name = mmm_count_local(#name, sizeof(type), count)
#define PRIVATES(type, name, count) volatile type *const name = mmm_count_private(#name, sizeof(type), count)
#define REGION                      for (int once_ = mmm_count_region(__LINE__); once_; once_ = mmm_count_region_end())
#define SOME(t, low, high)                                                                                             \
    for (int t = mmm_count_first(MMM_LOW(low), MMM_HIGH(high)); t >= 0; t = mmm_count_next())
#define EACH(k, count)              for (int k = 0; k < (count); k++)
#define OPS(k)                      mmm_count_operations(k)
#define MMM_NEXT_BLOCK              ((void)0)

#endif

#else /* GPUs: a thread of the block runs each region once */

#if MMM_WORD_BITS == 64
typedef unsigned long word;
#else
typedef unsigned int word;
#endif

#define CONSTANT(name) int constant_##name /* the name itself is a macro, its value */
#define block_size     MMM_BLOCK_SIZE
#define THREADS(t)     REGION SOME (t, 0, block_size)
#define SOME(t, low, high)                                                                                             \
    for (int t = MMM_THREAD, some_ = t >= (low) && t < (high) && t < block_size; some_; some_ = 0)
#define REGION                      for (int once_ = 1; once_; once_ = 0, MMM_BARRIER)
#define IN_PRIVATE
#define PRIVATE(type, name)         type name[1]
#define PRIVATES(type, name, count) type name[count]
#define MINE(t)                     0
#define MINE_OF(t, k, count)        (k)
#define EACH(k, count)              for (int k = 0; k < (count); k++)
#define OPS(k)                      ((void)0)

#if defined(MMM_TARGET_CUDA)

#define KERNEL     extern "C" __global__ __launch_bounds__(MMM_BLOCK_SIZE)
#define HELPER     static __device__ __forceinline__
#define GLOBAL
#define IN_LOCAL
#define block       ((int)blockIdx.x)
#define MMM_THREAD  (int)threadIdx.x
#define MMM_BARRIER __syncthreads()
#if defined(MMM_DYNAMIC_LOCAL) /* more than 48 KB: given at the launch, and an argument says where it starts */
extern __shared__ __align__(16) unsigned char mmm_shared[];
#define LOCAL(type, name, count)                                                                                       \
    type *const name = (type *)(mmm_shared + local_used_);                                                             \
    local_used_ += (sizeof(type) * (count) + 15) / 16 * 16
#define MMM_BLOCK , unsigned local_used_
#define MMM_PASS  , local_used_
#else
#define LOCAL(type, name, count) __shared__ type name[count]
#define MMM_BLOCK
#define MMM_PASS
#endif

#elif defined(MMM_TARGET_OPENCL)

#define KERNEL   __kernel __attribute__((reqd_work_group_size(MMM_BLOCK_SIZE, 1, 1)))
/* Never called but inlined: PoCL gives a LOCAL array that a called function uses to all work-groups at once. */
#define HELPER   static inline __attribute__((always_inline))
#define GLOBAL   __global
#define IN_LOCAL __local
#define LOCAL(type, name, count) __local type name[count]
#define block       ((int)get_group_id(0))
#define MMM_BLOCK
#define MMM_PASS
#define MMM_THREAD  (int)get_local_id(0)
#define MMM_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#else
#error "define MMM_TARGET_CPU, MMM_TARGET_ABSTRACT, MMM_TARGET_CUDA or MMM_TARGET_OPENCL"
#endif
#endif
#endif
