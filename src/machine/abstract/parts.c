/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of regions as a core of a CPU runs them: how many turns they have, what is done in them, and how the elements
 * lie that neighbouring turns access at one place of the code. */
#include "machine/abstract/parts.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_part_counter_new(const mmm_parameters *machine, mmm_part_sink *sink, void *context,
                                mmm_part_counter **out)
{
    mmm_status status = mmm_alloc(out, 1, sizeof **out);
    if (status != MMM_OK) return status;
    (*out)->constants = machine->constants;
    (*out)->sink = sink;
    (*out)->context = context;
    (*out)->none.follower = (*out)->at = &(*out)->none; /* of no part */
    (*out)->vector_bytes = 4 * (machine->lanes ? machine->lanes : 1);
    return MMM_OK;
}

void mmm_part_counter_free(mmm_part_counter *x)
{
    if (x) mmm_turns_free(x->turns);
    free(x);
}

void mmm_parts_block(mmm_counter *c)
{
    mmm_part_counter *x = c->part_counter;
    const mmm_node *node = &c->program->nodes[c->kernel];
    x->width = node->threads_x < node->threads ? node->threads_x : 0;
    memset(x->limits, 0, sizeof x->limits);
    x->operations = x->accesses = x->exchanges = x->lines = x->distinct = 0;
    x->block++;
    x->open = false;
    x->recorded = NULL;
}

void mmm_parts_begin(mmm_counter *c)
{
    mmm_part_counter *x = c->part_counter;
    memset(&x->now, 0, sizeof x->now);
    x->part++;
    x->at = &x->none;
    x->count = 0;
    x->size = 4;
    x->open = true;
}

void mmm_parts_turn(mmm_counter *c)
{
    c->part_counter->turn++;
    c->part_counter->now.turns++;
}

void mmm_parts_operations(mmm_counter *c, int64_t operations, int kind)
{
    mmm_part_counter *x = c->part_counter;
    if (c->thread < 0 && kind == MMM_OPERATION_EXCHANGE)
        x->exchanges += operations * ((c->block_threads + GROUP - 1) / GROUP);
    else if (c->thread < 0)
        x->operations += operations;
    else
        x->now.operations[kind] += operations;
}

part_place *mmm_parts_place(mmm_part_counter *x, const mmm_zone *zone, int64_t index, bool write, const void *address)
{
    uint64_t i = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> 32 & (PLACES - 1);
    while (x->places[i].part == x->part && x->places[i].address != address)
        i = (i + 1) & (PLACES - 1);
    part_place *p = &x->places[i];
    if (p->part == x->part) return p;
    if (x->count == PLACES_MOST) return NULL;
    *p = (part_place){.address = address,
                      .follower = &x->none,
                      .part = x->part,
                      .turn = x->turn,
                      .index = index,
                      .line = index << zone->shift >> LINE_BITS,
                      .lines = 1,
                      .times = -1,
                      .global = zone->memory == GLOBAL_MEMORY,
                      .write = write};
    x->used[x->count++] = (int)i;
    if (p->global) mmm_parts_line(x, zone, p->line);
    if (1 << zone->shift > x->size) x->size = 1 << zone->shift;
    return p;
}

void mmm_parts_access(mmm_counter *c, const mmm_zone *zone, int64_t index, bool write, const void *address)
{
    mmm_part_counter *x = c->part_counter;
    if (c->thread < 0) {
        x->accesses += zone->memory != PRIVATE_MEMORY;
        return;
    }
    if (zone->memory == PRIVATE_MEMORY) {
        x->now.own++;
        return;
    }
    mmm_parts_take_access(c, x, zone, index, write, address);
}

/* A place is of the kind that most of its turns are; a row's end in a matrix is no gather. */
void mmm_parts_end(mmm_counter *c)
{
    mmm_part_counter *x = c->part_counter;
    mmm_part *part = &x->now;
    if (!x->open) return;
    for (int i = 0; i < x->count; i++) {
        const part_place *p = &x->places[x->used[i]];
        const bool far = 4 * p->far > p->same + p->next + p->far;
        *(far && p->write     ? &part->scattered
          : far               ? &part->gathered
          : p->same > p->next ? &part->same
                              : &part->vector) += p->accesses;
        if (p->global) part->lines += p->lines < p->aside ? p->lines : p->aside;
    }
    part->width = x->width && !c->items && part->turns % x->width == 0 ? x->width : part->turns;
    if (!part->width) part->width = 1;
    part->lanes = x->vector_bytes / x->size > 0 ? x->vector_bytes / x->size : 1;
    x->open = false;
    x->lines += part->lines;
    if (x->sink)
        x->sink(x->context, part);
    else
        mmm_part_time(part, x->constants, x->limits);
}

void mmm_parts_take(mmm_counter *c, mmm_profile *out)
{
    mmm_part_counter *x = c->part_counter;
    mmm_parts_end(c);
    const mmm_part whole = {.operations = {x->operations, [MMM_OPERATION_EXCHANGE] = x->exchanges},
                            .own = x->accesses,
                            .lines = x->lines,
                            .distinct = x->distinct};
    if (x->sink)
        x->sink(x->context, &whole);
    else
        mmm_part_time(&whole, x->constants, x->limits);
    out->lines = x->lines;
    out->distinct = x->distinct;
    for (int i = 0; i < MMM_LIMITS; i++)
        out->time[i] = (int64_t)(x->limits[i] * 1e12 + 0.5);
}
