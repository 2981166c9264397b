/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that ran on a GPU: what their kernels are made of, so that they are counted once and estimated often. */
#include "study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 256 };

void mmm_runs_begin(mmm_runs *runs, const char *app, const mmm_parameters *machine)
{
    memset(runs, 0, sizeof *runs);
    snprintf(runs->app, sizeof runs->app, "%s", app);
    for (int i = 0; i < 2; i++) {
        mmm_parameters wide;
        runs->machine[i] = *mmm_parameters_by_words(machine, i ? 64 : 32, &wide);
    }
}

static void run_free(mmm_run *run)
{
    for (int64_t i = 0; i < run->kernel_count; i++)
        free(run->kernels[i].groups);
    free(run->kernels);
    free(run->of);
    free(run->first);
    free(run->to);
}

void mmm_runs_free(mmm_runs *runs)
{
    for (int64_t i = 0; i < runs->count; i++)
        run_free(&runs->all[i]);
    free(runs->all);
    memset(runs, 0, sizeof *runs);
}

static mmm_status number_of(mmm_runs *runs, const mmm_kernel *code, int features, int *out)
{
    int c = 0;
    while (c < runs->code_count && strncmp(runs->codes[c], code->name, sizeof runs->codes[c] - 1) != 0)
        c++;
    if (c == MMM_CODES_MOST) return mmm_fail(MMM_TOO_LARGE, "%s has more than %d kernels", runs->app, MMM_CODES_MOST);
    if (c == runs->code_count) {
        snprintf(runs->codes[c], sizeof runs->codes[c], "%s", code->name);
        runs->features[c] = features;
        runs->code_count++;
    }
    *out = c;
    return MMM_OK;
}

/* Kernel k is like one before it where it shares its groups, and has about as many blocks and arrays of the same size:
 * of 84,000 calls that each have a block less than the one before some stand for the others. */
static bool is_like(const mmm_run_kernel *x, int64_t blocks, double size)
{
    return llabs(x->node.blocks - blocks) * NEAR <= blocks && x->size == size;
}

static mmm_status add_kernel(mmm_runs *runs, mmm_run *run, const mmm_program *program, const mmm_profiles *profiles,
                             int k, int64_t *from, int *out)
{
    mmm_status result = MMM_OK;
    const mmm_node *node = &program->nodes[k];
    mmm_run_kernel new = {.node = *node, .size = mmm_working_set(program, node)};
    for (int64_t i = run->kernel_count; i-- > 0;) {
        if (from[i] != profiles->first[k] || !is_like(&run->kernels[i], node->blocks, new.size)) continue;
        *out = (int)i;
        return MMM_OK;
    }
    const mmm_profile *groups = mmm_profiles_of(profiles, k, &new.count);
    TRY(number_of(runs, node->code, mmm_features_of(node, program->word_bits, new.feature), &new.code));
    TRY(mmm_alloc(&new.groups, new.count, sizeof *new.groups));
    if (new.count) memcpy(new.groups, groups, (size_t) new.count * sizeof *groups);
    if ((result = mmm_grow(&run->kernels, &run->kernel_room, run->kernel_count + 1, sizeof *run->kernels)) != MMM_OK) {
        free(new.groups);
        goto done;
    }
    from[run->kernel_count] = profiles->first[k];
    *out = (int)run->kernel_count;
    run->kernels[run->kernel_count++] = new;
done:
    return result;
}

/* The DAG by places in its order. */
static mmm_status copy_order(const mmm_order *order, mmm_run *run)
{
    mmm_status result = MMM_OK;
    int *place = NULL, edges = 0;
    const int n = run->steps = order->kernels;
    TRY(mmm_alloc(&place, n, sizeof *place));
    TRY(mmm_alloc(&run->first, n + 1, sizeof *run->first));
    TRY(mmm_alloc(&run->to, n ? order->first[n] : 0, sizeof *run->to));
    for (int i = 0; i < n; i++)
        place[order->sequence[i]] = i;
    for (int i = 0; i < n; i++) {
        const int k = order->sequence[i];
        for (int j = order->first[k]; j < order->first[k + 1]; j++)
            run->to[edges++] = place[order->to[j]];
        run->first[i + 1] = edges;
    }
done:
    free(place);
    return result;
}

/* The same program among those of the set, NULL: there is none.  What an open one comes to is not in its digest. */
static mmm_run *same_program(const mmm_runs *runs, const mmm_job *job, int set, const mmm_digest *digest)
{
    for (int64_t i = 0; i < runs->count && !mmm_program_is_open(job->program); i++)
        if (runs->all[i].set == set && memcmp(&runs->all[i].program, digest, sizeof *digest) == 0) return &runs->all[i];
    return NULL;
}

mmm_status mmm_runs_add(mmm_runs *runs, mmm_job *job, int set, double seconds)
{
    mmm_status result = MMM_OK;
    mmm_run run = {.set = set, .seconds = seconds};
    mmm_profiles profiles = {0};
    mmm_shape shape;
    const mmm_order *order;
    int64_t *from = NULL;
    if (!job->program) TRY(mmm_job_plan(job));
    run.program = mmm_program_digest(job->program);
    mmm_run *same = same_program(runs, job, set, &run.program);
    if (same) {
        same->seconds = fmin(same->seconds, seconds);
        return MMM_OK;
    }
    run.word_bits = job->program->word_bits;
    const mmm_parameters *machine = &runs->machine[run.word_bits == 64];
    TRY(mmm_profile_job(job, machine, MMM_PROFILE_BUDGET_GPU, &profiles));
    TRY(mmm_program_extent(job->program, &shape));
    TRY(mmm_program_order(job->program, &order));
    TRY(copy_order(order, &run));
    TRY(mmm_alloc(&run.of, run.steps, sizeof *run.of));
    TRY(mmm_alloc(&from, run.steps, sizeof *from));
    for (int i = 0; i < run.steps; i++)
        TRY(add_kernel(runs, &run, job->program, &profiles, order->sequence[i], from, &run.of[i]));
    run.fixed = machine->gpu[MMM_GPU_GRAPH] * 1e-9 + mmm_decisions_time(&shape, machine);
    TRY(mmm_grow(&runs->all, &runs->room, runs->count + 1, sizeof *runs->all));
    runs->all[runs->count++] = run;
done:
    if (result != MMM_OK) run_free(&run);
    free(from);
    mmm_profiles_free(&profiles);
    return result;
}
