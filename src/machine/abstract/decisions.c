/* SPDX-License-Identifier: Apache-2.0 */
/* What the abstract machine asks of decisions (docs/model.md): that they look at what is settled when they are made,
 * and that the order of the blocks does not matter. */
#include "machine/abstract/count.h"

#include <stdlib.h>
#include <string.h>

/* Settled is what the kernel wrote that has ended, and what kernels before it did. */
void mmm_counter_look(void *counter, int array, int64_t first, int64_t count)
{
    mmm_counter *c = counter;
    const mmm_zone *zone = &c->zones[array];
    const int position = c->position[c->program->unfolding->deciding];
    const mmm_stamp start = c->start_of[position] << INTERVAL_BITS, end = c->start_of[position + 1] << INTERVAL_BITS;
    c->kernel = c->program->unfolding->deciding;
    c->block = -1;
    c->thread = NO_THREAD;
    c->line = 0;
    c->block_start = ~(mmm_stamp)0; /* all blocks are others */
    for (int64_t i = first; i < first + count; i++) {
        const mmm_cell *cell = &zone->cells[i];
        if (cell->writer == 0)
            mmm_counter_note(c, KIND_UNWRITTEN, zone, i, 0, NO_THREAD, NULL);
        else if ((cell->writer < start || cell->writer >= end) && !mmm_counter_ordered(c, cell->writer))
            mmm_counter_note(c, KIND_KERNEL_RACE, zone, i, cell->writer, cell->writer_thread, NULL);
    }
}

static uint64_t mix(uint64_t print, uint64_t value)
{
    mmm_random random = {print ^ value};
    return mmm_random_next(&random);
}

mmm_status mmm_program_prints(const mmm_program *program, uint64_t **out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_alloc(out, program->kernels + 1, sizeof **out));
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        uint64_t print = mix((uint64_t)(uintptr_t)node->code, (uint64_t)node->blocks);
        print = mix(mix(print, (uint64_t)node->threads), (uint64_t)node->blocks_x);
        for (int i = 0; i < node->code->parameter_count; i++) {
            bool array = node->code->parameters[i].kind == MMM_PARAMETER_ARRAY;
            print = mix(print, array ? (uint64_t)node->arguments[i].number : node->arguments[i].word);
        }
        (*out)[k] = print;
    }
    for (int64_t e = 0; e < program->edge_count; e++) {
        uint64_t *print = &(*out)[program->edges[e].after];
        *print = mix(*print, (uint64_t)program->edges[e].before);
    }
done:
    return result;
}
