/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a program made once, with its arrays, kernels and graph, and run many times with other data. */
#include "job/plan.h"

#include "polynomial/kernels.h" /* made from polynomial_kernels.c */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ENTER_THREADS = 1024, ENTER_MANY = 1 << 16 };

/* Bytes of an element as a plan takes and gives it. */
static size_t size_of(const mmm_job *job, mmm_type type)
{
    return type == MMM_WORD && !job->modulus.p ? (size_t)job->word_bits / 8 : mmm_element_size(type);
}

/* Whether elements are the same in the caller's memory and in arrays. */
static bool is_plain(const mmm_job *job, mmm_type type)
{
    return type != MMM_POLYNOMIAL && !(type == MMM_WORD && job->modulus.p);
}

/* A device copies whole arrays of plain elements from and to the caller's memory: they need none of their own. */
static void find_direct(mmm_job *job)
{
    const mmm_program *program = job->program;
    if (!job->planned->type->keep) return;
    for (int i = 0; i < (int)program->array_count; i++) {
        const int input = job->loads[i].input;
        job->direct[i] = input >= 0 && is_plain(job, job->app->inputs[input].type) && job->loads[i].first == 0 &&
                         job->inputs[input].count == program->arrays[i].count;
    }
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        const struct mmm_take *take = job->takes[i];
        if (take->array >= 0 && job->loads[take->array].input < 0 && !job->app->load && !job->app->finish)
            job->direct[take->array] = is_plain(job, job->app->outputs[i].type) && take->first == 0 &&
                                       take->count == program->arrays[take->array].count &&
                                       !(program->arrays[take->array].use & MMM_OUT);
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

static void drop_entering(mmm_plan *plan)
{
    for (int i = 0; i < ARRAYS_MOST; i++) {
        mmm_program_free(plan->entering[i].program);
        free(plan->entering[i].seen);
    }
    for (int i = 0; i < MMM_DATA_MOST; i++)
        mmm_program_free(plan->leaving[i]);
}

/* A program on the host for an array that holds many coefficients. */
static mmm_status make_entering(mmm_plan *plan, const mmm_job *job, int array)
{
    mmm_status result = MMM_OK;
    mmm_entering *e = &plan->entering[array];
    const mmm_global *global = &job->program->arrays[array];
    const int input = job->loads[array].input;
    const int64_t n = input < 0 ? 0 : job->inputs[input].count, blocks = (n + ENTER_THREADS - 1) / ENTER_THREADS;
    mmm_u64_array from, seen;
    mmm_word_array to;
    if (!plan->machine->type->keep || n * job->batch < ENTER_MANY || is_plain(job, job->app->inputs[input].type))
        return MMM_OK;
    if (n < global->count && global->use & (MMM_OUT | MMM_RESULT)) return MMM_OK; /* zeros would not stay */
    if (!plan->machine->host) TRY(mmm_machine_open("cpu", &plan->machine->host));
    TRY(mmm_alloc(&e->seen, blocks * job->batch, sizeof *e->seen));
    TRY(mmm_program_new(&e->program));
    TRY(mmm_program_set_words(e->program, job->word_bits, &job->modulus));
    TRY(mmm_program_set_batch(e->program, job->batch));
    TRY(mmm_program_array(e->program, "from", MMM_U64, n, MMM_IN, NULL, &from.number));
    TRY(mmm_program_array(e->program, "to", MMM_WORD, global->count, MMM_OUT, global->host, &to.number));
    TRY(mmm_program_array(e->program, "seen", MMM_U64, blocks, MMM_OUT, e->seen, &seen.number));
    TRY(launch_enter_checked(e->program, blocks, ENTER_THREADS, from, to, seen, job->modulus.square, job->modulus.p - 1,
                             n, job->loads[array].first, ENTER_THREADS));
done:
    return result;
}

/* The same for an output whose place is known before a run. */
static mmm_status make_leaving(mmm_plan *plan, const mmm_job *job, int output)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = &job->app->outputs[output];
    const struct mmm_take *take = job->takes[output];
    const int64_t n = take->array < 0 ? 0 : take->count, blocks = (n + ENTER_THREADS - 1) / ENTER_THREADS;
    mmm_program *program = NULL;
    mmm_u64_array to;
    mmm_word_array from;
    if (!plan->machine->type->keep || n * job->batch < ENTER_MANY || is_plain(job, data->type) || data->monic ||
        job->app->finish || take[1].array >= 0 || n != plan->rooms[output])
        return MMM_OK;
    if (!plan->machine->host) TRY(mmm_machine_open("cpu", &plan->machine->host));
    TRY(mmm_program_new(&program));
    plan->leaving[output] = program;
    TRY(mmm_program_set_words(program, job->word_bits, &job->modulus));
    TRY(mmm_program_set_batch(program, job->batch));
    const mmm_global *global = &job->program->arrays[take->array];
    TRY(mmm_program_array(program, "from", MMM_WORD, global->count, MMM_IN, global->host, &from.number));
    TRY(mmm_program_array(program, "to", MMM_U64, n, MMM_OUT, NULL, &to.number));
    TRY(launch_leave_many(program, blocks, ENTER_THREADS, from, to, 1, n, take->first, ENTER_THREADS));
done:
    return result;
}

