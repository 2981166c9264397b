/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access policy (section 2.1): concurrent read, exclusive write, and nothing shared between unordered blocks. */
#include "machine/abstract/count.h"

/* Who made atomics on an element since all threads of the block met, in one number from ATOMICS on down: a thread, and
 * whether others of its group did so in the same interval; no thread where more than one group did.  And whether the
 * element was written in the plain way before, by the block: what is ordered in it is not for other blocks; or by the
 * group since all threads met: that is not ordered for other groups. */
typedef struct atomics {
    int32_t thread; /* -1: of several groups */
    bool group, written_by_block, written_by_group;
} atomics;

static bool is_atomic(int32_t thread)
{
    return thread <= ATOMICS;
}

static int32_t pack(atomics by)
{
    return ATOMICS - (8 * (by.thread + 1) + 4 * by.group + 2 * by.written_by_block + by.written_by_group);
}

static atomics unpack(int32_t thread)
{
    int32_t number = ATOMICS - thread;
    return (atomics){number / 8 - 1, number >> 2 & 1, number >> 1 & 1, number & 1};
}

/* Whether the thread that touched an element at `stamp`, since all threads of the block met, is another one than the
 * running one and not ordered with it.  Code outside regions is run by all threads.  Threads of a group are ordered by
 * the end of a region of groups, those of different groups are not. */
static bool another(const mmm_counter *c, int32_t thread, mmm_stamp stamp)
{
    if (is_atomic(thread)) {
        atomics by = unpack(thread);
        thread = by.thread;
        if (by.group && c->thread >= 0) return stamp == c->stamp || thread / GROUP != c->thread / GROUP;
    }
    if (c->block_threads == 1 || thread == c->thread) return c->thread == ALL_THREADS && c->block_threads > 1;
    if (thread < 0 || c->thread < 0) return true;
    return stamp == c->stamp || thread / GROUP != c->thread / GROUP;
}

/* Notes a collision with an unordered block, or returns false. */
static bool collides(mmm_counter *c, const mmm_zone *zone, int64_t index, mmm_stamp other, int32_t thread,
                     const void *address)
{
    if (other >= c->block_start || other < c->ordered_below) return false;
    bool same_kernel = other >= c->kernel_start;
    if (!same_kernel && mmm_counter_ordered(c, other)) return false;
    mmm_counter_note(c, same_kernel ? KIND_BLOCK_RACE : KIND_KERNEL_RACE, zone, index, other, thread, address);
    return true;
}

static bool ordered(mmm_counter *c, mmm_stamp stamp)
{
    return stamp < c->ordered_below || (stamp < c->kernel_start && mmm_counter_ordered(c, stamp));
}

/* Keeps who read the cell or made an atomic on it in another block that is not ordered with this one.  One of a kernel
 * and a kind is enough: whoever collides with one of them collides with another. */
static void remember(mmm_counter *c, mmm_cell *cell, mmm_stamp other, mmm_stamp kind)
{
    if (ordered(c, other)) return;
    mmm_stamp old = cell->other, before = old & ~BY_ATOMIC;
    cell->other = other | kind;
    if (!old || ordered(c, before)) return;
    if (before >= c->kernel_start && other >= c->kernel_start && (old & BY_ATOMIC) == kind) return;
    c->failure = mmm_grow(&c->extra, &c->extra_room, c->extra_count + 2, sizeof *c->extra);
    if (c->failure != MMM_OK) longjmp(c->leave, 1);
    c->extra[++c->extra_count] = (mmm_extra){.other = old, .next = cell->more};
    cell->more = (int32_t)c->extra_count;
}

/* Whether an access collides with one of those: all but a read with reads, all but an atomic with atomics. */
static bool meets_others(mmm_counter *c, mmm_zone *zone, int64_t index, bool read, bool atomic, const void *address)
{
    const mmm_cell *cell = &zone->cells[index];
    mmm_stamp other = cell->other;
    for (int32_t slot = cell->more;; slot = c->extra[slot].next) {
        bool counts = other && !(other & BY_ATOMIC ? atomic : read);
        if (counts && collides(c, zone, index, other & ~BY_ATOMIC, NO_THREAD, address)) return true;
        if (!slot) return false;
        other = c->extra[slot].other;
    }
}

/* Since all threads met the cell was read; now the running thread reads it, too.  Kept are the last reader and another
 * one: of another group, if there was one, else of the same interval. */
