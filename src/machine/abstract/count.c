/* SPDX-License-Identifier: Apache-2.0 */
/* Counting (section 2.3): what a kernel compiled for the abstract machine calls for each load, store and atomic. */
#include "machine/abstract/parts.h"

#include <string.h>

_Thread_local mmm_counter *mmm_counter_now;

mmm_counter *mmm_counter_enter(mmm_counter *c)
{
    mmm_counter *outer = mmm_counter_now;
    mmm_counter_now = c;
    return outer;
}

/* These are declared for kernels in dialect_abstract.h. */
typedef enum mmm_atomic { ADD, MIN, MAX, AND, OR, XOR, EXCHANGE, CAS } mmm_atomic;

MMM_API void mmm_count_operations(int64_t operations, int kind);
MMM_API uint64_t mmm_count_atomic(mmm_atomic what, int size, int negative, volatile void *element, uint64_t x,
                                  uint64_t expected);
MMM_API int64_t mmm_count_far(const volatile void *array, int64_t index);
MMM_API void mmm_count_outside(const char *array, int64_t index) __attribute__((noreturn));

/* An access that must not happen: the block ends here. */
static __attribute__((noreturn)) void refuse(mmm_counter *c, int kind, const mmm_zone *zone, int64_t index,
                                             const void *address)
{
    if (zone && zone->memory == PRIVATE_MEMORY && zone->count) index /= c->block_threads; /* the thread's own number */
    mmm_counter_note(c, kind, zone, index, 0, NO_THREAD, address);
    c->in_region = c->in_part = false;
    c->stopped = true;
    longjmp(c->leave, 1);
}

/* The usual cases: the element was written before the last barrier, or by this thread, and read likewise. */
static inline __attribute__((always_inline)) void read_cell(mmm_counter *c, mmm_zone *zone, mmm_cell *cell,
                                                            int64_t index, const void *address)
{
    bool written = cell->writer < c->block_start
                       ? zone->memory == GLOBAL_MEMORY && cell->writer && cell->writer < c->ordered_below
                       : cell->writer < c->barrier || cell->writer_thread == c->thread;
    bool plain = written && c->thread >= 0 && cell->writer_thread > ATOMICS &&
                 (cell->reader >= c->barrier ? cell->reader == c->stamp && cell->reader_thread == c->thread
                                             : cell->reader >= c->block_start || cell->reader < c->ordered_below);
    if (__builtin_expect(!plain, 0)) {
        mmm_cell_read_slowly(c, zone, index, address);
        return;
    }
    if (cell->reader == c->stamp) return;
    cell->reader = c->stamp;
    cell->reader_thread = c->thread;
    cell->other_thread = NO_THREAD;
}

static inline __attribute__((always_inline)) void write_cell(mmm_counter *c, mmm_zone *zone, mmm_cell *cell,
                                                             int64_t index, const void *address)
{
    bool mine = cell->writer < c->block_start ? cell->writer < c->ordered_below
                                              : cell->writer < c->barrier || cell->writer_thread == c->thread;
    bool plain = mine && c->thread >= 0 && !cell->other &&
                 (cell->reader >= c->barrier ? cell->reader_thread == c->thread && cell->other_thread == NO_THREAD
                                             : cell->reader >= c->block_start || cell->reader < c->ordered_below);
    if (__builtin_expect(!plain, 0)) {
        mmm_cell_write_slowly(c, zone, index, address);
        return;
    }
    cell->writer = c->stamp;
    cell->writer_thread = c->thread;
}

/* Ends the block unless an address outside every array is the kernel's own, or given to it to read. */
static __attribute__((noinline)) void check_own(mmm_counter *c, uintptr_t at, bool write, const void *address)
{
    if (at < c->stack_top && at > (uintptr_t)__builtin_frame_address(0)) return;
    for (int i = 0; i < 2 && !write; i++)
        if (at >= c->given[i][0] && at < c->given[i][1]) return;
    refuse(c, KIND_WILD, NULL, (int64_t)at, address);
}

