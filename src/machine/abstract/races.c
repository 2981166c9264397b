/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access policy (section 2.1): concurrent read, exclusive write, and nothing shared between unordered blocks. */
#include "machine/abstract/count.h"

/* Whether the thread that touched an element at `stamp`, since all threads of the block met, is another one than the
 * running one and not ordered with it.  Code outside regions is run by all threads.  Threads of a group are ordered by
 * the end of a region of groups, those of different groups are not. */
static bool another(const mmm_counter *c, int32_t thread, mmm_stamp stamp)
{
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

/* Keeps a reader of another block that is not ordered with this one.  One of a kernel is enough: whoever collides with
 * one of them collides with another. */
static void remember(mmm_counter *c, mmm_cell *cell, mmm_stamp reader)
{
    if (ordered(c, reader)) return;
    mmm_stamp old = cell->other_reader;
    cell->other_reader = reader;
    if (!old || ordered(c, old) || (old >= c->kernel_start && reader >= c->kernel_start)) return;
    c->failure = mmm_grow(&c->extra, &c->extra_room, c->extra_count + 2, sizeof *c->extra);
    if (c->failure != MMM_OK) longjmp(c->leave, 1);
    c->extra[++c->extra_count] = (mmm_extra){.reader = old, .next = cell->more};
    cell->more = (int32_t)c->extra_count;
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
    else
        collides(c, zone, index, cell->writer, cell->writer_thread, address);

    if (cell->reader >= c->barrier) {
        read_again(c, cell);
        return;
    }
    if (cell->reader && cell->reader < c->block_start && !local) remember(c, cell, cell->reader);
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
    bool together = atomic && cell->writer_thread == ATOMIC_THREAD;
    bool found = cell->writer && !together && collides(c, zone, index, cell->writer, cell->writer_thread, address);
    if (!found && cell->reader) found = collides(c, zone, index, cell->reader, cell->reader_thread, address);
    if (!found && cell->other_reader) found = collides(c, zone, index, cell->other_reader, NO_THREAD, address);
    for (int32_t slot = cell->more; slot && !found; slot = c->extra[slot].next)
        found = collides(c, zone, index, c->extra[slot].reader, NO_THREAD, address);
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

/* Atomics on one element never collide with each other, but with all else as a write does. */
void mmm_cell_atomic(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool recent = cell->writer >= c->barrier, plain = recent && cell->writer_thread != ATOMIC_THREAD;
    if (cell->writer < (zone->memory == LOCAL_MEMORY ? c->block_start : 1))
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index, 0, NO_THREAD, address);
    if (plain && another(c, cell->writer_thread, cell->writer))
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    check_readers(c, zone, index, address);
    check_blocks(c, zone, index, true, address);
    if (!plain) cell->writer_thread = ATOMIC_THREAD; /* a plain write before goes on to collide with others' atomics */
    cell->writer = c->stamp;
}
