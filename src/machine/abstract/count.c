/* SPDX-License-Identifier: Apache-2.0 */
/* Counting (section 2.3): what a kernel compiled for the abstract machine calls for each region, thread, operation,
 * load and store. */
#include "machine/abstract/count.h"

#include <string.h>

/* The counter of the kernel that this thread runs: all the thread-local storage there is, read at every access of
 * memory.  The Makefile has it read by a descriptor, which is quick and works in a library that is opened late. */
static _Thread_local mmm_counter *counter_now;

mmm_counter *mmm_counter_enter(mmm_counter *c)
{
    mmm_counter *outer = counter_now;
    counter_now = c;
    return outer;
}

/* These are declared for kernels in dialect.h. */
typedef enum mmm_atomic { ADD, MIN, MAX, AND, OR, XOR, EXCHANGE, CAS } mmm_atomic;

MMM_API void mmm_count_operations(int64_t operations);
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

static void add(mmm_tally *sum, const mmm_tally *term, int64_t times)
{
    sum->operations += times * term->operations;
    sum->local += times * term->local;
    sum->reads += times * term->reads;
    sum->writes += times * term->writes;
}

static void raise(int64_t value, int64_t *most, int64_t *sum)
{
    if (value <= *most) return;
    *sum += value - *most;
    *most = value;
}

/* Threads that share the lanes of a SM in turns: a turn lasts as long as its slowest thread. */
static void book_group(mmm_counter *c, const mmm_thread *thread)
{
    mmm_group *group = &c->groups[c->thread / c->lanes];
    if (group->stamp != c->stamp) *group = (mmm_group){.stamp = c->stamp};
    const mmm_tally *now = &thread->total, *before = &thread->before;
    raise(now->operations - before->operations, &group->most.operations, &c->lane_sum.operations);
    raise(now->local - before->local, &group->most.local, &c->lane_sum.local);
    raise(now->reads + now->writes - before->reads - before->writes, &group->most.reads, &c->lane_sum.reads);
}

/* A region or part that is entered before the last one was finished was left by break, goto or return. */
static void check_left(mmm_counter *c, bool left)
{
    if (left) mmm_counter_note(c, KIND_LEFT_REGION, NULL, 0, 0, NO_THREAD, NULL);
}

/* Ends the turn of the thread that runs; what comes next is done by every thread alike, until one is named. */
static void book(mmm_counter *c)
{
    if (c->thread == ALL_THREADS) {
        c->span += c->between->operations - c->between_booked;
        c->between_booked = c->between->operations;
        return;
    }
    const mmm_thread *thread = &c->threads[c->thread];
    int64_t operations = thread->total.operations - thread->before.operations + (c->thread < GROUP ? c->beside : 0);
    if (c->sampling) book_group(c, thread);
    if (operations > c->interval_most) c->interval_most = operations;
    c->thread = ALL_THREADS;
    c->now = c->between;
}

/* The first group begins or ends what it does alone: the region that follows is the other threads' at the same time. */
int mmm_count_first_group(int begin)
{
    mmm_counter *c = counter_now;
    check_left(c, c->in_region);
    book(c);
    if (begin) {
        c->span += c->beside;
        c->span_before = c->span;
        c->beside = 0;
    } else {
        c->beside += c->span - c->span_before;
        c->span = c->span_before;
    }
    c->now = c->between = begin ? &c->alone : &c->uniform;
    c->between_booked = c->between->operations;
    return begin;
}

void mmm_count_operations(int64_t operations)
{
    counter_now->now->operations += operations;
}

int mmm_count_region(int line)
{
    mmm_counter *c = counter_now;
    check_left(c, c->in_region);
    book(c);
    c->line = line;
    c->in_region = true;
    c->in_part = false;
    return 1;
}

int mmm_count_region_end(int group)
{
    mmm_counter *c = counter_now;
    check_left(c, c->in_part);
    book(c);
    c->span += c->interval_most > c->beside ? c->interval_most : c->beside;
    c->interval_most = c->beside = 0;
    c->regions++;
    if ((++c->stamp & ((1 << INTERVAL_BITS) - 1)) == 0) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "a block of kernel '%s' has more than %d regions",
                              c->program->nodes[c->kernel].name, (1 << INTERVAL_BITS) - 1);
        longjmp(c->leave, 1);
    }
    if (!group || c->block_threads <= GROUP) c->barrier = c->stamp;
    c->in_region = c->in_part = false;
    return 0;
}

