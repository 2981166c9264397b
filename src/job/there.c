/* SPDX-License-Identifier: Apache-2.0 */
/* Plans run with polynomials in their machine's memory. */
#include "job/plan.h"

/* From one place to another; what the polynomial leaves free of the array is 0. */
static mmm_status load_there(mmm_plan *plan, int array, const mmm_array *input)
{
    mmm_status result = MMM_OK;
    const mmm_job *job = plan->job;
    const size_t word = (size_t)job->word_bits / 8;
    void *to = mmm_machine_array(plan->machine, job->program, array);
    const mmm_global *global = &job->program->arrays[array];
    const bool as_before = plan->lying[array] == input->terms + 1 && !(global->use & (MMM_OUT | MMM_RESULT));
    if (input->terms < global->count && !as_before) TRY(mmm_buffer_zero(plan->machine, to, mmm_job_bytes(job, array)));
    plan->lying[array] = input->terms + 1;
    TRY(mmm_buffer_copy(plan->machine, to, word * (size_t)job->loads[array].first, input->buffer,
                        word * (size_t)input->first, word * (size_t)input->terms));
done:
    return result;
}

static mmm_status take_there(mmm_plan *plan, int output, mmm_array **out)
{
    mmm_status result = MMM_OK;
    const mmm_job *job = plan->job;
    const mmm_settled *x = &plan->settled[output];
    mmm_array *copy = NULL;
    if (job->app->outputs[output].leads) /* as polynomials here do */
        return mmm_array_take(plan->machine, &job->modulus,
                              mmm_machine_array(plan->machine, job->program, job->takes[output]->array),
                              job->takes[output]->first, plan->rooms[output], out);
    if (x->found >= 0) {
        const int32_t *found = (const int32_t *)job->arrays[x->found] + 2 * x->at;
        const int array = x->to >= 0 ? x->to : job->takes[output][found[1]].array;
        const int64_t first = x->to >= 0 ? 0 : job->takes[output][found[1]].first;
        return mmm_array_take(plan->machine, &job->modulus, mmm_machine_array(plan->machine, job->program, array),
                              first, found[0], out);
    }
    for (int which = 0; which < 2; which++) {
        const struct mmm_take *take = &job->takes[output][which];
        TRY(mmm_array_copy(plan->machine, &job->modulus, mmm_machine_array(plan->machine, job->program, take->array),
                           take->first, take->count, &copy));
        if (copy->terms || job->takes[output][1].array < 0 || which == 1) break;
        mmm_array_free(copy);
        copy = NULL;
    }
    *out = copy;
    copy = NULL;
done:
    mmm_array_free(copy);
    return result;
}

mmm_status mmm_plan_run_there(mmm_plan *plan, const mmm_array *const *inputs, mmm_array **outputs, bool *monic)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    mmm_program *program = job->program;
    mmm_array *made[MMM_DATA_MOST] = {NULL};
    program->loose = true; /* where nothing is to be found out, and the memory is ours alone */
    for (int i = 0; i < MMM_DATA_MOST; i++) {
        if (job->app->outputs[i].name && !job->app->outputs[i].leads) program->loose = false;
        if (job->app->inputs[i].name && inputs[i] && inputs[i]->wrapped) program->loose = false;
    }
    for (int i = 0; i < (int)program->array_count; i++) {
        program->arrays[i].there = job->loads[i].input >= 0;
        program->arrays[i].stays = true;
        if (job->loads[i].input >= 0) TRY(load_there(plan, i, inputs[job->loads[i].input]));
    }
    TRY(mmm_job_each(job, job->app->load));
    TRY(mmm_plan_go(plan));
    if (job->app->finish) TRY(job->app->finish(job));
    *monic = true;
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        TRY(mmm_job_check_taken(job, i));
        *monic &= plan->settled[i].found >= 0;
        TRY(take_there(plan, i, &made[i]));
    }
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        outputs[i] = made[i];
        made[i] = NULL;
    }
done:
    for (int i = 0; i < (int)program->array_count; i++)
        program->arrays[i].there = program->arrays[i].stays = false;
    program->loose = false;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        mmm_array_free(made[i]);
    return result;
}

mmm_status mmm_plan_scale(mmm_plan *plan, mmm_array *array, const void *factor)
{
    mmm_status result = MMM_OK;
    mmm_program *program = plan->job->program;
    const size_t word = (size_t)plan->job->word_bits / 8;
    TRY(load_there(plan, 0, array));
    TRY(mmm_buffer_write(plan->machine, mmm_machine_array(plan->machine, program, 1), 0, factor, word));
    program->arrays[0].there = program->arrays[1].there = program->arrays[0].stays = true;
    TRY(mmm_plan_go(plan));
    TRY(mmm_buffer_copy(plan->machine, array->buffer, 0, mmm_machine_array(plan->machine, program, 0), 0,
                        word * (size_t)array->terms));
done:
    return result;
}

mmm_status mmm_plan_count(mmm_plan *plan, const mmm_array *array, int64_t *terms)
{
    mmm_status result = MMM_OK;
    mmm_program *program = plan->job->program;
    const int32_t *found = plan->job->arrays[1];
    TRY(load_there(plan, 0, array));
    program->arrays[0].there = true;
    TRY(mmm_plan_go(plan));
    *terms = 0;
    for (int64_t i = program->arrays[1].count; i > 0 && !*terms; i--)
        *terms = found[i - 1];
done:
    return result;
}
