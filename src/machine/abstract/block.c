/* SPDX-License-Identifier: Apache-2.0 */
/* Counting (section 2.3): blocks, their regions and parts, the turns of their threads, and what each of these costs. */
#include "machine/abstract/parts.h"
#include "machine/abstract/traffic.h"

#include <string.h>

/* These are declared for kernels in dialect_abstract.h. */
MMM_API void mmm_count_operations(int64_t operations, int kind);
MMM_API void mmm_count_reduction(void);
MMM_API void mmm_count_ahead(void);
MMM_API int mmm_count_region(int line);
MMM_API int mmm_count_region_end(int group);
MMM_API int mmm_count_first_group(int begin);
MMM_API int mmm_count_part(int low, int high);
MMM_API int mmm_count_items(int count, int low);
MMM_API int mmm_count_next(void);
MMM_API void *mmm_count_local(const char *name, int size, int64_t count);
MMM_API void *mmm_count_private(const char *name, int size, int count);

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
    if (c->traffic) mmm_traffic_leave(c);
    if (c->lanes) book_group(c, thread);
    int64_t operations = thread->total.operations - thread->before.operations + (c->thread < GROUP ? c->beside : 0);
    if (operations > c->interval_most) c->interval_most = operations;
    c->thread = ALL_THREADS;
    c->now = c->between;
}

/* The first group begins or ends what it does alone: the region that follows is the other threads' at the same time. */
int mmm_count_first_group(int begin)
{
    mmm_counter *c = mmm_counter_now;
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

void mmm_count_operations(int64_t operations, int kind)
{
    mmm_counter *c = mmm_counter_now;
    c->now->operations += operations;
    if (c->traffic) mmm_traffic_operations(c, operations, kind);
    if (c->part_counter) mmm_parts_operations(c, operations, kind);
}

void mmm_count_reduction(void)
{
    mmm_counter *c = mmm_counter_now;
    if (c->traffic) mmm_traffic_reduction(c);
    if (c->part_counter && c->thread >= 0) mmm_parts_operations(c, 1, MMM_OPERATION_KINDS);
}

/* Memory is asked for what comes later. */
void mmm_count_ahead(void)
{
    mmm_counter *c = mmm_counter_now;
    if (c->traffic) c->traffic->ahead = true;
}

int mmm_count_region(int line)
{
    mmm_counter *c = mmm_counter_now;
    check_left(c, c->in_region);
    book(c);
    c->line = line;
    c->in_region = true;
    c->in_part = false;
    if (c->traffic) mmm_traffic_begin(c);
    return 1;
}

int mmm_count_region_end(int group)
{
    mmm_counter *c = mmm_counter_now;
    check_left(c, c->in_part);
    book(c);
    if (c->traffic && c->traffic->sparse) mmm_sparse_region(c);
    c->span += c->interval_most > c->beside ? c->interval_most : c->beside;
    c->interval_most = c->beside = 0;
    c->regions++;
    if (c->traffic) mmm_traffic_region(c, group);
    if ((++c->stamp & ((1 << INTERVAL_BITS) - 1)) == 0) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "a block of kernel '%s' has more than %d regions",
                              c->program->nodes[c->kernel].name, (1 << INTERVAL_BITS) - 1);
        longjmp(c->leave, 1);
    }
    if (!group || c->block_threads <= GROUP) c->barrier = c->stamp;
    c->in_region = c->in_part = false;
    return 0;
}

int64_t mmm_counter_thread_of(const mmm_counter *c, int64_t at)
{
    return c->items ? c->items_from + at % (c->block_threads - c->items_from) : at;
}

/* The thread runs from here on. */
static void enter(mmm_counter *c, int64_t number)
{
    mmm_thread *self = &c->threads[number];
    if (self->stamp != c->stamp) {
        self->stamp = c->stamp;
        self->before = self->total;
    }
    c->thread = (int32_t)number;
    c->now = &self->total;
}

/* Threads that had done nothing since the barrier have done the same: one of a group tells it for all. */
void mmm_counter_credit(mmm_counter *c, int64_t from, int64_t to, const mmm_tally *did)
{
    int64_t told = -1;
    for (int64_t at = from; at < to; at++) {
        const int64_t number = mmm_counter_thread_of(c, at);
        const bool first = c->threads[number].stamp != c->stamp;
        enter(c, number);
        mmm_tally_add(c->now, did, 1);
        const mmm_thread *self = &c->threads[number];
        const int64_t operations = self->total.operations - self->before.operations + (number < GROUP ? c->beside : 0);
        if (operations > c->interval_most) c->interval_most = operations;
        if (!c->lanes || (first && told == number / c->lanes)) continue;
        book_group(c, self);
        if (first) told = number / c->lanes;
    }
    c->thread = ALL_THREADS;
    c->now = c->between;
}