/* Copies a page of the host's array that is touched for the first time: few of a large one are, where blocks are
 * sampled. */
static __attribute__((noinline)) void load_page(mmm_counter *c, mmm_zone *zone, int64_t page)
{
    const int64_t from = page << PAGE_BITS, bytes = (zone->count << zone->shift) - from, most = 1 << PAGE_BITS;
    char *to = mmm_counter_address(c, (int)(zone - c->zones));
    const int64_t like = zone->known ? page % (zone->known >> PAGE_BITS) << PAGE_BITS : from;
    memcpy(to + from, zone->host + like, (size_t)(bytes < most ? bytes : most));
    zone->touched[page] = c->loads;
}

/* The array of an address, and the element's number in it, of which `size` bytes are meant; ends the block where there
 * is none.  NULL: the kernel's own memory. */
static inline __attribute__((always_inline)) mmm_zone *find(mmm_counter *c, const volatile void *pointer, unsigned size,
                                                            bool write, int64_t *index, const void *address)
{
    uintptr_t offset = (uintptr_t)pointer - c->base;
    if (__builtin_expect(offset >= c->reserved, 0)) {
        check_own(c, (uintptr_t)pointer, write, address);
        return NULL;
    }
    mmm_zone *zone = &c->zones[offset >> c->zone_bits];
    const int64_t half = c->zone_half, bytes = (int64_t)(offset & (uintptr_t)(2 * half - 1)) - half;
    *index = bytes >> zone->shift;
    if (__builtin_expect((uint64_t)*index >= (uint64_t)zone->count, 0))
        refuse(c, KIND_OUT_OF_BOUNDS, zone, *index, address);
    if (__builtin_expect(((offset & (size - 1)) | (size >> 1 >> zone->shift)) != 0, 0))
        refuse(c, KIND_WIDE, zone, *index, address);
    if (zone->host) {
        const int64_t page = bytes >> PAGE_BITS;
        if (__builtin_expect(zone->touched[page] != c->loads, 0)) load_page(c, zone, page);
    }
    return zone;
}

void mmm_counter_give_up(mmm_counter *c)
{
    c->failure = mmm_fail(MMM_TOO_LARGE, "a block of kernel '%.100s' makes more accesses than are counted",
                          c->program->nodes[c->kernel].name);
    longjmp(c->leave, 1);
}

/* A block that only tells costs ends where it makes too many accesses. */
static inline __attribute__((always_inline)) void spend(mmm_counter *c)
{
    if (__builtin_expect(--c->left < 0, 0)) mmm_counter_give_up(c);
}

/* A thread's own value: written before it is read, and by that thread.  Words of groups run for all threads. */
static void touch_private(mmm_counter *c, mmm_zone *zone, int64_t index, bool write, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    if (c->sampling) return;
    if (c->thread >= 0 && (uint32_t)index % (uint32_t)c->block_threads != (uint32_t)c->thread)
        refuse(c, KIND_FOREIGN, zone, index, address);
    if (write)
        cell->writer = c->stamp;
    else if (cell->writer < c->block_start)
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index / c->block_threads, 0, NO_THREAD, address);
}

static inline __attribute__((always_inline)) void count_access(mmm_counter *c, const mmm_zone *zone, bool write)
{
    *(zone->memory == LOCAL_MEMORY ? &c->now->local : write ? &c->now->writes : &c->now->reads) += 1;
}

/* Where not only traffic is wanted, or that has nothing to do with it. */
static __attribute__((noinline)) void touch_otherwise(mmm_counter *c, mmm_zone *zone, int64_t index, bool write,
                                                      const void *address)
{
    if (c->part_counter) mmm_parts_access(c, zone, index, write, address);
    if (zone->memory == PRIVATE_MEMORY) {
        touch_private(c, zone, index, write, address);
        return;
    }
    count_access(c, zone, write);
    if (c->sampling) {
        spend(c);
        if (c->traffic) mmm_traffic_access(c, zone, index, write ? TRAFFIC_WRITE : TRAFFIC_READ, address);
    } else if (write) {
        write_cell(c, zone, &zone->cells[index], index, address);
    } else {
        read_cell(c, zone, &zone->cells[index], index, address);
    }
}