/* The turn of the thread at the walk's place, or of the one that has that item. */
static int turn(mmm_counter *c)
{
    int at = (int)c->walk.at, from = c->items_from;
    int number = c->items ? (int)(from + at % (c->block_threads - from)) : at;
    mmm_thread *self = &c->threads[number];
    if (self->stamp != c->stamp) {
        self->stamp = c->stamp;
        self->before = self->total;
    }
    c->thread = number;
    c->now = &self->total;
    return at;
}

/* In some order: no result may depend on it. */
static int walk_over(mmm_counter *c, int low, int high, bool items)
{
    check_left(c, c->in_part);
    book(c);
    c->parts++;
    c->items = items;
    c->in_part = low < high;
    if (low >= high) return -1;
    c->walk = mmm_counter_walk(c, low, high);
    return turn(c);
}

int mmm_count_part(int low, int high)
{
    return walk_over(counter_now, low, high, false);
}

/* Items of threads `low` and above, or of all where there are no such. */
int mmm_count_items(int count, int low)
{
    counter_now->items_from = low < counter_now->block_threads ? low : 0;
    return walk_over(counter_now, 0, count, true);
}

/* The next thread or item of the part; -1: all had their turn. */
int mmm_count_next(void)
{
    mmm_counter *c = counter_now;
    mmm_walk *walk = &c->walk;
    book(c);
    uint32_t at = walk->at + walk->step;
    if (at >= walk->high) at -= walk->count;
    if (at == walk->first) {
        c->in_part = false;
        return -1;
    }
    walk->at = at;
    return turn(c);
}

static void *take(mmm_counter *c, int zone, mmm_memory memory, const char *name, int size, int64_t count)
{
    c->failure = mmm_counter_fill(c, zone, memory, name, size, count);
    if (c->failure != MMM_OK) longjmp(c->leave, 1);
    return mmm_counter_address(c, zone);
}

void *mmm_count_local(const char *name, int size, int64_t count)
{
    mmm_counter *c = counter_now;
    if (c->locals == MMM_LOCAL_ARRAYS_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "LOCAL array '%s' is one too many: a kernel has at most %d", name,
                              MMM_LOCAL_ARRAYS_MOST);
        longjmp(c->leave, 1);
    }
    int bytes = c->program->word_bits / 8;
    c->local_bytes += count * size;
    c->local_words = (c->local_bytes + bytes - 1) / bytes;
    return take(c, c->zones_global + c->locals++, LOCAL_MEMORY, name, size, count);
}

void *mmm_count_private(const char *name, int size, int count)
{
    mmm_counter *c = counter_now;
    if (c->privates == MMM_PRIVATE_ARRAYS_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "PRIVATE '%s' is one too many: a kernel has at most %d", name,
                              MMM_PRIVATE_ARRAYS_MOST);
        longjmp(c->leave, 1);
    }
    c->private_words += count * ((size + 7) / 8);
    if (c->private_words > MMM_PRIVATE_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "PRIVATE '%s' is too much: a thread has at most %d values of 8 bytes",
                              name, MMM_PRIVATE_MOST);
        longjmp(c->leave, 1);
    }
    return take(c, c->zones_global + MMM_LOCAL_ARRAYS_MOST + c->privates++, PRIVATE_MEMORY, name, size,
                c->block_threads * count);
}

void mmm_counter_begin_block(mmm_counter *c)
{
    memset(c->threads, 0, (size_t)c->block_threads * sizeof *c->threads);
    memset(&c->uniform, 0, sizeof c->uniform);
    memset(&c->alone, 0, sizeof c->alone);
    c->between_booked = c->span = c->interval_most = c->beside = c->local_words = c->local_bytes = 0;
    c->locals = c->privates = c->private_words = 0;
    c->regions = c->parts = 0;
    memset(&c->lane_sum, 0, sizeof c->lane_sum);
    c->stamp = c->barrier = c->block_start + 1;
    c->block_seed = c->seed ^ ((uint64_t)c->kernel << 32) ^ (uint64_t)c->block << 8;
    c->thread = ALL_THREADS;
    c->now = c->between = &c->uniform;
    c->line = 0;
    c->in_region = c->in_part = false;
}

