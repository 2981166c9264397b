/* SPDX-License-Identifier: Apache-2.0 */
/* The extended model: launches, barriers, and SMs that run a limited number of threads at once (docs/model.md). */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

double mmm_extended_block(const mmm_profile *block, const mmm_rates *rates)
{
    return (double)block->regions * rates->barrier + (double)block->parts * rates->part +
           (double)block->lane_operations * rates->operation + (double)block->lane_words * rates->word +
           (double)block->lane_local * rates->access;
}

/* Blocks that a SM has at once, where threads of several of them take turns on its lanes.  A GPU keeps twice the
 * threads that a block may have; a core of a CPU has one block. */
static int64_t resident(const mmm_node *node, const mmm_parameters *machine)
{
    if (!machine->threads) return 1;
    int64_t by_threads = 2 * machine->threads / node->threads;
    int64_t by_memory = node->local_words ? machine->Z / node->local_words : by_threads;
    int64_t least = by_threads < by_memory ? by_threads : by_memory;
    return least < 1 ? 1 : least < 32 ? least : 32;
}

void mmm_estimate_terms(const mmm_node *node, const mmm_profile *groups, int64_t count, const mmm_parameters *machine,
                        double terms[MMM_RATE_COUNT])
{
    double sums[5] = {0}, blocks = 0;
    for (int64_t g = 0; g < count; g++) {
        const mmm_profile *p = &groups[g];
        double n = (double)p->cost.blocks, parts[] = {(double)p->regions, (double)p->parts, (double)p->lane_operations,
                                                      (double)p->lane_words, (double)p->lane_local};
        for (int i = 0; i < 5; i++)
            sums[i] += n * parts[i];
        blocks += n;
    }
    /* Rounds of blocks on the busiest SM; the barriers of blocks that it has at once pass together. */
    int64_t P = machine->P ? machine->P : node->blocks > 0 ? node->blocks : 1;
    int64_t rounds = (node->blocks + P - 1) / P, most = resident(node, machine), passes = (rounds + most - 1) / most;
    double share = blocks > 0 ? (double)rounds / blocks : 0;
    double together = (double)passes / (double)rounds;
    terms[0] += 1;
    terms[1] += sums[0] * share * together;
    for (int i = 1; i < 5; i++)
        terms[1 + i] += sums[i] * share;
}

mmm_kernel_time mmm_extended_kernel(const mmm_node *node, const mmm_profile *groups, int64_t count,
                                    const mmm_parameters *machine, const mmm_rates *rates)
{
    double terms[MMM_RATE_COUNT] = {0}, most = 0;
    mmm_kernel_time time = {.launch = rates->launch};
    for (int64_t g = 0; g < count; g++) {
        double block = mmm_extended_block(&groups[g], rates);
        time.blocks += (double)groups[g].cost.blocks * block;
        if (block > most) most = block;
    }
    time.longest = (double)resident(node, machine) * most;
    mmm_estimate_terms(node, groups, count, machine, terms);
    time.alone = terms[1] * rates->barrier + terms[2] * rates->part + terms[3] * rates->operation +
                 terms[4] * rates->word + terms[5] * rates->access;
    int64_t P = machine->P, rounds = P ? (node->blocks + P - 1) / P : 0;
    double full = P ? (double)node->blocks / (double)P / (double)rounds : 0;
    time.share = time.alone * full;
    return time;
}

double mmm_decisions_time(const mmm_shape *shape, const mmm_parameters *machine)
{
    const double further = (double)(shape->unfolded - shape->decisions);
    return ((double)shape->decisions * machine->decide + fmax(further, 0) * machine->unfold) * machine->operation;
}

mmm_status mmm_extended_program(const mmm_program *program, const mmm_kernel_time *times, int64_t P, double *bound,
                                double *estimate)
{
    mmm_status result = MMM_OK;
    const mmm_order *order;
    double *path = NULL, *alone = NULL, longest = 0, longest_alone = 0, blocks = 0, share = 0;
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&path, program->kernels, sizeof *path));
    TRY(mmm_alloc(&alone, program->kernels, sizeof *alone));
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        path[k] += times[k].launch + times[k].longest;
        alone[k] += times[k].launch + times[k].alone;
        blocks += times[k].blocks;
        share += times[k].share;
        longest = fmax(longest, path[k]);
        longest_alone = fmax(longest_alone, alone[k]);
        for (int j = order->first[k]; j < order->first[k + 1]; j++) {
            int next = order->to[j];
            path[next] = fmax(path[next], path[k]);
            alone[next] = fmax(alone[next], alone[k]);
        }
    }
    *bound = longest + (P ? blocks / (double)P : 0);
    *estimate = fmax(longest_alone, share);
done:
    free(path);
    free(alone);
    return result;
}
