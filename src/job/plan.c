/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a program made once, with its arrays, kernels and graph, and run many times with other data. */
#include "job/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of an element as a plan takes and gives it. */
static size_t size_of(const mmm_job *job, mmm_type type)
{
    return type == MMM_WORD && !job->modulus.p ? (size_t)job->word_bits / 8 : mmm_element_size(type);
}

/* A device copies whole arrays of plain elements from and to the caller's memory: they need none of their own. */
static void find_direct(mmm_job *job)
{
    const mmm_program *program = job->program;
    if (!job->planned->type->keep) return;
    for (int i = 0; i < (int)program->array_count; i++) {
        const int input = job->loads[i].input;
        job->direct[i] = input >= 0 && mmm_plan_is_plain(job, job->app->inputs[input].type) &&
                         job->loads[i].first == 0 && job->inputs[input].count == program->arrays[i].count;
    }
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        const struct mmm_take *take = job->takes[i];
        if (take->array >= 0 && job->loads[take->array].input < 0 && !job->app->load && !job->app->finish)
            job->direct[take->array] = mmm_plan_is_plain(job, job->app->outputs[i].type) && take->first == 0 &&
                                       take->count == program->arrays[take->array].count &&
                                       !(program->arrays[take->array].use & MMM_OUT);
    }
}

static bool is_direct(const mmm_job *job, int output)
{
    return job->takes[output]->array >= 0 && job->direct[job->takes[output]->array];
}

/* What `build` has put into an array that no kernel writes, and that no `load` may change, moves once. */
static void find_fixed(mmm_job *job)
{
    const mmm_program *program = job->program;
    for (int i = 0; i < (int)program->array_count; i++)
        program->arrays[i].fixed =
            program->arrays[i].use == MMM_IN && job->loads[i].input < 0 && job->arrays[i] && !job->app->load;
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        for (int i = 0; i < node->code->parameter_count; i++)
            if (node->code->parameters[i].written) program->arrays[node->arguments[i].number].fixed = false;
    }
}

/* The product of the lengths that an output's shape says. */
static mmm_status find_room(const mmm_job *job, int output, int64_t *room)
{
    mmm_status result = MMM_OK;
    char piece[64];
    int64_t length;
    bool known;
    *room = 1;
    for (const char *rest = job->app->outputs[output].shape; rest;) {
        rest = mmm_shape_next(rest, piece, sizeof piece);
        TRY(mmm_integer_evaluate(piece, mmm_job_lookup, job, &length, &known));
        if (length < 0 || __builtin_mul_overflow(*room, length, room))
            FAIL(MMM_TOO_LARGE, "the output %s has the length %" PRId64, job->app->outputs[output].name, length);
    }
done:
    return result;
}

mmm_status mmm_plan_make(mmm_job *job, mmm_machine *machine, bool there, mmm_plan **out)
{
    mmm_status result = MMM_OK;
    mmm_plan *plan = NULL;
    NEED(job, "the job");
    NEED(machine, "the machine");
    NEED(out, "the place for a plan");
    for (int i = 0; i < MMM_DATA_MOST; i++)
        if (job->given[i])
            FAIL(MMM_INVALID, "the input %s is given: a plan takes its inputs when it runs", job->app->inputs[i].name);
    mmm_job_drop_program(job);
    mmm_job_drop_drawn(job);
    TRY(mmm_alloc(&plan, 1, sizeof *plan));
    plan->machine = job->planned = machine;
    TRY(mmm_job_plan(job));
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++)
        plan->has_input[i] = mmm_job_has(job, &job->app->inputs[i]);
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        plan->has_output[i] = mmm_job_has(job, &job->app->outputs[i]);
        if (plan->has_output[i]) TRY(find_room(job, i, &plan->rooms[i]));
    }
    TRY(mmm_plan_settle(plan, job, there));
    find_direct(job);
    find_fixed(job);
    TRY(mmm_job_allocate(job));
    TRY(mmm_plan_settle_host(plan, job));
    TRY(mmm_plan_make_forms(plan, job));
    TRY(mmm_machine_keep(machine, job->program));
    plan->job = job;
    job = NULL;
    *out = plan;
    plan = NULL;
done:
    if (plan) mmm_plan_drop_forms(plan);
    free(plan);
    mmm_job_free(job);
    return result;
}

mmm_status mmm_plan_take(mmm_job *job, mmm_machine *machine, mmm_plan **out)
{
    return mmm_plan_make(job, machine, false, out);
}

void mmm_plan_free(mmm_plan *plan)
{
    if (!plan) return;
    mmm_plan_drop_forms(plan);
    mmm_machine_drop(plan->machine, plan->job->program);
    mmm_job_free(plan->job);
    free(plan->made_of);
    free(plan);
}

