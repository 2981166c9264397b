/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect in CUDA. */
#define MMM_NO_VALUE
#define MMM_PROBLEM (long)blockIdx.z
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
#define MMM_KERNEL_BLOCK      MMM_STRIDES MMM_BLOCK
#define MMM_KERNEL_BLOCK_ONLY MMM_BLOCK_ONLY

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
