/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of kernels, and work, span and overhead of a program (section 2.3). */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static mmm_status no_kernel(const mmm_program *program, int kernel)
{
    return mmm_fail(MMM_INVALID, "there is no kernel %d; the program's are numbered from 0 and are %lld", kernel,
                    (long long)program->kernels);
}

mmm_status mmm_program_set_costs(mmm_program *program, int kernel, const mmm_cost *groups, int count)
{
    NEED(program, "the program");
    if (kernel < 0 || kernel >= program->kernels) return no_kernel(program, kernel);
    mmm_node *node = &program->nodes[kernel];
    int64_t blocks = 0;
    NEED(groups || count <= 0, "the array of costs");
    for (int g = 0; g < count; g++) {
        const mmm_cost *cost = &groups[g];
        if (cost->blocks < 1)
            return mmm_fail(MMM_INVALID, "kernel '%.100s': a group of costs has %lld blocks; at least 1 is needed",
                            node->name, (long long)cost->blocks);
        if (cost->work < 0 || cost->span < 0 || cost->span_thread < 0 || cost->reads < 0 || cost->writes < 0)
            return mmm_fail(MMM_INVALID, "kernel '%.100s': a cost is negative", node->name);
        if (__builtin_add_overflow(blocks, cost->blocks, &blocks) || blocks > node->blocks) {
            blocks = -1;
            break;
        }
    }
    if (blocks < 0)
        return mmm_fail(MMM_INVALID, "kernel '%.100s': costs for more than its %lld blocks", node->name,
                        (long long)node->blocks);
    if (blocks < node->blocks)
        return mmm_fail(MMM_INVALID, "kernel '%.100s': costs for %lld blocks, but it has %lld", node->name,
                        (long long)blocks, (long long)node->blocks);
    mmm_cost *copy;
    mmm_status status = mmm_alloc(&copy, count, sizeof *copy);
    if (status != MMM_OK) return status;
    memcpy(copy, groups, (size_t)count * sizeof *copy);
    free(node->costs);
    node->costs = copy;
    node->groups = count;
    return MMM_OK;
}

static bool add_product(int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

mmm_status mmm_program_kernel(const mmm_program *program, int kernel, mmm_kernel_info *out)
{
    NEED(program, "the program");
    NEED(out, "the place for a kernel");
    if (kernel < 0 || kernel >= program->kernels) return no_kernel(program, kernel);
    const mmm_node *node = &program->nodes[kernel];
    mmm_kernel_info info = {.name = node->name,
                            .blocks = node->blocks,
                            .threads = node->threads,
                            .local_words = node->local_words,
                            .seconds = node->seconds,
                            .costs = node->costs,
                            .groups = node->groups};
    for (int g = 0; g < node->groups; g++) {
        const mmm_cost *cost = &node->costs[g];
        int64_t words;
        if (!add_product(&info.work, cost->blocks, cost->work) ||
            !add_product(&info.all_reads, cost->blocks, cost->reads) ||
            !add_product(&info.all_writes, cost->blocks, cost->writes) ||
            __builtin_add_overflow(cost->reads, cost->writes, &words))
            return mmm_fail(MMM_TOO_LARGE, "work or overhead of kernel '%.100s' passes 2^63 - 1", node->name);
        if (cost->span > info.span) info.span = cost->span;
        if (cost->span_thread > info.span_thread) info.span_thread = cost->span_thread;
        if (cost->reads > info.reads) info.reads = cost->reads;
        if (cost->writes > info.writes) info.writes = cost->writes;
        if (words > info.words) info.words = words;
    }
    *out = info;
    return MMM_OK;
}

/* Adds a kernel's blocks to the sums; its largest spans go to *span and *span_thread. */
static mmm_status add_kernel(const mmm_node *node, mmm_cost_list list, double U, mmm_measures *sums, int64_t *span,
                             int64_t *span_thread)
{
    if (!list.costs) return mmm_fail(MMM_INVALID, "kernel '%.100s' has no costs", node->name);
    for (int g = 0; g < list.groups; g++) {
        const mmm_cost *cost = &list.costs[g];
        int64_t words;
        if (!add_product(&sums->work, cost->blocks, cost->work) ||
            __builtin_add_overflow(cost->reads, cost->writes, &words) ||
            !add_product(&sums->overhead_words, cost->blocks, words))
            return mmm_fail(MMM_TOO_LARGE, "work or overhead of the program passes 2^63 - 1 at kernel '%.100s'",
                            node->name);
        double total = (double)cost->span + (double)words * U;
        if (total > sums->C) sums->C = total;
        if (cost->span > *span) *span = cost->span;
        if (cost->span_thread > *span_thread) *span_thread = cost->span_thread;
    }
    return MMM_OK;
}

/* Turns weights of kernels into those of the heaviest paths that end with them; false when one overflows. */
static bool heaviest_path(const mmm_order *order, int64_t *weight, int64_t *before, int64_t *out)
{
    *out = 0;
    memset(before, 0, (size_t)order->kernels * sizeof *before);
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        if (__builtin_add_overflow(weight[k], before[k], &weight[k])) return false;
        if (weight[k] > *out) *out = weight[k];
        for (int j = order->first[k]; j < order->first[k + 1]; j++)
            if (before[order->to[j]] < weight[k]) before[order->to[j]] = weight[k];
    }
    return true;
}

