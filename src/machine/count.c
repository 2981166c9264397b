/* SPDX-License-Identifier: Apache-2.0 */
/* Counting (section 2.3): what a kernel compiled for the abstract machine calls for each region, thread, operation,
 * load and store. */
#include "machine/count.h"

#include <string.h>

_Thread_local mmm_counter *mmm_counter_now;

/* Declared for kernels in dialect.h. */
void mmm_count_operations(int64_t operations);
int mmm_count_region(int line);
int mmm_count_region_end(void);
int mmm_count_part(int low);
int mmm_count_thread(int thread, int high);
void *mmm_count_local(const char *name, int size, int64_t count);
void *mmm_count_private(const char *name, int size, int64_t count);

static void add(mmm_tally *sum, const mmm_tally *term, int64_t times)
{
    sum->operations += times * term->operations;
    sum->local += times * term->local;
    sum->reads += times * term->reads;
    sum->writes += times * term->writes;
}

/* Books what the running thread did since the last call.  Code outside regions is run by every thread alike. */
static void book(mmm_counter *c)
{
    if (c->thread == ALL_THREADS) {
        add(&c->uniform, &c->now, 1);
        add(&c->block_sum, &c->now, c->block_threads);
        c->span += c->now.operations;
    } else {
        mmm_thread *thread = &c->threads[c->thread];
        add(&thread->total, &c->now, 1);
        add(&c->block_sum, &c->now, 1);
        if (thread->interval != c->interval) {
            thread->interval = c->interval;
            thread->interval_operations = 0;
        }
        thread->interval_operations += c->now.operations;
        if (thread->interval_operations > c->interval_most) c->interval_most = thread->interval_operations;
    }
    memset(&c->now, 0, sizeof c->now);
}

void mmm_count_operations(int64_t operations)
{
    mmm_counter_now->now.operations += operations;
}

/* A region or part that is entered before the last one was finished was left by break, goto or return. */
static void check_left(mmm_counter *c, bool left)
{
    if (left) mmm_counter_note(c, KIND_LEFT_REGION, NULL, 0, 0, NO_THREAD, NULL);
}

int mmm_count_region(int line)
{
    mmm_counter *c = mmm_counter_now;
    check_left(c, c->in_region);
    book(c);
    c->thread = ALL_THREADS;
    c->line = line;
    c->in_region = true;
    c->in_part = false;
    return 1;
}

int mmm_count_region_end(void)
{
    mmm_counter *c = mmm_counter_now;
    check_left(c, c->in_part);
    book(c);
    c->thread = ALL_THREADS;
    c->span += c->interval_most;
    c->interval_most = 0;
    c->interval++;
    c->in_region = c->in_part = false;
    return 0;
}

int mmm_count_part(int low)
{
    mmm_counter *c = mmm_counter_now;
    check_left(c, c->in_part);
    c->in_part = true;
    return low;
}

int mmm_count_thread(int thread, int high)
{
    mmm_counter *c = mmm_counter_now;
    book(c);
    if (thread < high) {
        c->thread = thread;
        return 1;
    }
    c->thread = ALL_THREADS;
    c->in_part = false;
    return 0;
}

static void *take(mmm_counter *c, int zone, mmm_memory memory, const char *name, int size, int64_t count)
{
    c->failure = mmm_counter_fill(c, zone, memory, name, size, count);
    if (c->failure != MMM_OK) longjmp(c->leave, 1);
    return mmm_counter_address(c, zone);
}

void *mmm_count_local(const char *name, int size, int64_t count)
{
    mmm_counter *c = mmm_counter_now;
    if (c->locals == MMM_LOCAL_ARRAYS_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "LOCAL array '%s' is one too many: a kernel has at most %d", name,
                              MMM_LOCAL_ARRAYS_MOST);
        longjmp(c->leave, 1);
    }
    int bytes = c->program->word_bits / 8;
    c->local_words += (count * size + bytes - 1) / bytes;
    return take(c, ZONES_GLOBAL + c->locals++, LOCAL_MEMORY, name, size, count);
}

void *mmm_count_private(const char *name, int size, int64_t count)
{
    mmm_counter *c = mmm_counter_now;
    if (c->privates == MMM_LOCAL_ARRAYS_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "PRIVATE value '%s' is one too many: a kernel has at most %d", name,
                              MMM_LOCAL_ARRAYS_MOST);
        longjmp(c->leave, 1);
    }
    return take(c, ZONES_GLOBAL + MMM_LOCAL_ARRAYS_MOST + c->privates++, PRIVATE_MEMORY, name, size, count);
}

