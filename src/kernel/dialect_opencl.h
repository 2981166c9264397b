/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect in OpenCL C 1.2. */
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
#define MMM_FUNCTION static inline __attribute__((always_inline))
/* PoCL makes one barrier of those at the ends of both arms of an `if`, and may then let one thread choose for all what
 * comes before it: something that compilers leave where it is keeps them apart. */
MMM_FUNCTION void mmm_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if defined(POCL_DEVICE_ADDRESS_BITS)
    __asm__ volatile("");
#endif
}
#define MMM_GLOBAL __global
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
#define MMM_FIRST_GROUP                          /* barriers are for all: the others come along and do nothing */
#define MMM_NO_VALUE                       = {0} /* but exchange, and what is undefined there would be so everywhere */
#define MMM_FIRST_PART(t)                  MMM_PART(t, 0, 32)
/* OpenCL 1.2 has no words for groups of threads: a kernel that uses them exchanges values in local memory. */
#define MMM_BEGIN_0 MMM_TO_PROBLEM __local ulong *const mmm_exchange = 0;
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
