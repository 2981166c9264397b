/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect where a block's threads run one after another: on the CPU and on the abstract machine. */
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
#define MMM_BLOCK_ONLY                                                                                                \
    __attribute__((unused)) int block, __attribute__((unused)) int block_size, __attribute__((unused)) int mmm_width, \
        __attribute__((unused)) int mmm_columns, __attribute__((unused)) mmm_words modulus_,                          \
        __attribute__((unused)) const mmm_call *call_
#define MMM_BLOCK             , MMM_BLOCK_ONLY
#define MMM_KERNEL_BLOCK      MMM_BLOCK
#define MMM_KERNEL_BLOCK_ONLY MMM_BLOCK_ONLY
#define MMM_BEGIN_0
#define MMM_BEGIN_1
#define MMM_PASS_ONLY  block, block_size, mmm_width, mmm_columns, modulus_, call_
#define MMM_PASS       , MMM_PASS_ONLY
#define blocks         (call_->grid)
#define blocks_x       (mmm_columns)
#define blocks_y       (call_->grid / mmm_columns)
#define block_width    (mmm_width)
#define block_height   (block_size / mmm_width)
#define block_x        (block % mmm_columns)
#define block_y        (block / mmm_columns)
#define MMM_LOW(low)   ((low) > 0 ? (low) : 0)
#define MMM_HIGH(high) ((high) < block_size ? (high) : block_size)

#define MMM_ALL(t) MMM_PART(t, 0, block_size)

#define MMM_ENTRIES(unit) MMM_TABLE(unit, MMM_VARIANT)
#define MMM_ENTER                                                                                \
    const mmm_words modulus_ = mmm_words_of(&call_->modulus);                                    \
    /* of their own, or a loop that writes what may be an int would read them again and again */ \
    const int block_size = call_->threads, mmm_width = call_->threads_x, mmm_columns = call_->grid_x;

#if defined(MMM_TARGET_CPU)
#include "dialect_cpu.h"
#else
#include "dialect_abstract.h"
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