double mmm_plan_seconds(const mmm_plan *plan)
{
    return plan ? plan->seconds : 0;
}

int64_t mmm_plan_room(const mmm_plan *plan, int output)
{
    return plan && output >= 0 && output < MMM_DATA_MOST ? plan->rooms[output] : 0;
}

uint64_t mmm_plan_bytes(const mmm_plan *plan)
{
    uint64_t bytes = 0;
    for (int i = 0; i < (int)plan->job->program->array_count; i++)
        bytes += 2 * mmm_job_bytes(plan->job, i);
    return bytes + (uint64_t)plan->job->program->kernels * 1024;
}

static mmm_status check_inputs(const mmm_plan *plan, const void *const *inputs, void *const *buffers)
{
    mmm_status result = MMM_OK;
    const mmm_job *job = plan->job;
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++) {
        const mmm_data *data = &job->app->inputs[i];
        const mmm_vector *v = &job->inputs[i];
        const int64_t all = v->count * job->batch;
        if (!all || !plan->has_input[i] || (buffers && buffers[i])) continue;
        if (!inputs[i] && plan->made) continue;
        if (!inputs[i]) FAIL(MMM_INVALID, "the input %s is NULL", data->name);
        if (mmm_plan_is_plain(job, data->type)) continue;
        const uint64_t *a = inputs[i];
        for (int64_t q = 0; data->leads && q < job->batch; q++)
            if (!a[(q + 1) * v->count - 1])
                FAIL(MMM_INVALID, "'%s': the last coefficient is 0, and the plan is for %" PRId64 " terms", data->name,
                     v->count);
    }
done:
    return result;
}

bool mmm_plan_holds(const mmm_plan *plan, int how, const uint64_t *numbers, int64_t count)
{
    return plan->made == count && plan->made_how == how &&
           memcmp(plan->made_of, numbers, (size_t)count * sizeof *numbers) == 0;
}

mmm_status mmm_plan_hold(mmm_plan *plan, int how, const uint64_t *numbers, int64_t count)
{
    mmm_status result = MMM_OK;
    free(plan->made_of);
    plan->made_of = NULL;
    plan->made = 0;
    if (!count) return MMM_OK;
    TRY(mmm_alloc(&plan->made_of, count, sizeof *plan->made_of));
    memcpy(plan->made_of, numbers, (size_t)count * sizeof *numbers);
    plan->made = count;
    plan->made_how = how;
done:
    return result;
}

bool mmm_plan_put(mmm_plan *plan, int array, void *memory)
{
    mmm_global *global = &plan->job->program->arrays[array];
    if (plan->machine->type->memory != &mmm_memory_host ||
        (global->use & MMM_IN && global->use & (MMM_OUT | MMM_RESULT)))
        return false;
    global->host = memory;
    return true;
}

static mmm_status load(mmm_plan *plan, const void *const *inputs, void *const *buffers)
{
    mmm_job *job = plan->job;
    for (int i = 0; i < (int)job->program->array_count; i++) {
        const int input = job->loads[i].input;
        if (input < 0) continue;
        if (buffers && buffers[input] && mmm_plan_put(plan, i, buffers[input])) continue;
        if (buffers && buffers[input]) {
            MMM_TRY(mmm_buffer_copy(plan->machine, mmm_machine_array(plan->machine, job->program, i), 0, buffers[input],
                                    0, mmm_job_bytes(job, i)));
            job->program->arrays[i].there = true;
            continue;
        }
        if (!inputs[input] && job->inputs[input].count) { /* what it holds */
            job->program->arrays[i].there = true;
            continue;
        }
        if (job->direct[i]) {
            job->program->arrays[i].host = (void *)inputs[input];
            job->program->arrays[i].stays = true;
            continue;
        }
        if (plan->enters[i].seen) {
            plan->entering->arrays[plan->enters[i].from].host = (void *)inputs[input];
            continue;
        }
        const size_t bytes = (size_t)job->inputs[input].count * size_of(job, job->app->inputs[input].type);
        const char *from = inputs[input];
        for (int64_t q = 0; q < job->batch; q++, from += bytes) {
            if (job->inputs[input].count < MMM_PUT_CHECKS)
                MMM_TRY(mmm_plan_check_below(job, q, input, (const void *)from));
            if (!mmm_job_put(job, i, q, from, false)) MMM_TRY(mmm_plan_check_below(job, q, input, (const void *)from));
        }
    }
    return plan->entering ? mmm_plan_enter(plan, inputs) : MMM_OK;
}

