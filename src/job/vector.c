/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a job's program: which input each holds, where outputs lie, memory for all of them. */
#include "job/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void mmm_vector_clear(mmm_vector *v)
{
    free(v->elements);
    memset(v, 0, sizeof *v);
}

size_t mmm_element_size(mmm_type type)
{
    int size = mmm_type_size(type);
    return size ? (size_t)size : sizeof(uint64_t);
}

mmm_status mmm_vector_polynomial(mmm_vector *v, uint64_t p, const uint64_t *coefficients, int64_t terms,
                                 const char *name)
{
    mmm_status result = MMM_OK;
    uint64_t *copy = NULL;
    for (int64_t i = 0; i < terms; i++)
        if (coefficients[i] >= p)
            FAIL(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64, name,
                 coefficients[i], i, p);
    while (terms > 0 && coefficients[terms - 1] == 0)
        terms--;
    TRY(mmm_alloc(&copy, terms, sizeof *copy));
    if (terms) memcpy(copy, coefficients, (size_t)terms * sizeof *copy);
    mmm_vector_clear(v);
    *v = (mmm_vector){
        .type = MMM_POLYNOMIAL, .p = p, .count = terms, .lengths = {terms}, .dimensions = 1, .elements = copy};
done:
    return result;
}

/* ---- Arrays of the program ------------------------------------------------------------------------------------- */

size_t mmm_job_bytes(const mmm_job *job, int array)
{
    return mmm_global_bytes(job->program, &job->program->arrays[array]);
}

/* Arrays are those of the program that `build` makes; outputs, too, but later ones may be set after a run. */
static mmm_status check_building(const mmm_job *job)
{
    NEED(job, "the job");
    if (job->building) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s has no program that is being built: arrays are for build", job->app->name);
}

static mmm_status reserve(mmm_job *job, const mmm_global *array)
{
    return mmm_program_reserve(job->program, mmm_global_bytes(job->program, array),
                               "array '%.100s' of %" PRId64 " elements", array->name, array->count);
}

enum { LARGE = 1 << 18 }; /* bytes */

/* Memory for an array of the program, where it has none.  Of large ones of a sketch little is touched, and as long as
 * nobody asks for one there are zeros in it. */
static mmm_status allocate(mmm_job *job, int array)
{
    mmm_status result = MMM_OK;
    mmm_global *global = &job->program->arrays[array];
    if (job->arrays[array]) return MMM_OK;
    if (job->planned && job->direct[array]) return MMM_OK;
    if (job->planned && job->planned->type->keep && !(global->use & (MMM_IN | MMM_OUT | MMM_RESULT))) return MMM_OK;
    const bool filled = global->use == MMM_IN && job->loads[array].input < 0; /* by `build`, and moves once */
    if (job->planned && !filled) {
        TRY(mmm_stage_new(job->planned, mmm_job_bytes(job, array), &job->arrays[array]));
        job->staged[array] = true;
        memset(job->arrays[array], 0, mmm_job_bytes(job, array));
        global->host = job->arrays[array];
        return MMM_OK;
    }
    if (job->sketch && mmm_job_bytes(job, array) >= LARGE) {
        TRY(mmm_map(&job->arrays[array], mmm_job_bytes(job, array)));
        job->mapped[array] = mmm_job_bytes(job, array);
        return MMM_OK;
    }
    TRY(mmm_alloc(&job->arrays[array], global->count * job->batch, (size_t)global->size));
    global->host = job->arrays[array];
done:
    return result;
}

/* What `build` put into an array is the same for all problems. */
static void repeat(const mmm_job *job, int array)
{
    char *memory = job->arrays[array];
    const size_t bytes = mmm_job_bytes(job, array) / (size_t)job->batch;
    for (int64_t i = 1; i < job->batch; i++)
        memcpy(memory + (size_t)i * bytes, memory, bytes);
}

mmm_status mmm_job_allocate(mmm_job *job)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < (int)job->program->array_count; i++) {
        const bool built = job->arrays[i] && !job->allocated;
        TRY(allocate(job, i));
        if (built && !job->moduli) repeat(job, i);
    }
    job->allocated = true;
done:
    return result;
}

mmm_status mmm_job_add_array(mmm_job *job, const char *name, mmm_type type, int64_t count, mmm_use use, int *number)
{
    mmm_status result = MMM_OK;
    int array;
    MMM_TRY(check_building(job));
    NEED(number, "the place for the number of an array");
    TRY(mmm_program_array(job->program, name, type, count, use, NULL, &array));
    job->loads[array].input = -1;
    TRY(reserve(job, &job->program->arrays[array]));
    *number = array;
done:
    return result;
}

