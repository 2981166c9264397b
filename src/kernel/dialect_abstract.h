/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect on the abstract machine: every access of a volatile object is one load or store, and is reported. */
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
MMM_API void mmm_count_ahead(void);
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

#define MMM_GLOBAL volatile
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
/* A part with a condition is a part, and a condition: see those of CPUs. */
#define MMM_WHERE(condition) if (condition)
#define MMM_OUTER(loop)
#define MMM_INNER(loop)                                  loop
#define MMM_PART_WITHIN(t, low, high, from, to)          MMM_PART(t, low, high)
#define MMM_ALL_WITHIN(t, from, to)                      MMM_ALL(t)
#define MMM_ITEMS_WITHIN(i, count, from, to)             MMM_ITEMS(i, count)
#define MMM_ITEMS_FROM_WITHIN(i, count, low, from, to)   MMM_ITEMS_FROM(i, count, low)
#define MMM_PART_2D_WITHIN(x, y, from, to, from_y, to_y) MMM_PART_2D(x, y)
#define MMM_FIRST_GROUP                                  for (int mmm_only = mmm_count_first_group(1); mmm_only; mmm_only = mmm_count_first_group(0))
#define MMM_EACH(k, count)                               for (int k = 0; k < (count); k++)
#define MMM_OPS(k)                                       mmm_count_operations(k, MMM_OPERATION_OTHER)
#define MMM_GROUP_OPS(k)                                 mmm_count_operations(k, MMM_OPERATION_EXCHANGE)
#define MMM_NEXT_BLOCK
/* What the hooks cannot see: an index of 64 bits that reaches another array, one outside an array on the stack. */
#define MMM_FAR(a, i)                                          \
    ({                                                         \
        const int64_t mmm_i = (int64_t)(i);                    \
        mmm_i == (int)mmm_i ? mmm_i : mmm_count_far(a, mmm_i); \
    })
#define MMM_SUM(i) (i)
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