/* Whole arrays go straight to where they are wanted. */
static mmm_status take_direct(mmm_plan *plan, int output, void *to, int64_t *counts)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    const struct mmm_take *take = job->takes[output];
    mmm_global *global = &job->program->arrays[take->array];
    if (take->count && !to) FAIL(MMM_INVALID, "the output %s is NULL", job->app->outputs[output].name);
    global->host = to;
    result = mmm_machine_fetch(plan->machine, job->program, take->array, 0, global->count * job->batch);
    global->host = NULL;
    for (int64_t q = 0; counts && q < job->batch; q++)
        counts[q] = take->count;
done:
    return result;
}

/* Outputs of all problems at once, which the host need not look at. */
static mmm_status take_whole(mmm_plan *plan, void *const *outputs, int64_t *const *counts, bool *others)
{
    mmm_status result = MMM_OK;
    const mmm_job *job = plan->job;
    *others = false;
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        if (!plan->has_output[i]) continue;
        if (plan->settled[i].found >= 0)
            TRY(mmm_plan_give_settled(plan, i, outputs[i], counts ? counts[i] : NULL));
        else if (is_direct(job, i))
            TRY(take_direct(plan, i, outputs[i], counts ? counts[i] : NULL));
        else
            *others = true;
    }
done:
    return result;
}

/* The other outputs of the problem that is seen. */
static mmm_status take_outputs(mmm_plan *plan, void *const *outputs, int64_t *const *counts)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    if (job->app->finish) TRY(job->app->finish(job));
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        const mmm_data *data = &job->app->outputs[i];
        const char *memory;
        int64_t count;
        if (!plan->has_output[i] || plan->settled[i].found >= 0 || is_direct(job, i)) continue;
        TRY(mmm_job_check_taken(job, i));
        TRY(mmm_job_find_output(job, plan->machine, i, &memory, &count));
        if ((count || plan->leaving[i]) && !outputs[i]) FAIL(MMM_INVALID, "the output %s is NULL", data->name);
        if (count > plan->rooms[i])
            FAIL(MMM_INVALID, "the output %s has %" PRId64 " elements, more than its shape %s says", data->name, count,
                 data->shape);
        if (plan->leaving[i]) {
            plan->leaving[i]->arrays[1].host = outputs[i];
            TRY(mmm_plan_run_host(plan, plan->leaving[i]));
        } else
            mmm_job_give_out(
                job, i, memory, count, false,
                count ? (char *)outputs[i] + (size_t)(job->problem * plan->rooms[i]) * size_of(job, data->type) : NULL);
        if (counts && counts[i]) counts[i][job->problem] = count;
    }
done:
    return result;
}

mmm_status mmm_plan_go(mmm_plan *plan)
{
    return mmm_machine_run(plan->machine, plan->job->program, plan->kept ? NULL : &plan->seconds);
}

mmm_status mmm_plan_start(mmm_plan *plan, const void *const *inputs, void *const *buffers)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    TRY(check_inputs(plan, inputs, buffers));
    TRY(load(plan, inputs, buffers));
    TRY(mmm_job_each(job, job->app->load));
    TRY(mmm_plan_go(plan));
done:
    for (int i = 0; i < (int)job->program->array_count; i++) {
        mmm_global *array = &job->program->arrays[i];
        array->there = false;
        array->host = job->arrays[i];
        if (job->direct[i]) array->stays = false;
    }
    return result;
}

mmm_status mmm_plan_finish(mmm_plan *plan, void *const *outputs, int64_t *const *counts)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    bool others;
    if (job->batch > 1) memset(job->brought, 0, sizeof job->brought);
    TRY(take_whole(plan, outputs, counts, &others));
    for (job->problem = 0; others && job->problem < job->batch; job->problem++)
        TRY(take_outputs(plan, outputs, counts));
done:
    job->problem = 0;
    return result;
}

mmm_status mmm_plan_run(mmm_plan *plan, const void *const *inputs, void *const *outputs, int64_t *const *counts)
{
    mmm_status result = MMM_OK;
    NEED(plan, "the plan");
    NEED(inputs, "the array of inputs");
    NEED(outputs, "the array of outputs");
    TRY(mmm_plan_start(plan, inputs, NULL));
    TRY(mmm_plan_finish(plan, outputs, counts));
done:
    return result;
}

int mmm_plan_array(const mmm_plan *plan, int input, int64_t *count, int64_t *first)
{
    const mmm_job *job = plan->job;
    int i = 0;
    while (job->loads[i].input != input)
        i++;
    *count = job->program->arrays[i].count;
    *first = job->loads[i].first;
    return i;
}
