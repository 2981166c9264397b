/* SPDX-License-Identifier: Apache-2.0 */
/* In which order blocks and threads run; and which blocks precede which: numbers of blocks back to kernels, and kernels
 * to their order in the DAG. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

void mmm_counter_shuffle(const mmm_counter *c, int kernel, int64_t blocks, int32_t *sequence)
{
    mmm_random random = {c->seed ^ ((uint64_t)kernel + 1) * 0x9e3779b97f4a7c15u};
    for (int64_t i = 0; i < blocks; i++) {
        int64_t j = c->shuffled ? (int64_t)mmm_random_below(&random, (uint64_t)i + 1) : i;
        sequence[i] = sequence[j];
        sequence[j] = (int32_t)i;
    }
}

/* Up or down, or in steps of a prime larger than any number of threads, which meets every thread once: seldomer, for
 * caches foresee the others. */
mmm_walk mmm_counter_walk(const mmm_counter *c, int low, int high)
{
    static const uint32_t steps[] = {2147483659, 2147483693, 2147483713, 2147483743};
    uint32_t count = (uint32_t)(high - low), first = (uint32_t)low, step = 1;
    if (c->shuffled && count > 1) {
        mmm_random random = {c->block_seed + (uint64_t)c->parts};
        uint64_t drawn = mmm_random_next(&random);
        if (drawn % 4 == 0)
            step = steps[drawn / 4 % 4] % count;
        else if (drawn % 4 == 1)
            step = count - 1;
        first += (uint32_t)((drawn >> 32) * count >> 32);
    }
    return (mmm_walk){.first = first, .step = step, .high = (uint32_t)high, .count = count, .at = first};
}

mmm_status mmm_counter_extend(mmm_counter *c, int first)
{
    mmm_status result = MMM_OK;
    const int64_t kernels = c->program->kernels;
    TRY(mmm_grow(&c->sequence, &c->sequence_room, kernels, sizeof *c->sequence));
    TRY(mmm_grow(&c->position, &c->position_room, kernels, sizeof *c->position));
    TRY(mmm_grow(&c->prefix, &c->prefix_room, kernels, sizeof *c->prefix));
    TRY(mmm_grow(&c->start_of, &c->start_room, kernels + 1, sizeof *c->start_of));
    TRY(mmm_grow(&c->before, &c->before_room, kernels, 1));
    TRY(mmm_grow(&c->stack, &c->stack_room, kernels + 1, sizeof *c->stack));
    uint64_t number = c->known ? c->start_of[c->known] : 2;
    for (int i = 0; i < c->order->kernels; i++) {
        int kernel = c->order->sequence[i];
        if (kernel < first) continue;
        c->start_of[c->known] = number;
        c->position[kernel] = c->known;
        c->sequence[c->known++] = kernel;
        number += (uint64_t)c->program->nodes[kernel].blocks;
    }
    c->start_of[c->known] = number;
    c->before_of = c->shares_of = -1;
done:
    return result;
}

static int position_of(const mmm_counter *c, uint64_t number)
{
    int low = 0, high = c->known - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (c->start_of[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void mmm_counter_locate(mmm_counter *c, mmm_stamp stamp, int *kernel, int64_t *block)
{
    uint64_t number = stamp >> INTERVAL_BITS;
    *kernel = -1;
    *block = -1;
    if (number < 2) return;
    int position = position_of(c, number);
    *kernel = c->sequence[position];
    int64_t blocks = c->program->nodes[*kernel].blocks;
    int32_t *sequence;
    if (mmm_alloc(&sequence, blocks, sizeof *sequence) != MMM_OK) return; /* the block stays unknown */
    mmm_counter_shuffle(c, *kernel, blocks, sequence);
    *block = sequence[number - c->start_of[position]];
    free(sequence);
}

int mmm_counter_strand(const mmm_counter *c, int kernel)
{
    while (c->program->nodes[kernel].shares)
        kernel--;
    return kernel;
}

/* Whether the block of that number, of another kernel, and the running one are in different shares of kernels that go
 * on with each other share by share. */
static bool is_apart(mmm_counter *c, int other, uint64_t number)
{
    const mmm_node *nodes = c->program->nodes;
    if (c->block < 0 || other >= c->kernel || other < mmm_counter_strand(c, c->kernel)) return false;
    if (c->shares_of != other) {
        c->failure = mmm_grow(&c->shares, &c->shares_room, nodes[other].blocks, sizeof *c->shares);
        if (c->failure != MMM_OK) longjmp(c->leave, 1);
        mmm_counter_shuffle(c, other, nodes[other].blocks, c->shares);
        c->shares_of = other;
    }
    const int64_t shares = nodes[c->kernel].shares * c->program->batch;
    const int64_t block = c->shares[number - c->start_of[c->position[other]]];
    return block / (nodes[other].blocks / shares) != c->block / (nodes[c->kernel].blocks / shares);
}

bool mmm_counter_ordered(mmm_counter *c, mmm_stamp stamp)
{
    uint64_t number = stamp >> INTERVAL_BITS;
    if (number < 2) return true;
    int other = c->sequence[position_of(c, number)];
    if (c->before_of != c->kernel) { /* walk up from the running kernel once */
        int depth = 0;
        memset(c->before, 0, (size_t)c->program->kernels);
        c->before_of = c->kernel;
        c->stack[depth++] = c->kernel;
        while (depth) {
            int kernel = c->stack[--depth];
            for (int i = c->order->from_first[kernel]; i < c->order->from_first[kernel + 1]; i++) {
                int predecessor = c->order->from[i];
                if (c->before[predecessor]) continue;
                c->before[predecessor] = 1;
                c->stack[depth++] = predecessor;
            }
        }
    }
    return c->before[other] && !is_apart(c, other, number);
}