void mmm_counter_end_block(mmm_counter *c, mmm_cost *cost)
{
    mmm_tally most = {0}, sum = {0};
    check_left(c, c->in_region);
    book(c);
    book(c); /* the thread that was stopped, if any, and what all did */
    add(&sum, &c->uniform, c->block_threads);
    add(&sum, &c->alone, c->block_threads < GROUP ? c->block_threads : GROUP);
    for (int64_t t = 0; t < c->block_threads; t++) {
        const mmm_tally *total = &c->threads[t].total;
        add(&sum, total, 1);
        if (total->operations > most.operations) most.operations = total->operations;
        if (total->reads > most.reads) most.reads = total->reads;
        if (total->writes > most.writes) most.writes = total->writes;
    }
    add(&most, &c->uniform, 1);
    add(&most, &c->alone, 1);
    *cost = (mmm_cost){.blocks = 1,
                       .work = sum.operations,
                       .span = c->span + (c->interval_most > c->beside ? c->interval_most : c->beside),
                       .span_thread = most.operations,
                       .reads = most.reads,
                       .writes = most.writes};
    add(&c->run_sum, &sum, 1);
    if (c->local_words > c->local_words_most) c->local_words_most = c->local_words;
}

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

/* The frame of this function has nothing of ours: what lies below it is the kernel's, and all else is not. */
__attribute__((noinline)) void mmm_counter_run_block(mmm_counter *c, mmm_entry *entry, const mmm_value *values,
                                                     const mmm_call *call)
{
    c->given[0][0] = (uintptr_t)values;
    c->given[0][1] = (uintptr_t)(values + MMM_ARGUMENTS_MOST);
    c->given[1][0] = (uintptr_t)call;
    c->given[1][1] = (uintptr_t)(call + 1);
    c->stack_top = (uintptr_t)__builtin_frame_address(0);
    if (setjmp(c->leave) == 0) entry(values, call); /* the values that outlive the jump are the counter's */
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
    int64_t half = (int64_t)1 << (c->zone_bits - 1);
    *index = ((int64_t)(offset & (uintptr_t)(2 * half - 1)) - half) >> zone->shift;
    if (__builtin_expect((uint64_t)*index >= (uint64_t)zone->count, 0))
        refuse(c, KIND_OUT_OF_BOUNDS, zone, *index, address);
    if (__builtin_expect(((offset & (size - 1)) | (size >> 1 >> zone->shift)) != 0, 0))
        refuse(c, KIND_WIDE, zone, *index, address);
    return zone;
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

static inline __attribute__((always_inline)) void touch(const void *pointer, unsigned size, bool write,
                                                        const void *address)
{
    mmm_counter *c = counter_now;
    int64_t index;
    mmm_zone *zone = find(c, pointer, size, write, &index, address);
    if (!zone) return;
    if (zone->memory == PRIVATE_MEMORY) {
        touch_private(c, zone, index, write, address);
        return;
    }
    if (zone->memory == LOCAL_MEMORY)
        c->now->local++;
    else if (write)
        c->now->writes++;
    else
        c->now->reads++;
    if (c->sampling) return;
    if (write)
        write_cell(c, zone, &zone->cells[index], index, address);
    else
        read_cell(c, zone, &zone->cells[index], index, address);
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
    mmm_counter *c = counter_now;
    int64_t index;
    uint64_t old = 0;
    void *memory = (void *)element;
    mmm_zone *zone = find(c, element, (unsigned)size, true, &index, __builtin_return_address(0));
    c->now->operations++;
    if (zone && zone->memory == LOCAL_MEMORY)
        c->now->local += 2;
    else if (zone && zone->memory == GLOBAL_MEMORY)
        c->now->reads++, c->now->writes++;
    if (zone && zone->memory != PRIVATE_MEMORY && !c->sampling)
        mmm_cell_atomic(c, zone, index, __builtin_return_address(0));
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
    mmm_counter *c = counter_now;
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
    mmm_counter *c = counter_now;
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
    refuse(counter_now, KIND_OUT_OF_BOUNDS, &own, index, __builtin_return_address(0));
}

MMM_API void mmm_hook_init(void);
void mmm_hook_init(void)
{
}