mmm_status mmm_job_add_input(mmm_job *job, int input, mmm_type type, int64_t first, int64_t count, mmm_use use,
                             int *number)
{
    mmm_status result = MMM_OK;
    int array;
    MMM_TRY(check_building(job));
    NEED(number, "the place for the number of an array");
    if (input < 0 || input >= MMM_DATA_MOST || !job->app->inputs[input].name)
        FAIL(MMM_INVALID, "%s has no input number %d", job->app->name, input);
    const mmm_data *data = &job->app->inputs[input];
    if (type != (data->type == MMM_POLYNOMIAL ? MMM_WORD : data->type))
        FAIL(MMM_INVALID, "the input %s has elements of type %s, its array has %s", data->name,
             mmm_type_name(data->type == MMM_POLYNOMIAL ? MMM_WORD : data->type), mmm_type_name(type));
    if (first < 0 || count < first || job->inputs[input].count > count - first)
        FAIL(MMM_INVALID,
             "the input %s of %" PRId64 " elements does not fit into an array of %" PRId64 " from %" PRId64 " on",
             data->name, job->inputs[input].count, count, first);
    TRY(mmm_job_add_array(job, data->name, type, count, use | MMM_IN, &array));
    job->loads[array].input = input;
    job->loads[array].first = first;
    *number = array;
done:
    return result;
}

static mmm_status set_output(mmm_job *job, int output, int which, int array, int64_t first, int64_t count)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    if (!job->program) FAIL(MMM_INVALID, "%s has no program yet: outputs are for build", job->app->name);
    if (output < 0 || output >= MMM_DATA_MOST || !job->app->outputs[output].name)
        FAIL(MMM_INVALID, "%s has no output number %d", job->app->name, output);
    if (array < 0 || array >= job->program->array_count)
        FAIL(MMM_INVALID, "the output %s of %s is in no array", job->app->outputs[output].name, job->app->name);
    const mmm_global *global = &job->program->arrays[array];
    if (first < 0 || count < 0 || count > global->count - first)
        FAIL(MMM_INVALID, "the output %s is %" PRId64 " elements from %" PRId64 " on of '%s', which has %" PRId64,
             job->app->outputs[output].name, count, first, global->name, global->count);
    if (!(global->use & MMM_OUT)) job->program->arrays[array].use |= MMM_RESULT;
    size_t size = mmm_element_size(job->app->outputs[output].type);
    if (job->building && which == 0 && job->takes[output][0].array < 0)
        TRY(mmm_program_reserve(job->program, (uint64_t)(count * job->batch) * size,
                                "the output %s of %" PRId64 " elements", job->app->outputs[output].name, count));
    job->takes[output][which] = (struct mmm_take){array, first, count};
    if (which == 0) job->takes[output][1].array = -1;
done:
    return result;
}

mmm_status mmm_job_set_output(mmm_job *job, int output, int array, int64_t first, int64_t count)
{
    return set_output(job, output, 0, array, first, count);
}

mmm_status mmm_job_set_output_else(mmm_job *job, int output, int array, int64_t first, int64_t count)
{
    return set_output(job, output, 1, array, first, count);
}

mmm_status mmm_job_set_output_degrees(mmm_job *job, int output, int array, int64_t at)
{
    mmm_status result = MMM_OK;
    MMM_TRY(check_building(job));
    if (output < 0 || output >= MMM_DATA_MOST || job->takes[output][0].array < 0)
        FAIL(MMM_INVALID, "%s has no output number %d, or it is not said yet where that is", job->app->name, output);
    if (array < 0 || array >= job->program->array_count || job->program->arrays[array].type != MMM_I32 ||
        !(job->program->arrays[array].use & MMM_OUT) || at < 0 || at >= job->program->arrays[array].count - 1)
        FAIL(MMM_INVALID, "the degrees of the output %s are two elements of an array of i32 that goes out (MMM_OUT)",
             job->app->outputs[output].name);
    job->degrees[output].array = array;
    job->degrees[output].at = at;
done:
    return result;
}

void *mmm_job_memory(const mmm_job *job, int array)
{
    if (!job || array < 0 || array >= ARRAYS_MOST) return NULL;
    if (job->building && array < job->program->array_count && job->failure == MMM_OK) {
        mmm_job *own = (mmm_job *)job; /* who fills an array while it builds has it at once */
        own->failure = allocate(own, array);
    }
    if (job->mapped[array]) job->program->arrays[array].host = job->arrays[array];
    const size_t bytes = job->problem ? mmm_job_bytes(job, array) / (size_t)job->batch : 0;
    return job->arrays[array] ? (char *)job->arrays[array] + (size_t)job->problem * bytes : NULL;
}
