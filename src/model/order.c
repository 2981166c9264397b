/* SPDX-License-Identifier: Apache-2.0 */
/* The topological order of a kernel DAG and the quantities read off it (section 2.2). */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours of k are list[first[k]] .. list[first[k + 1] - 1], in the order of the edges; those of decisions are
 * marked.
 */
static void fill_neighbours(const mmm_program *program, bool before, int *first, int *list, bool *decides)
{
    for (int64_t e = 0; e < program->edge_count; e++)
        first[(before ? program->edges[e].after : program->edges[e].before) + 1]++;
    for (int64_t k = 0; k < program->kernels; k++)
        first[k + 1] += first[k];
    /* Filling from the back of each range moves its end down to its beginning, which is the next kernel's end. */
    for (int64_t e = program->edge_count - 1; e >= 0; e--) {
        const mmm_edge *edge = &program->edges[e];
        int at = --first[(before ? edge->after : edge->before) + 1];
        list[at] = before ? edge->before : edge->after;
        decides[at] = edge->decides;
    }
    memmove(first, first + 1, (size_t)program->kernels * sizeof *first);
    first[program->kernels] = (int)program->edge_count;
}

/* `waiting` counts the predecessors that were never reached: a kernel with some is on a cycle or after one, so going
 * back as many steps as there are kernels ends on a cycle. */
static mmm_status fail_for_cycle(const mmm_program *program, const int *waiting)
{
    mmm_status result;
    int *back = NULL, kernel = 0;
    TRY(mmm_alloc(&back, program->kernels, sizeof *back));
    for (int64_t e = 0; e < program->edge_count; e++)
        if (waiting[program->edges[e].before] > 0) back[program->edges[e].after] = program->edges[e].before;
    while (waiting[kernel] == 0)
        kernel++;
    for (int64_t step = 0; step < program->kernels; step++)
        kernel = back[kernel];
    FAIL(MMM_INVALID, "kernel '%.100s' is on a cycle: it would have to come before itself",
         program->nodes[kernel].name);
done:
    free(back);
    return result;
}

static mmm_status make_order(const mmm_program *program, mmm_order *order)
{
    mmm_status result = MMM_OK;
    int *waiting = NULL, done_count = 0, seen = 0;
    order->kernels = (int)program->kernels;
    TRY(mmm_alloc(&waiting, program->kernels, sizeof *waiting));
    TRY(mmm_alloc(&order->sequence, program->kernels, sizeof *order->sequence));
    TRY(mmm_alloc(&order->first, program->kernels + 1, sizeof *order->first));
    TRY(mmm_alloc(&order->to, program->edge_count, sizeof *order->to));
    TRY(mmm_alloc(&order->from_first, program->kernels + 1, sizeof *order->from_first));
    TRY(mmm_alloc(&order->from, program->edge_count, sizeof *order->from));
    TRY(mmm_alloc(&order->to_decides, program->edge_count, sizeof *order->to_decides));
    TRY(mmm_alloc(&order->from_decides, program->edge_count, sizeof *order->from_decides));
    TRY(mmm_alloc(&order->level, program->kernels, sizeof *order->level));
    fill_neighbours(program, false, order->first, order->to, order->to_decides);
    fill_neighbours(program, true, order->from_first, order->from, order->from_decides);
    for (int k = 0; k < order->kernels; k++) {
        waiting[k] = order->from_first[k + 1] - order->from_first[k];
        if (waiting[k] == 0) order->sequence[seen++] = k;
    }
    for (; done_count < seen; done_count++) {
        int k = order->sequence[done_count];
        for (int i = order->first[k]; i < order->first[k + 1]; i++) {
            int next = order->to[i];
            if (order->level[next] <= order->level[k]) order->level[next] = order->level[k] + 1;
            if (--waiting[next] == 0) order->sequence[seen++] = next;
        }
    }
    if (seen < order->kernels) TRY(fail_for_cycle(program, waiting));
done:
    free(waiting);
    return result;
}

mmm_status mmm_program_order(const mmm_program *program, const mmm_order **out)
{
    mmm_status result = MMM_OK;
    if (!program->order->sequence) TRY(make_order(program, program->order));
    *out = program->order;
done:
    if (result != MMM_OK) mmm_order_clear(program->order);
    return result;
}

void mmm_order_clear(mmm_order *order)
{
    free(order->sequence);
    free(order->first);
    free(order->to);
    free(order->from_first);
    free(order->from);
    free(order->to_decides);
    free(order->from_decides);
    free(order->level);
    *order = (mmm_order){0};
}

/* The most decisions on a path to each kernel. */
static void count_decisions(const mmm_order *order, int64_t *to)
{
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        to[k] = 0;
        for (int j = order->from_first[k]; j < order->from_first[k + 1]; j++)
            if (to[order->from[j]] + order->from_decides[j] > to[k])
                to[k] = to[order->from[j]] + order->from_decides[j];
    }
}

mmm_status mmm_program_extent(const mmm_program *program, mmm_shape *out)
{
    mmm_status result = MMM_OK;
    mmm_shape shape = {0};
    int64_t *blocks = NULL;
    const mmm_order *order;
    shape.kernels = program->kernels;
    shape.edges = program->edge_count;
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&blocks, program->kernels, sizeof *blocks));
    for (int k = 0; k < order->kernels; k++) {
        blocks[k] = program->nodes[k].blocks;
        if (__builtin_add_overflow(shape.N, blocks[k], &shape.N))
            FAIL(MMM_TOO_LARGE, "the program has more than 2^63 - 1 thread-blocks (from kernel '%.100s' on)",
                 program->nodes[k].name);
        if (order->level[k] >= shape.L) shape.L = order->level[k] + 1;
    }
    shape.L_edges = shape.L ? shape.L - 1 : 0;
    shape.parallel_steps = shape.L;
    count_decisions(order, blocks);
    for (int k = 0; k < order->kernels; k++) {
        shape.unfolded += blocks[k] > 0;
        if (blocks[k] > shape.decisions) shape.decisions = blocks[k];
    }
    *out = shape;
done:
    free(blocks);
    return result;
}

mmm_status mmm_program_shape(const mmm_program *program, mmm_shape *out)
{
    mmm_status result = MMM_OK;
    int64_t *blocks = NULL;
    const mmm_order *order;
    mmm_shape shape;
    NEED(program, "the program");
    NEED(out, "the place for the shape of a program");
    TRY(mmm_program_extent(program, &shape));
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&blocks, program->kernels, sizeof *blocks));
    for (int64_t k = 0; k < program->kernels; k++)
        blocks[k] = program->nodes[k].blocks;
    TRY(mmm_antichain(order, blocks, &shape.K));
    *out = shape;
done:
    free(blocks);
    return result;
}
