/* SPDX-License-Identifier: Apache-2.0 */
/* DAGs that unfold (docs/model.md): what runs on the host between the kernels that are known and those it adds. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_program_on_end(mmm_program *program, int kernel, mmm_unfold *unfold, const void *context, size_t size)
{
    mmm_status result = MMM_OK;
    void *copy = NULL;
    NEED(program, "the program");
    NEED(unfold, "the function that decides");
    NEED(context || !size, "what the function is given");
    if (!mmm_program_decides(program)) mmm_program_fold(program);
    if (kernel < 0 || kernel >= program->kernels)
        FAIL(MMM_INVALID, "there is no kernel %d; the program's are numbered from 0 and are %lld", kernel,
             (long long)program->kernels);
    if (mmm_program_decides(program) && kernel < program->unfolding->first)
        FAIL(MMM_INVALID, "kernel '%.100s' was there before: a decision names functions for kernels that it adds",
             program->nodes[kernel].name);
    if (size > INT64_MAX) FAIL(MMM_TOO_LARGE, "%zu bytes for a function that decides", size);
    TRY(mmm_alloc(&copy, (int64_t)size, 1));
    if (size) memcpy(copy, context, size);
    mmm_node *node = &program->nodes[kernel];
    free(node->context);
    node->context = copy;
    node->unfold = unfold;
    mmm_program_touch(program);
done:
    return result;
}

bool mmm_program_is_open(const mmm_program *program)
{
    for (int64_t k = 0; k < program->kernels; k++)
        if (program->nodes[k].unfold) return true;
    return false;
}

mmm_status mmm_program_look(mmm_program *program, int array, int64_t problem, int64_t first, int64_t count, void *to)
{
    mmm_status result = MMM_OK;
    NEED(program, "the program");
    NEED(to || count <= 0, "the place for what is looked at");
    if (!mmm_program_decides(program))
        FAIL(MMM_INVALID, "an array is looked at while the program runs: by a function named in mmm_program_on_end");
    if (array < 0 || array >= program->array_count)
        FAIL(MMM_INVALID, "there is no array %d; the program's are numbered from 0 and are %lld", array,
             (long long)program->array_count);
    const mmm_global *global = &program->arrays[array];
    const mmm_sight *sight = program->unfolding->sight;
    if (problem < 0 || problem >= program->batch)
        FAIL(MMM_INVALID, "problem %lld: the batch has %lld, numbered from 0", (long long)problem,
             (long long)program->batch);
    if (first < 0 || count < 0 || first > global->count || count > global->count - first)
        FAIL(MMM_INVALID, "%lld elements from %lld on of '%s': it has %lld", (long long)count, (long long)first,
             global->name, (long long)global->count);
    first += problem * global->count;
    if (sight->told) sight->told(sight->context, array, first, count);
    TRY(mmm_buffer_read(sight->machine, sight->base[array], (size_t)(first * global->size), to,
                        (size_t)(count * global->size)));
done:
    return result;
}

/* What a decision adds comes after it: by an edge to what follows nothing else that it adds, and to others by these. */
static mmm_status add_decisions(mmm_program *program, int64_t edges)
{
    mmm_status result = MMM_OK;
    const mmm_unfolding u = *program->unfolding;
    const int64_t count = program->kernels - u.first;
    bool *follows = NULL;
    TRY(mmm_alloc(&follows, count, sizeof *follows));
    for (int64_t e = edges; e < program->edge_count; e++)
        if (program->edges[e].before >= u.first) follows[program->edges[e].after - u.first] = true;
    for (int64_t i = 0; i < count; i++)
        if (!follows[i]) TRY(mmm_program_unfolds(program, u.deciding, (int)(u.first + i)));
done:
    free(follows);
    return result;
}

static mmm_status decide(mmm_program *program, int kernel)
{
    mmm_status result = MMM_OK;
    mmm_unfolding *u = program->unfolding;
    const int64_t edges = program->edge_count;
    const bool unchained = program->unchained;
    u->deciding = kernel;
    u->first = program->kernels;
    TRY(program->nodes[kernel].unfold(program, kernel, program->nodes[kernel].context));
    TRY(add_decisions(program, edges));
done:
    u->deciding = -1;
    program->unchained = unchained;
    return result;
}

mmm_status mmm_machine_unfold(mmm_program *program, int64_t first, const mmm_sight *sight, const mmm_order **order,
                              bool *more)
{
    mmm_status result = MMM_OK;
    const int64_t end = program->kernels;
    *more = false;
    for (int64_t k = first; k < end; k++) {
        if (!program->nodes[k].unfold) continue;
        if (!program->unfolding) {
            TRY(mmm_alloc(&program->unfolding, 1, sizeof *program->unfolding));
            *program->unfolding = (mmm_unfolding){.kernels = end, .edges = program->edge_count, .deciding = -1};
        }
        program->unfolding->sight = sight;
        TRY(decide(program, (int)k));
    }
    if (program->kernels == end) return MMM_OK;
    TRY(mmm_machine_check_code(sight->machine, program, end));
    if (order) TRY(mmm_program_order(program, order));
    *more = true;
done:
    return result;
}