static inline __attribute__((always_inline)) void touch(const void *pointer, unsigned size, bool write,
                                                        const void *address)
{
    mmm_counter *c = mmm_counter_now;
    int64_t index;
    mmm_zone *zone = find(c, pointer, size, write, &index, address);
    if (!zone) return;
    if (c->of_parts && c->thread >= 0 && zone->memory != PRIVATE_MEMORY) {
        count_access(c, zone, write);
        spend(c);
        mmm_parts_take_access(c, c->of_parts, zone, index, write, address);
        return;
    }
    if (!c->sampling || !c->traffic || c->part_counter || zone->memory == PRIVATE_MEMORY) {
        touch_otherwise(c, zone, index, write, address);
        return;
    }
    count_access(c, zone, write);
    spend(c);
    mmm_traffic_access(c, zone, index, write ? TRAFFIC_WRITE : TRAFFIC_READ, address);
}

static uint64_t combine(mmm_atomic what, int size, bool negative, uint64_t old, uint64_t x, uint64_t expected)
{
    int unused = 64 - 8 * size;
    int64_t a = (int64_t)(old << unused) >> unused, b = (int64_t)(x << unused) >> unused;
    uint64_t mask = ~(uint64_t)0 >> unused;
    bool smaller = negative ? a < b : old < (x & mask);
    switch (what) {
    case ADD: return old + x;
    case MIN: return smaller ? old : x;
    case MAX: return smaller ? x : old;
    case AND: return old & x;
    case OR: return old | x;
    case XOR: return old ^ x;
    case EXCHANGE: return x;
    case CAS: return old == (expected & mask) ? x : old;
    }
    return old;
}

/* One operation, and a word that moves both ways. */
uint64_t mmm_count_atomic(mmm_atomic what, int size, int negative, volatile void *element, uint64_t x,
                          uint64_t expected)
{
    mmm_counter *c = mmm_counter_now;
    int64_t index;
    uint64_t old = 0;
    void *memory = (void *)element;
    mmm_zone *zone = find(c, element, (unsigned)size, true, &index, __builtin_return_address(0));
    mmm_count_operations(1, MMM_OPERATION_ATOMIC);
    if (zone && zone->memory == LOCAL_MEMORY)
        c->now->local += 2;
    else if (zone && zone->memory == GLOBAL_MEMORY)
        c->now->reads++, c->now->writes++;
    if (c->sampling) spend(c);
    if (zone && zone->memory != PRIVATE_MEMORY && !c->sampling)
        mmm_cell_atomic(c, zone, index, __builtin_return_address(0));
    if (zone && c->part_counter) mmm_parts_access(c, zone, index, true, __builtin_return_address(0));
    if (zone && zone->memory != PRIVATE_MEMORY && c->traffic)
        mmm_traffic_access(c, zone, index, TRAFFIC_ATOMIC, __builtin_return_address(0));
    memcpy(&old, memory, (size_t)size);
    x = combine(what, size, negative, old, x, expected);
    memcpy(memory, &x, (size_t)size);
    return old;
}

/* The names under which hooks.txt makes kernels call these. */
#define HOOK(size)                                                                                     \
    MMM_API void mmm_hook_read##size(void *p);                                                         \
    void mmm_hook_read##size(void *p)                                                                  \
    {                                                                                                  \
        touch(p, size, false, __builtin_return_address(0));                                            \
    }                                                                                                  \
    MMM_API void mmm_hook_write##size(void *p);                                                        \
    void mmm_hook_write##size(void *p)                                                                 \
    {                                                                                                  \
        touch(p, size, true, __builtin_return_address(0));                                             \
    }                                                                                                  \
    MMM_API void mmm_hook_unaligned_read##size(void *p) __attribute__((alias("mmm_hook_read" #size))); \
    MMM_API void mmm_hook_unaligned_write##size(void *p) __attribute__((alias("mmm_hook_write" #size)))