mmm_status mmm_plan_take(mmm_job *job, mmm_machine *machine, mmm_plan **out)
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
    find_direct(job);
    TRY(mmm_job_allocate(job));
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++)
        if (mmm_job_has(job, &job->app->outputs[i])) TRY(find_room(job, i, &plan->rooms[i]));
    for (int i = 0; i < (int)job->program->array_count; i++)
        TRY(make_entering(plan, job, i));
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++)
        TRY(make_leaving(plan, job, i));
    TRY(mmm_machine_keep(machine, job->program));
    plan->job = job;
    job = NULL;
    *out = plan;
    plan = NULL;
done:
    if (plan) drop_entering(plan);
    free(plan);
    mmm_job_free(job);
    return result;
}

void mmm_plan_free(mmm_plan *plan)
{
    if (!plan) return;
    drop_entering(plan);
    mmm_machine_drop(plan->machine, plan->job->program);
    mmm_job_free(plan->job);
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

/* Whether an input's elements of one problem are what they should be; the place of the first that is not. */
static mmm_status check_below(const mmm_job *job, int input, const uint64_t *a)
{
    const int64_t count = job->inputs[input].count;
    int64_t i = 0;
    if (is_plain(job, job->app->inputs[input].type) || mmm_words_below(a, count, job->modulus.p)) return MMM_OK;
    while (i < count - 1 && a[i] < job->modulus.p)
        i++;
    return mmm_fail(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64,
                    job->app->inputs[input].name, a[i], i, job->modulus.p);
}

static mmm_status check_inputs(const mmm_job *job, const void *const *inputs)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++) {
        const mmm_data *data = &job->app->inputs[i];
        const mmm_vector *v = &job->inputs[i];
        const int64_t all = v->count * job->batch;
        if (!all || (data->when && !mmm_job_has(job, data))) continue;
        if (!inputs[i]) FAIL(MMM_INVALID, "the input %s is NULL", data->name);
        if (is_plain(job, data->type)) continue;
        const uint64_t *a = inputs[i];
        for (int64_t q = 0; data->leads && q < job->batch; q++)
            if (!a[(q + 1) * v->count - 1])
                FAIL(MMM_INVALID, "'%s': the last coefficient is 0, and the plan is for %" PRId64 " terms", data->name,
                     v->count);
    }
done:
    return result;
}

/* What lies beside the coefficients is 0 since the array was made. */
static mmm_status enter(mmm_plan *plan, int array, const void *from)
{
    mmm_status result = MMM_OK;
    mmm_program *program = plan->entering[array].program;
    const uint64_t *seen = plan->entering[array].seen;
    const mmm_job *job = plan->job;
    const int input = job->loads[array].input;
    program->arrays[0].host = (void *)from;
    TRY(mmm_machine_run(plan->machine->host, program, NULL));
    for (int64_t i = 0; i < program->arrays[2].count * job->batch; i++)
        if (seen[i] >> 63)
            TRY(check_below(job, input,
                            (const uint64_t *)from + i / program->arrays[2].count * job->inputs[input].count));
done:
    return result;
}

