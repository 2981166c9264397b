/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect on GPUs: a thread of the block runs each region once. */
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
/* A part with a condition is a part, and a condition: see those of CPUs. */
#define MMM_WHERE(condition) if (condition)
#define MMM_OUTER(loop)
#define MMM_INNER(loop)                                  loop
#define MMM_PART_WITHIN(t, low, high, from, to)          MMM_PART(t, low, high)
#define MMM_ALL_WITHIN(t, from, to)                      MMM_ALL(t)
#define MMM_ITEMS_WITHIN(i, count, from, to)             MMM_ITEMS(i, count)
#define MMM_ITEMS_FROM_WITHIN(i, count, low, from, to)   MMM_ITEMS_FROM(i, count, low)
#define MMM_PART_2D_WITHIN(x, y, from, to, from_y, to_y) MMM_PART_2D(x, y)
#define MMM_REGION                                       for (int mmm_once = 1; mmm_once; mmm_once = 0, MMM_BARRIER)
#define MMM_GROUP_REGION                                 for (int mmm_once = 1; mmm_once; mmm_once = 0, MMM_GROUP_BARRIER)
#define MMM_IN_PRIVATE
#define MMM_PRIVATE(type, name, count) type name[count] MMM_NO_VALUE
#define MMM_MINE(x, t, k)              x[k]
#define MMM_OPS(k)                     ((void)0)
#define MMM_FAR(a, i)                  (i)
#define MMM_SUM(i)                     (i)
#define MMM_OWN(x, i)                  (i)
#define MMM_GROUP_LEFT                 (MMM_BLOCK_SIZE - (MMM_THREAD & ~31)) /* threads of the group, if below 32 */

#define spread(i) ((i) + ((i) >> 5)) /* threads 2, 4 ... 32 words apart meet in no bank */

/* As C compares, also numbers of two types, and NaN: the devices' own functions do it otherwise.  The generator sees to
 * it that nothing is written in the arguments. */
#define min(x, y) ((x) < (y) ? (x) : (y))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define abs(x)    ((x) < 0 ? -(x) : (x))

/* Of a batch: the elements that a problem has of each array, as arguments, and the way to the problem's own. */
#if !defined(MMM_STRIDES)
#define MMM_STRIDES
#define MMM_TO_PROBLEM
#endif

#if defined(MMM_TARGET_CUDA)
#include "dialect_cuda.h"
#else
#include "dialect_opencl.h"
#endif