static void read_again(const mmm_counter *c, mmm_cell *cell)
{
    int32_t last = cell->reader_thread, other = cell->other_thread;
    bool far = other != NO_THREAD && (other < 0 || c->thread < 0 || other / GROUP != c->thread / GROUP);
    if (last != c->thread && (last < 0 || c->thread < 0 || last / GROUP != c->thread / GROUP))
        cell->other_thread = last;
    else if (!far)
        cell->other_thread = cell->reader != c->stamp ? NO_THREAD : last != c->thread ? last : other;
    cell->reader = c->stamp;
    cell->reader_thread = c->thread;
}

void mmm_cell_read_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool local = zone->memory == LOCAL_MEMORY;
    if (cell->writer >= c->block_start) {
        if (cell->writer >= c->barrier && another(c, cell->writer_thread, cell->writer))
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    } else if (cell->writer == 0 || local)
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index, 0, NO_THREAD, address);
    else if (!collides(c, zone, index, cell->writer, cell->writer_thread, address) && cell->other)
        meets_others(c, zone, index, true, false, address);
    if (!local && cell->writer >= c->block_start && cell->other) meets_others(c, zone, index, true, false, address);

    if (cell->reader >= c->barrier) {
        read_again(c, cell);
        return;
    }
    if (cell->reader && cell->reader < c->block_start && !local) remember(c, cell, cell->reader, 0);
    cell->reader = c->stamp;
    cell->reader_thread = c->thread;
    cell->other_thread = NO_THREAD;
}

/* What a write, plain or atomic, collides with among the reads. */
static void check_readers(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    if (cell->reader < c->barrier) return;
    if (another(c, cell->reader_thread, cell->reader))
        mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->reader_thread, address);
    else if (cell->other_thread != NO_THREAD && another(c, cell->other_thread, cell->reader))
        mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->other_thread, address);
}

/* The same among accesses of other blocks; by `atomic` threads, other atomics are none. */
static void check_blocks(mmm_counter *c, mmm_zone *zone, int64_t index, bool atomic, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    if (zone->memory == LOCAL_MEMORY) return;
    bool together = atomic && is_atomic(cell->writer_thread) && !unpack(cell->writer_thread).written_by_block;
    bool found = cell->writer && !together && collides(c, zone, index, cell->writer, cell->writer_thread, address);
    if (!found && cell->reader) found = collides(c, zone, index, cell->reader, cell->reader_thread, address);
    if (!found && cell->other) meets_others(c, zone, index, false, atomic, address);
}

void mmm_cell_write_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    if (cell->writer >= c->barrier && another(c, cell->writer_thread, cell->writer))
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    else if (c->thread == ALL_THREADS && c->block_threads > 1) /* one store in the source, made by every thread */
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, c->stamp, ALL_THREADS, address);
    check_readers(c, zone, index, address);
    check_blocks(c, zone, index, false, address);
    cell->writer = c->stamp;
    cell->writer_thread = c->thread;
}

/* The atomics on a cell with that of the running thread. */
static int32_t with_mine(const mmm_counter *c, const mmm_cell *cell)
{
    bool before = is_atomic(cell->writer_thread), recent = cell->writer >= c->barrier;
    atomics by = before ? unpack(cell->writer_thread) : (atomics){0, false, true, true}, mine = {.thread = c->thread};
    mine.written_by_block = cell->writer >= c->block_start && by.written_by_block;
    mine.written_by_group = recent && by.written_by_group;
    if (!recent || !before) return pack(mine);
    if (by.thread < 0 || by.thread / GROUP != c->thread / GROUP)
        mine.thread = -1;
    else if (cell->writer == c->stamp) /* the group's of earlier intervals are ordered */
        mine.group = by.group || by.thread != c->thread;
    return pack(mine);
}

/* Whether the running thread's atomic collides with a plain write since all threads met. */
static bool meets_write(const mmm_counter *c, const mmm_cell *cell)
{
    if (cell->writer < c->barrier) return false;
    if (!is_atomic(cell->writer_thread)) return another(c, cell->writer_thread, cell->writer);
    atomics by = unpack(cell->writer_thread);
    return by.written_by_group && by.thread >= 0 && by.thread / GROUP != c->thread / GROUP;
}

/* Atomics on one element never collide with each other, but with all else as a write does. */
void mmm_cell_atomic(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    if (cell->writer < (zone->memory == LOCAL_MEMORY ? c->block_start : 1))
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index, 0, NO_THREAD, address);
    if (meets_write(c, cell))
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    check_readers(c, zone, index, address);
    check_blocks(c, zone, index, true, address);
    if (zone->memory == GLOBAL_MEMORY && cell->writer < c->block_start && is_atomic(cell->writer_thread))
        remember(c, cell, cell->writer, BY_ATOMIC);
    if (cell->writer == c->stamp && !is_atomic(cell->writer_thread))
        return; /* a write goes on to collide with others */
    cell->writer_thread = with_mine(c, cell);
    cell->writer = c->stamp;
}