HOOK(1);
HOOK(2);
HOOK(4);
HOOK(8);
HOOK(16);

/* Bytes that are copied or filled at once: each element of theirs is touched. */
static void touch_range(const char *from, size_t bytes, bool write, const void *address)
{
    mmm_counter *c = mmm_counter_now;
    int64_t index;
    if (bytes == 0) return;
    const mmm_zone *zone = find(c, from, 1, write, &index, address);
    size_t step = zone ? (size_t)1 << zone->shift : 1;
    if (zone && ((uintptr_t)from | bytes) & (step - 1)) refuse(c, KIND_WIDE, zone, index, address);
    for (size_t i = 0; zone && i < bytes; i += step)
        touch(from + i, 1, write, address);
    if (!zone) check_own(c, (uintptr_t)from + bytes - 1, write, address);
}

MMM_API void mmm_hook_read_range(void *p, size_t bytes);
void mmm_hook_read_range(void *p, size_t bytes)
{
    touch_range(p, bytes, false, __builtin_return_address(0));
}

MMM_API void mmm_hook_write_range(void *p, size_t bytes);
void mmm_hook_write_range(void *p, size_t bytes)
{
    touch_range(p, bytes, true, __builtin_return_address(0));
}

MMM_API void *mmm_hook_memmove(void *to, const void *from, size_t bytes);
void *mmm_hook_memmove(void *to, const void *from, size_t bytes)
{
    touch_range(from, bytes, false, __builtin_return_address(0));
    touch_range(to, bytes, true, __builtin_return_address(0));
    return memmove(to, from, bytes);
}

MMM_API void *mmm_hook_memset(void *to, int byte, size_t bytes);
void *mmm_hook_memset(void *to, int byte, size_t bytes)
{
    touch_range(to, bytes, true, __builtin_return_address(0));
    return memset(to, byte, bytes);
}

/* As compilers call them. */
#define ALSO(name, arguments, as) MMM_API void *mmm_hook_##name arguments __attribute__((alias("mmm_hook_" #as)))
ALSO(memcpy, (void *to, const void *from, size_t bytes), memmove);
ALSO(tsan_memcpy, (void *to, const void *from, size_t bytes), memmove);
ALSO(tsan_memmove, (void *to, const void *from, size_t bytes), memmove);
ALSO(tsan_memset, (void *to, int byte, size_t bytes), memset);

/* An index of 64 bits, or a number added to a pointer: what no array reaches would be taken for another array. */
int64_t mmm_count_far(const volatile void *array, int64_t index)
{
    mmm_counter *c = mmm_counter_now;
    int64_t most = c->zone_half >> 4; /* of elements of any size, half a zone at most */
    uintptr_t offset = (uintptr_t)array - c->base;
    mmm_zone *zone = array && offset < c->reserved ? &c->zones[offset >> c->zone_bits] : NULL;
    if (zone && zone->count > most) most = zone->count;
    if (index > most || index < -most) refuse(c, KIND_OUT_OF_BOUNDS, zone, index, __builtin_return_address(0));
    return index;
}

/* An index outside an array of the thread's own, or of the block's where it is declared outside regions. */
void mmm_count_outside(const char *array, int64_t index)
{
    const mmm_zone own = {.memory = PRIVATE_MEMORY, .name = array};
    refuse(mmm_counter_now, KIND_OUT_OF_BOUNDS, &own, index, __builtin_return_address(0));
}

MMM_API void mmm_hook_init(void);
void mmm_hook_init(void)
{
}
