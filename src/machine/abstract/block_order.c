/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks precede which: numbers of blocks back to kernels, and kernels to their order in the DAG. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

void mmm_counter_shuffle(uint64_t seed, int kernel, int64_t blocks, int32_t *sequence)
{
    mmm_random random = {seed ^ ((uint64_t)kernel + 1) * 0x9e3779b97f4a7c15u};
    for (int64_t i = 0; i < blocks; i++) {
        int64_t j = (int64_t)mmm_random_below(&random, (uint64_t)i + 1);
        sequence[i] = sequence[j];
        sequence[j] = (int32_t)i;
    }
}

static int position_of(const mmm_counter *c, uint64_t number)
{
    int low = 0, high = c->position[c->kernel]; /* start_of is known up to the running kernel */
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
    *kernel = c->order->sequence[position];
    int64_t blocks = c->program->nodes[*kernel].blocks;
    int32_t *sequence;
    if (mmm_alloc(&sequence, blocks, sizeof *sequence) != MMM_OK) return; /* the block stays unknown */
    mmm_counter_shuffle(c->seed, *kernel, blocks, sequence);
    *block = sequence[number - c->start_of[position]];
    free(sequence);
}

bool mmm_counter_ordered(mmm_counter *c, mmm_stamp stamp)
{
    uint64_t number = stamp >> INTERVAL_BITS;
    if (number < 2) return true;
    int other = c->order->sequence[position_of(c, number)];
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
    return c->before[other];
}
