/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access policy (section 2.1): concurrent read, exclusive write, and nothing shared between unordered blocks. */
#include "machine/abstract/count.h"

/* Two threads of one block, in one interval; code outside regions is run by all threads. */
static bool another(const mmm_counter *c, int32_t thread)
{
    if (thread == ALL_THREADS || c->thread == ALL_THREADS) return c->block_threads > 1;
    return thread != c->thread;
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

void mmm_cell_read_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool local = zone->memory == LOCAL_MEMORY;
    if (cell->writer >= c->block_start) {
        if (cell->writer == c->stamp && another(c, cell->writer_thread))
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    } else if (cell->writer == 0 || local)
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index, 0, NO_THREAD, address);
    else
        collides(c, zone, index, cell->writer, cell->writer_thread, address);

    if (cell->reader == c->stamp) {
        if (cell->reader_thread != c->thread) {
            cell->other_thread = cell->reader_thread;
            cell->reader_thread = c->thread;
        }
        return;
    }
    if (cell->reader && cell->reader < c->block_start && !local) remember(c, cell, cell->reader);
    cell->reader = c->stamp;
    cell->reader_thread = c->thread;
    cell->other_thread = NO_THREAD;
}

void mmm_cell_write_slowly(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool local = zone->memory == LOCAL_MEMORY;
    if (cell->writer == c->stamp && another(c, cell->writer_thread))
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    else if (c->thread == ALL_THREADS && c->block_threads > 1) /* one store in the source, made by every thread */
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, c->stamp, ALL_THREADS, address);
    if (cell->reader == c->stamp) {
        if (another(c, cell->reader_thread))
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->reader_thread, address);
        else if (cell->other_thread != NO_THREAD)
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->other_thread, address);
    }
    if (!local) {
        bool found = cell->writer && collides(c, zone, index, cell->writer, cell->writer_thread, address);
        if (!found && cell->reader) found = collides(c, zone, index, cell->reader, cell->reader_thread, address);
        if (!found && cell->other_reader) found = collides(c, zone, index, cell->other_reader, NO_THREAD, address);
        for (int32_t slot = cell->more; slot && !found; slot = c->extra[slot].next)
            found = collides(c, zone, index, c->extra[slot].reader, NO_THREAD, address);
    }
    cell->writer = c->stamp;
    cell->writer_thread = c->thread;
}
