/* SPDX-License-Identifier: Apache-2.0 */
/* Results that the device itself finds: how many terms they have, divided by the leading coefficient where they are to
 * be monic, so that the host has nothing to do for each problem of a batch, and a polynomial that stays there needs no
 * look at its terms. */
#include "job/plan.h"

#include <stdlib.h>

#include "polynomial/kernels.h" /* made from polynomial_kernels.c */

enum { FIND_THREADS = 128, GIVE_THREADS = 256 };

static mmm_word_array words(int number)
{
    return (mmm_word_array){number};
}

/* The last kernel waits for those of the first `kernels` that none of them waits for. */
static mmm_status wait_for_all(mmm_program *program, int64_t kernels)
{
    mmm_status result = MMM_OK;
    bool *waited = NULL;
    const int last = (int)program->kernels - 1;
    TRY(mmm_alloc(&waited, kernels, sizeof *waited));
    for (int64_t i = 0; i < program->edge_count; i++)
        if (program->edges[i].after < kernels) waited[program->edges[i].before] = true;
    for (int64_t k = 0; k < kernels; k++)
        if (!waited[k]) TRY(mmm_program_depend(program, (int)k, last));
done:
    free(waited);
    return result;
}

static mmm_status make_leaving(mmm_plan *plan, const mmm_job *job, int output)
{
    mmm_status result = MMM_OK;
    mmm_settled *x = &plan->settled[output];
    const mmm_global *arrays = job->program->arrays;
    const int64_t n = arrays[x->to].count;
    mmm_word_array from;
    mmm_i32_array found;
    mmm_u64_array to;
    TRY(mmm_plan_host(plan));
    TRY(mmm_program_new(&x->leaving));
    TRY(mmm_program_set_words(x->leaving, job->word_bits, &job->modulus));
    TRY(mmm_program_set_batch(x->leaving, job->batch));
    TRY(mmm_program_array(x->leaving, "from", MMM_WORD, n, MMM_IN, arrays[x->to].host, &from.number));
    TRY(mmm_program_array(x->leaving, "found", MMM_I32, arrays[x->found].count, MMM_IN, arrays[x->found].host,
                          &found.number));
    TRY(mmm_program_array(x->leaving, "to", MMM_U64, n, MMM_OUT, NULL, &to.number));
    TRY(launch_leave_found(x->leaving, (n + LEAVE_WORDS - 1) / LEAVE_WORDS, LEAVE_WORDS, from, found, to, x->at,
                           LEAVE_WORDS));
done:
    return result;
}

/* Two kernels more, of which a polynomial that stays where it is, and need not be monic, needs the first alone. */
static mmm_status settle(mmm_plan *plan, mmm_job *job, int output, mmm_i32_array found, int64_t kernels, bool there)
{
    mmm_status result = MMM_OK;
    mmm_program *program = job->program;
    mmm_settled *x = &plan->settled[output];
    const struct mmm_take *take = job->takes[output], *other = take[1].array < 0 ? take : take + 1;
    const mmm_word_array a = words(take->array), b = words(other->array);
    const int64_t other_count = take[1].array < 0 ? 0 : other->count, room = plan->rooms[output];
    const int monic = job->app->outputs[output].monic, degree = job->degrees[output].array < 0 ? -1 : 0;
    mmm_word_array factor, to;
    TRY(mmm_program_array(program, "factor", MMM_WORD, 1, MMM_WORK, NULL, &factor.number));
    TRY(launch_find_result(program, 1, FIND_THREADS, a, b,
                           degree < 0 ? found : (mmm_i32_array){job->degrees[output].array}, found, factor, take->first,
                           take->count, other->first, other_count, there ? job->modulus.one : 1,
                           degree < 0 ? -1 : job->degrees[output].at, x->at, monic, FIND_THREADS));
    TRY(wait_for_all(program, kernels));
    x->found = found.number;
    if (there && !monic) goto done;
    TRY(mmm_program_array(program, "to", MMM_WORD, room, there ? MMM_RESULT : MMM_OUT, NULL, &to.number));
    TRY(launch_give_result(program, (room + GIVE_THREADS - 1) / GIVE_THREADS, GIVE_THREADS, a, b, found, factor, to,
                           take->first, other->first, room, x->at));
    TRY(mmm_program_depend(program, (int)program->kernels - 2, (int)program->kernels - 1));
    x->to = to.number;
done:
    return result;
}

/* Where the host need not look at what a run has found to know where results are, and does not know how long they are.
 */
static bool can_settle(const mmm_plan *plan, const mmm_job *job, int output, bool there)
{
    const mmm_data *data = &job->app->outputs[output];
    return !(there && data->leads) && data->type == MMM_POLYNOMIAL && mmm_job_has(job, data) && job->takes[output]->array >= 0 &&
           plan->rooms[output] > 0;
}

mmm_status mmm_plan_settle(mmm_plan *plan, mmm_job *job, bool there)
{
    mmm_status result = MMM_OK;
    mmm_program *program = job->program;
    const int64_t kernels = program->kernels;
    const bool unchained = program->unchained;
    mmm_i32_array found;
    int outputs = 0;
    program->unchained = true;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        plan->settled[i] = (mmm_settled){-1, -1, -1, NULL};
    if (!plan->machine->type->keep || (job->batch == 1 && !there) || job->app->finish || job->moduli) goto done;
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++)
        if (can_settle(plan, job, i, there)) plan->settled[i].at = outputs++;
    if (!outputs) goto done;
    TRY(mmm_program_array(program, "found", MMM_I32, 2 * outputs, MMM_OUT, NULL, &found.number));
    for (int i = 0; i < MMM_DATA_MOST; i++)
        if (plan->settled[i].at >= 0) TRY(settle(plan, job, i, found, kernels, there));
    for (int i = 0; i < MMM_DATA_MOST; i++) { /* what they were found in stays where it is */
        if (plan->settled[i].found < 0) continue;
        for (int which = 0; which < 2; which++)
            if (job->takes[i][which].array >= 0)
                program->arrays[job->takes[i][which].array].use &= ~(unsigned)MMM_RESULT;
        if (job->degrees[i].array >= 0) program->arrays[job->degrees[i].array].use &= ~(unsigned)MMM_OUT;
    }
done:
    program->unchained = unchained;
    return result;
}

/* Needs the memory of the arrays. */
mmm_status mmm_plan_settle_host(mmm_plan *plan, const mmm_job *job)
{
    for (int i = 0; i < MMM_DATA_MOST; i++)
        if (plan->settled[i].to >= 0 && job->program->arrays[plan->settled[i].to].use & MMM_OUT)
            MMM_TRY(make_leaving(plan, job, i));
    return MMM_OK;
}

mmm_status mmm_plan_give_settled(mmm_plan *plan, int output, void *to, int64_t *counts)
{
    mmm_status result = MMM_OK;
    const mmm_settled *x = &plan->settled[output];
    const int32_t *found = plan->job->arrays[x->found];
    NEED(to, "an output");
    x->leaving->arrays[2].host = to;
    TRY(mmm_plan_run_host(plan, x->leaving));
    for (int64_t q = 0; counts && q < plan->job->batch; q++)
        counts[q] = found[q * plan->job->program->arrays[x->found].count + 2 * x->at];
done:
    return result;
}