void mmm_counter_begin_block(mmm_counter *c)
{
    memset(c->threads, 0, (size_t)c->block_threads * sizeof *c->threads);
    memset(&c->now, 0, sizeof c->now);
    memset(&c->uniform, 0, sizeof c->uniform);
    memset(&c->block_sum, 0, sizeof c->block_sum);
    c->span = c->interval_most = c->local_words = 0;
    c->locals = c->privates = 0;
    c->interval = 1;
    c->thread = ALL_THREADS;
    c->line = 0;
    c->in_region = c->in_part = false;
}

void mmm_counter_end_block(mmm_counter *c, mmm_cost *cost)
{
    check_left(c, c->in_region);
    book(c);
    mmm_tally most = {0};
    for (int64_t t = 0; t < c->block_threads; t++) {
        const mmm_tally *total = &c->threads[t].total;
        if (total->operations > most.operations) most.operations = total->operations;
        if (total->reads > most.reads) most.reads = total->reads;
        if (total->writes > most.writes) most.writes = total->writes;
    }
    add(&most, &c->uniform, 1);
    *cost = (mmm_cost){.blocks = 1,
                       .work = c->block_sum.operations,
                       .span = c->span + c->interval_most,
                       .span_thread = most.operations,
                       .reads = most.reads,
                       .writes = most.writes};
    add(&c->run_sum, &c->block_sum, 1);
    if (c->local_words > c->local_words_most) c->local_words_most = c->local_words;
}

/* An access that must not happen: the block ends here. */
static void refuse(mmm_counter *c, int kind, const mmm_zone *zone, int64_t index, const void *address)
{
    mmm_counter_note(c, kind, zone, index, 0, NO_THREAD, address);
    c->in_region = c->in_part = false;
    longjmp(c->leave, 1);
}

static inline void touch(const void *pointer, bool write, const void *address)
{
    mmm_counter *c = mmm_counter_now;
    uintptr_t offset = (uintptr_t)pointer - c->base;
    if (__builtin_expect(offset >= c->reserved, 0)) {
        char here;
        if ((uintptr_t)pointer <= c->stack_top && (uintptr_t)pointer > (uintptr_t)&here) return; /* its own variables */
        refuse(c, KIND_WILD, NULL, (int64_t)(uintptr_t)pointer, address);
    }
    mmm_zone *zone = &c->zones[offset >> c->zone_bits];
    int64_t half = (int64_t)1 << (c->zone_bits - 1);
    int64_t index = ((int64_t)(offset & (uintptr_t)(2 * half - 1)) - half) >> zone->shift;
    if (__builtin_expect((uint64_t)index >= (uint64_t)zone->count, 0))
        refuse(c, KIND_OUT_OF_BOUNDS, zone, index, address);
    if (zone->memory == PRIVATE_MEMORY) return;
    if (zone->memory == LOCAL_MEMORY)
        c->now.local++;
    else if (write)
        c->now.writes++;
    else
        c->now.reads++;
    if (write)
        mmm_cell_write(c, zone, index, address);
    else
        mmm_cell_read(c, zone, index, address);
}

/* The names under which hooks.txt makes kernels call these. */
#define HOOK(size)                                                                                                     \
    void mmm_hook_read##size(void *p);                                                                                 \
    void mmm_hook_read##size(void *p)                                                                                  \
    {                                                                                                                  \
        touch(p, false, __builtin_return_address(0));                                                                  \
    }                                                                                                                  \
    void mmm_hook_write##size(void *p);                                                                                \
    void mmm_hook_write##size(void *p)                                                                                 \
    {                                                                                                                  \
        touch(p, true, __builtin_return_address(0));                                                                   \
    }                                                                                                                  \
    void mmm_hook_unaligned_read##size(void *p) __attribute__((alias("mmm_hook_read" #size)));                         \
    void mmm_hook_unaligned_write##size(void *p) __attribute__((alias("mmm_hook_write" #size)))

HOOK(1);
HOOK(2);
HOOK(4);
HOOK(8);
HOOK(16);

void mmm_hook_init(void);
void mmm_hook_init(void)
{
}