/* The turn of the thread at the walk's place, or of the one that has that item. */
static int turn(mmm_counter *c)
{
    int at = (int)c->walk.at, from = c->items_from;
    enter(c, mmm_counter_thread_of(c, at));
    if (c->part_counter) mmm_parts_turn(c);
    if (c->traffic) mmm_traffic_turn(c, c->items ? at / (c->block_threads - from) : 0);
    return at;
}

/* To a place of the part, or behind the last. */
static int go_on(mmm_counter *c, int64_t at)
{
    c->in_part = at < c->walk.high;
    if (!c->in_part) return -1;
    c->walk.at = (uint32_t)at;
    return turn(c);
}

/* In some order: no result may depend on it. */
static int walk_over(mmm_counter *c, int low, int high, bool items)
{
    check_left(c, c->in_part);
    book(c);
    if (c->part_counter) mmm_parts_end(c);
    c->parts++;
    c->items = items;
    c->in_part = low < high;
    if (c->part_counter) mmm_parts_begin(c);
    if (low >= high) return -1;
    c->walk = mmm_counter_walk(c, low, high);
    c->before_part = c->left;
    if (c->traffic && c->traffic->sparse) return go_on(c, mmm_sparse_first(c, low));
    if (c->few) return go_on(c, mmm_turns_first(c, low));
    return turn(c);
}

int mmm_count_part(int low, int high)
{
    return walk_over(mmm_counter_now, low, high, false);
}

/* Items of threads `low` and above, or of all where there are no such. */
int mmm_count_items(int count, int low)
{
    mmm_counter_now->items_from = low < mmm_counter_now->block_threads ? low : 0;
    return walk_over(mmm_counter_now, 0, count, true);
}

/* Whether a part will make more accesses than are left, if all of its groups make as many as the first. */
static bool is_too_much(const mmm_counter *c)
{
    return (double)(c->before_part - c->left) / GROUP * c->walk.count > (double)c->before_part;
}

/* The next thread or item of the part; -1: all had their turn. */
int mmm_count_next(void)
{
    mmm_counter *c = mmm_counter_now;
    mmm_walk *walk = &c->walk;
    book(c);
    if (c->traffic && c->traffic->sparse) return go_on(c, mmm_sparse_next(c));
    if (c->few) return go_on(c, mmm_turns_next(c));
    uint32_t at = walk->at + walk->step;
    if (at >= walk->high) at -= walk->count;
    if (at == walk->first) {
        c->in_part = false;
        return -1;
    }
    if (c->hasty && at == walk->first + GROUP && is_too_much(c)) mmm_counter_give_up(c);
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
    mmm_counter *c = mmm_counter_now;
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
    mmm_counter *c = mmm_counter_now;
    if (c->privates == MMM_PRIVATE_ARRAYS_MOST) {
        c->failure = mmm_fail(MMM_TOO_LARGE, "PRIVATE '%s' is one too many: a kernel has at most %d", name,
                              MMM_PRIVATE_ARRAYS_MOST);
        longjmp(c->leave, 1);
    }
    c->private_words += count * ((size + 7) / 8);
    c->private_bytes += count * ((size + 3) / 4) * 4;
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
    c->locals = c->privates = c->private_words = c->private_bytes = 0;
    c->regions = c->parts = 0;
    memset(&c->lane_sum, 0, sizeof c->lane_sum);
    c->stamp = c->barrier = c->block_start + 1;
    c->block_seed = c->seed ^ ((uint64_t)c->kernel << 32) ^ (uint64_t)c->block << 8;
    c->left = INT64_MAX;
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
    mmm_tally_add(&sum, &c->uniform, c->block_threads);
    mmm_tally_add(&sum, &c->alone, c->block_threads < GROUP ? c->block_threads : GROUP);
    for (int64_t t = 0; t < c->block_threads; t++) {
        const mmm_tally *total = &c->threads[t].total;
        mmm_tally_add(&sum, total, 1);
        if (total->operations > most.operations) most.operations = total->operations;
        if (total->reads > most.reads) most.reads = total->reads;
        if (total->writes > most.writes) most.writes = total->writes;
        if (total->local > most.local) most.local = total->local;
    }
    mmm_tally_add(&most, &c->uniform, 1);
    mmm_tally_add(&most, &c->alone, 1);
    if (c->traffic && c->traffic->sparse) mmm_sparse_block(c, &sum, &most);
    *cost = (mmm_cost){.blocks = 1,
                       .work = sum.operations,
                       .span = c->span + (c->interval_most > c->beside ? c->interval_most : c->beside),
                       .span_thread = most.operations,
                       .reads = most.reads,
                       .writes = most.writes};
    mmm_tally_add(&c->run_sum, &sum, 1);
    if (c->traffic) mmm_traffic_block(c, &most);
    if (c->local_words > c->local_words_most) c->local_words_most = c->local_words;
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