/* The heaviest path of spans, a decision on it weighing so much. */
static mmm_status find_burdened(const mmm_order *order, const int64_t *span, double decide, double *out)
{
    double *until;
    mmm_status status = mmm_alloc(&until, order->kernels, sizeof *until);
    if (status != MMM_OK) return status;
    *out = 0;
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        until[k] += (double)span[k];
        if (until[k] > *out) *out = until[k];
        for (int j = order->first[k]; j < order->first[k + 1]; j++) {
            double then = until[k] + (order->to_decides[j] ? decide : 0);
            if (until[order->to[j]] < then) until[order->to[j]] = then;
        }
    }
    free(until);
    return MMM_OK;
}

mmm_status mmm_measures_of(const mmm_program *program, mmm_costs_of *costs_of, void *context,
                           const mmm_parameters *machine, mmm_measures *out)
{
    mmm_status result = MMM_OK;
    mmm_measures sums = {0};
    const mmm_order *order;
    int64_t *span = NULL, *span_thread = NULL, *before = NULL;
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&span, program->kernels, sizeof *span));
    TRY(mmm_alloc(&span_thread, program->kernels, sizeof *span_thread));
    TRY(mmm_alloc(&before, program->kernels, sizeof *before));
    for (int64_t k = 0; k < program->kernels; k++)
        TRY(add_kernel(&program->nodes[k], costs_of(context, k), machine->U, &sums, &span[k], &span_thread[k]));
    TRY(find_burdened(order, span, machine->decide, &sums.burdened_span));
    if (!heaviest_path(order, span, before, &sums.span) ||
        !heaviest_path(order, span_thread, before, &sums.span_thread))
        FAIL(MMM_TOO_LARGE, "the span of the program passes 2^63 - 1");
    sums.overhead = (double)sums.overhead_words * machine->U;
    sums.decide = machine->decide;
    *out = sums;
done:
    free(span);
    free(span_thread);
    free(before);
    return result;
}

static mmm_cost_list own_costs(void *context, int64_t kernel)
{
    const mmm_node *nodes = context;
    return (mmm_cost_list){nodes[kernel].costs, nodes[kernel].groups};
}

mmm_status mmm_program_measures(const mmm_program *program, const mmm_parameters *machine, mmm_measures *out)
{
    NEED(program, "the program");
    NEED(out, "the place for the measures");
    MMM_TRY(mmm_parameters_check(machine));
    return mmm_measures_of(program, own_costs, program->nodes, machine, out);
}
