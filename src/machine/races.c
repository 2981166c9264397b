/* SPDX-License-Identifier: Apache-2.0 */
/* Memory access policy (section 2.1): concurrent read, exclusive write, and nothing shared between unordered blocks. */
#include "machine/count.h"

/* Two threads of one block, in one interval; code outside regions is run by all threads. */
static bool another(const mmm_counter *c, int32_t thread)
{
    if (thread == ALL_THREADS || c->thread == ALL_THREADS) return c->block_threads > 1;
    return thread != c->thread;
}

/* Notes a collision with an unordered block, or returns false. */
static bool collides(mmm_counter *c, const mmm_zone *zone, int64_t index, uint64_t other, int32_t thread,
                     const void *address)
{
    if (other == c->number || other < c->ordered_below) return false;
    bool same_kernel = other >= c->kernel_start;
    if (!same_kernel && mmm_counter_ordered(c, other)) return false;
    mmm_counter_note(c, same_kernel ? KIND_BLOCK_RACE : KIND_KERNEL_RACE, zone, index, other, thread, address);
    return true;
}

/* Keeps a reader that is not ordered with the one that takes its place. */
static void remember(mmm_counter *c, mmm_cell *cell, uint64_t reader)
{
    if (reader < c->ordered_below || (reader < c->kernel_start && mmm_counter_ordered(c, reader))) return;
    if (cell->other_reader) {
        /* One reader of a kernel is enough: whoever collides with one collides with them all, or is that one. */
        bool known = cell->other_reader >= c->kernel_start && reader >= c->kernel_start;
        if (!known && !(cell->other_reader < c->kernel_start && mmm_counter_ordered(c, cell->other_reader))) {
            c->failure = mmm_grow(&c->extra, &c->extra_room, c->extra_count + 2, sizeof *c->extra);
            if (c->failure != MMM_OK) longjmp(c->leave, 1);
            int64_t slot = ++c->extra_count;
            c->extra[slot] = (mmm_extra){.reader = cell->other_reader, .next = cell->more};
            cell->more = (int32_t)slot;
        }
    }
    cell->other_reader = reader;
}

void mmm_cell_read(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool local = zone->memory == LOCAL_MEMORY;
    if (cell->writer == c->number) {
        if (cell->writer_interval == c->interval && another(c, cell->writer_thread))
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    } else if (cell->writer == 0 || local)
        mmm_counter_note(c, KIND_UNWRITTEN, zone, index, 0, NO_THREAD, address);
    else
        collides(c, zone, index, cell->writer, cell->writer_thread, address);

    if (cell->reader == c->number && cell->reader_interval == c->interval) {
        if (cell->reader_thread != c->thread) {
            cell->other_thread = cell->reader_thread;
            cell->reader_thread = c->thread;
        }
        return;
    }
    if (cell->reader != c->number && cell->reader && !local) remember(c, cell, cell->reader);
    cell->reader = c->number;
    cell->reader_interval = c->interval;
    cell->reader_thread = c->thread;
    cell->other_thread = NO_THREAD;
}

void mmm_cell_write(mmm_counter *c, mmm_zone *zone, int64_t index, const void *address)
{
    mmm_cell *cell = &zone->cells[index];
    bool local = zone->memory == LOCAL_MEMORY;
    if (cell->writer == c->number) {
        if (cell->writer_interval == c->interval && another(c, cell->writer_thread))
            mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, cell->writer, cell->writer_thread, address);
    } else if (cell->writer && !local)
        collides(c, zone, index, cell->writer, cell->writer_thread, address);
    /* All threads of a block store outside regions: one store, many writers. */
    if (c->thread == ALL_THREADS && c->block_threads > 1)
        mmm_counter_note(c, KIND_WRITE_WRITE, zone, index, c->number, ALL_THREADS, address);

    if (cell->reader == c->number && cell->reader_interval == c->interval) {
        if (another(c, cell->reader_thread))
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->reader_thread, address);
        else if (cell->other_thread != NO_THREAD)
            mmm_counter_note(c, KIND_READ_WRITE, zone, index, cell->reader, cell->other_thread, address);
    }
    if (!local) {
        bool found = cell->reader && collides(c, zone, index, cell->reader, cell->reader_thread, address);
        if (!found && cell->other_reader) found = collides(c, zone, index, cell->other_reader, NO_THREAD, address);
        for (int32_t slot = cell->more; slot && !found; slot = c->extra[slot].next)
            found = collides(c, zone, index, c->extra[slot].reader, NO_THREAD, address);
    }
    cell->writer = c->number;
    cell->writer_interval = c->interval;
    cell->writer_thread = c->thread;
}