static mmm_status load(mmm_plan *plan, const void *const *inputs)
{
    mmm_job *job = plan->job;
    for (int i = 0; i < (int)job->program->array_count; i++) {
        const int input = job->loads[i].input;
        if (input < 0) continue;
        if (job->direct[i]) {
            job->program->arrays[i].host = (void *)inputs[input];
            job->program->arrays[i].stays = true;
            continue;
        }
        if (plan->entering[i].program) {
            MMM_TRY(enter(plan, i, inputs[input]));
            continue;
        }
        const size_t bytes = (size_t)job->inputs[input].count * size_of(job, job->app->inputs[input].type);
        const char *from = inputs[input];
        for (int64_t q = 0; q < job->batch; q++, from += bytes) {
            MMM_TRY(check_below(job, input, (const void *)from));
            mmm_job_put(job, i, q, from, false);
        }
    }
    return MMM_OK;
}

/* Whole arrays go straight to where they are wanted. */
static mmm_status take_direct(mmm_plan *plan, int output, void *to)
{
    mmm_job *job = plan->job;
    const int array = job->takes[output]->array;
    mmm_global *global = &job->program->arrays[array];
    global->host = to;
    mmm_status result = mmm_machine_fetch(plan->machine, job->program, array, 0, global->count * job->batch);
    global->host = NULL;
    return result;
}

/* The outputs of the problem that is seen. */
static mmm_status take_outputs(mmm_plan *plan, void *const *outputs, int64_t *const *counts)
{
    mmm_status result = MMM_OK;
    mmm_job *job = plan->job;
    if (job->app->finish) TRY(job->app->finish(job));
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
        const mmm_data *data = &job->app->outputs[i];
        const char *memory;
        int64_t count;
        if (data->when && !mmm_job_has(job, data)) continue;
        TRY(mmm_job_check_taken(job, i));
        if (job->direct[job->takes[i]->array]) {
            count = job->takes[i]->count;
            if (count && !outputs[i]) FAIL(MMM_INVALID, "the output %s is NULL", data->name);
            if (job->problem == 0) TRY(take_direct(plan, i, outputs[i]));
        } else {
            TRY(mmm_job_find_output(job, plan->machine, i, &memory, &count));
            if ((count || plan->leaving[i]) && !outputs[i]) FAIL(MMM_INVALID, "the output %s is NULL", data->name);
            if (count > plan->rooms[i])
                FAIL(MMM_INVALID, "the output %s has %" PRId64 " elements, more than its shape %s says", data->name,
                     count, data->shape);
            if (plan->leaving[i] && job->problem == 0) { /* all problems have theirs in host memory now */
                plan->leaving[i]->arrays[1].host = outputs[i];
                TRY(mmm_machine_run(plan->machine->host, plan->leaving[i], NULL));
            }
            if (!plan->leaving[i])
                mmm_job_give_out(job, i, memory, count, false,
                                 count ? (char *)outputs[i] +
                                             (size_t)(job->problem * plan->rooms[i]) * size_of(job, data->type)
                                       : NULL);
        }
        if (counts && counts[i]) counts[i][job->problem] = count;
    }
done:
    return result;
}

mmm_status mmm_plan_run(mmm_plan *plan, const void *const *inputs, void *const *outputs, int64_t *const *counts)
{
    mmm_status result = MMM_OK;
    NEED(plan, "the plan");
    NEED(inputs, "the array of inputs");
    NEED(outputs, "the array of outputs");
    mmm_job *job = plan->job;
    TRY(check_inputs(job, inputs));
    TRY(load(plan, inputs));
    TRY(mmm_job_each(job, job->app->load));
    result = mmm_machine_run(plan->machine, job->program, &plan->seconds);
    for (int i = 0; i < (int)job->program->array_count; i++)
        if (job->direct[i]) {
            job->program->arrays[i].host = NULL;
            job->program->arrays[i].stays = false;
        }
    TRY(result);
    if (job->batch > 1) memset(job->brought, 0, sizeof job->brought);
    for (job->problem = 0; job->problem < job->batch; job->problem++)
        TRY(take_outputs(plan, outputs, counts));
done:
    if (plan) plan->job->problem = 0;
    return result;
}
