/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a job: inputs into the arrays of its program and outputs of them, in host memory or in a machine's. */
#include "job/job.h"

#include <flint/nmod.h>
#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void mmm_vector_clear(mmm_vector *v)
{
    free(v->elements);
    if (!v->borrowed) mmm_array_free(v->array);
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

void mmm_words_enter(const mmm_modulus *modulus, int bits, const uint64_t *from, void *to, int64_t count)
{
    uint32_t *narrow = to;
    uint64_t *broad = to;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = modulus && modulus->p ? mmm_modulus_enter(modulus, from[i]) : from[i];
        if (bits == 32)
            narrow[i] = (uint32_t)x;
        else
            broad[i] = x;
    }
}

void mmm_words_leave(const mmm_modulus *modulus, int bits, const void *from, uint64_t *to, int64_t count)
{
    const uint32_t *narrow = from;
    const uint64_t *broad = from;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = bits == 32 ? narrow[i] : broad[i];
        to[i] = modulus && modulus->p ? mmm_modulus_leave(modulus, x) : x;
    }
}

enum { DEVICE_FEW = 64 << 20 }; /* bytes not worth asking a device for what it has */

/* ---- Arrays of the program
 * -------------------------------------------------------------------------------------------- */

static size_t array_bytes(const mmm_job *job, int array)
{
    return (size_t)(job->program->arrays[array].count * job->program->arrays[array].size);
}

/* Arrays are those of the program that `build` makes; outputs, too, but later ones may be set after a run. */
static mmm_status check_building(const mmm_job *job)
{
    NEED(job, "the job");
    if (job->building) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s has no program that is being built: arrays are for build", job->app->name);
}

/* Whether an array lies in the machine's memory, and that is not the host's. */
static bool on_device(const mmm_job *job, mmm_type type)
{
    return job->machine && type == MMM_WORD && job->machine->type->memory != &mmm_memory_host;
}

static mmm_status reserve(mmm_job *job, const mmm_global *array)
{
    uint64_t available = UINT64_MAX, bytes = (uint64_t)array->count * (uint64_t)array->size;
    if (!on_device(job, array->type))
        return mmm_program_reserve(job->program, bytes, "array '%.100s' of %" PRId64 " elements", array->name,
                                   array->count);
    const mmm_memory_type *memory = job->machine->type->memory;
    job->device_bytes += bytes;
    if (job->device_bytes > DEVICE_FEW && memory->available) MMM_TRY(memory->available(job->machine, &available));
    if (job->device_bytes <= available) return MMM_OK;
    return mmm_fail(MMM_TOO_LARGE,
                    "array '%.100s' of %" PRId64 " elements: the program then needs %.1f GB of device memory, %.1f GB are "
                    "available",
                    array->name, array->count, (double)job->device_bytes / 1e9, (double)available / 1e9);
}

/* Memory for an array of the program, where it has none. */
static mmm_status allocate(mmm_job *job, int array)
{
    mmm_status result = MMM_OK;
    mmm_global *global = &job->program->arrays[array];
    if (job->arrays[array] || job->buffers[array]) return MMM_OK;
    if (job->machine && global->type == MMM_WORD) {
        TRY(mmm_buffer_new(job->machine, array_bytes(job, array), &job->buffers[array]));
        mmm_program_bind(job->program, array, job->buffers[array]);
    } else {
        TRY(mmm_alloc(&job->arrays[array], global->count, (size_t)global->size));
        global->host = job->arrays[array];
    }
done:
    return result;
}

mmm_status mmm_job_allocate(mmm_job *job)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < (int)job->program->array_count; i++)
        TRY(allocate(job, i));
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
    if (!on_device(job, global->type) && !(global->use & MMM_OUT)) job->program->arrays[array].use |= MMM_RESULT;
    size_t size = mmm_element_size(job->app->outputs[output].type);
    if (job->building && which == 0 && job->takes[output][0].array < 0 && !on_device(job, global->type))
        TRY(mmm_program_reserve(job->program, (uint64_t)count * size, "the output %s of %" PRId64 " elements",
                                job->app->outputs[output].name, count));
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

void *mmm_job_memory(const mmm_job *job, int array)
{
    if (!job || array < 0 || array >= ARRAYS_MOST) return NULL;
    if (job->building && array < job->program->array_count && !job->machine && job->failure == MMM_OK) {
        mmm_job *own = (mmm_job *)job; /* who fills an array while it builds has it at once */
        own->failure = allocate(own, array);
    }
    return job->arrays[array];
}

/* ---- Before and after a run
 * ------------------------------------------------------------------------------------------- */

/* From one place in the machine's memory to another; what the polynomial leaves free of the array is 0. */
static mmm_status load_resident(mmm_job *job, int array, const mmm_vector *v, int64_t first)
{
    mmm_status result = MMM_OK;
    size_t word = (size_t)job->word_bits / 8;
    if (v->count < job->program->arrays[array].count)
        TRY(mmm_buffer_zero(job->machine, job->buffers[array], array_bytes(job, array)));
    TRY(mmm_buffer_copy(job->machine, job->buffers[array], word * (size_t)first, v->array->buffer,
                        word * (size_t)v->count));
done:
    return result;
}

static mmm_status load_array(mmm_job *job, int array)
{
    mmm_status result = MMM_OK;
    const mmm_global *global = &job->program->arrays[array];
    if (job->loads[array].input < 0) {
        if (global->use & MMM_ZERO && job->buffers[array]) /* a run leaves buffers as they are */
            TRY(mmm_buffer_zero(job->machine, job->buffers[array], array_bytes(job, array)));
        return MMM_OK;
    }
    const mmm_vector *v = &job->inputs[job->loads[array].input];
    int64_t first = job->loads[array].first;
    if (job->buffers[array]) return load_resident(job, array, v, first);
    char *memory = job->arrays[array];
    size_t size = (size_t)global->size;
    memset(memory, 0, (size_t)first * size);
    memset(memory + (size_t)(first + v->count) * size, 0, (size_t)(global->count - first - v->count) * size);
    memory += (size_t)first * size;
    if (v->type == MMM_POLYNOMIAL || v->type == MMM_WORD)
        mmm_words_enter(&job->modulus, job->word_bits, v->elements, memory, v->count);
    else if (v->count)
        memcpy(memory, v->elements, (size_t)v->count * size);
done:
    return result;
}

mmm_status mmm_job_load(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_draw(job)); /* where it was only planned */
    TRY(mmm_job_allocate(job));
    for (int i = 0; i < (int)job->program->array_count; i++)
        TRY(load_array(job, i));
    if (job->app->load) TRY(job->app->load(job));
done:
    return result;
}

static void make_monic(const mmm_modulus *modulus, uint64_t *a, int64_t terms)
{
    nmod_t n;
    if (terms == 0 || a[terms - 1] == 1) return;
    nmod_init(&n, modulus->p);
    uint64_t inverse = n_invmod(a[terms - 1], modulus->p);
    for (int64_t i = 0; i < terms; i++)
        a[i] = nmod_mul(a[i], inverse, n);
}

static mmm_status collect_resident(mmm_job *job, const mmm_data *data, const struct mmm_take *take, mmm_vector *out)
{
    mmm_status result = MMM_OK;
    mmm_array *copy = NULL;
    TRY(mmm_array_copy(job->machine, &job->modulus, job->buffers[take->array], take->count, &copy));
    if (data->monic) TRY(mmm_array_make_monic(copy));
    *out = (mmm_vector){.type = MMM_POLYNOMIAL,
                        .p = job->modulus.p,
                        .count = copy->terms,
                        .lengths = {copy->terms},
                        .dimensions = 1,
                        .array = copy};
    copy = NULL;
done:
    mmm_array_free(copy);
    return result;
}

const char *mmm_shape_next(const char *shape, char *piece, size_t size)
{
    int depth = 0;
    size_t length = 0;
    shape += strspn(shape, " ");
    for (; shape[length] && (shape[length] != ',' || depth); length++)
        depth += (shape[length] == '(') - (shape[length] == ')');
    snprintf(piece, size, "%.*s", (int)(length < size ? length : size - 1), shape);
    return shape[length] ? shape + length + 1 : NULL;
}

/* The lengths of an output by its shape, where they give its number of elements; else one length. */
static void shape_output(const mmm_job *job, const mmm_data *data, mmm_vector *v)
{
    int64_t product = 1, length = 0;
    bool known;
    char piece[64];
    int dimensions = 0;
    for (const char *rest = data->shape; rest && dimensions < DIMENSIONS_MOST;) {
        rest = mmm_shape_next(rest, piece, sizeof piece);
        if (mmm_integer_evaluate(piece, mmm_job_lookup, job, &length, &known) != MMM_OK ||
            __builtin_mul_overflow(product, length, &product))
            product = -1;
        v->lengths[dimensions++] = length;
    }
    v->dimensions = dimensions;
    if (product == v->count) return;
    v->dimensions = 1;
    v->lengths[0] = v->count;
}

static mmm_status collect(mmm_job *job, mmm_machine *machine, const mmm_data *data, const struct mmm_take *take,
                          mmm_vector *out)
{
    mmm_status result = MMM_OK;
    mmm_vector v = {.type = data->type, .count = take->count};
    if (job->buffers[take->array]) return collect_resident(job, data, take, out);
    if (!(job->program->arrays[take->array].use & MMM_OUT))
        TRY(mmm_machine_fetch(machine, job->program, take->array, take->first, take->count));
    size_t size = (size_t)job->program->arrays[take->array].size;
    const char *memory = (const char *)job->arrays[take->array] + (size_t)take->first * size;
    TRY(mmm_alloc(&v.elements, v.count, mmm_element_size(data->type)));
    if (data->type == MMM_POLYNOMIAL || data->type == MMM_WORD)
        mmm_words_leave(&job->modulus, job->word_bits, memory, v.elements, v.count);
    else if (v.count)
        memcpy(v.elements, memory, (size_t)v.count * size);
    if (data->type == MMM_POLYNOMIAL) {
        const uint64_t *a = v.elements;
        v.p = job->modulus.p;
        while (v.count > 0 && a[v.count - 1] == 0)
            v.count--;
        if (data->monic) make_monic(&job->modulus, v.elements, v.count);
    }
    shape_output(job, data, &v);
    *out = v;
done:
    return result;
}

static mmm_status collect_output(mmm_job *job, mmm_machine *machine, int output)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = &job->app->outputs[output];
    const struct mmm_take *take = job->takes[output];
    mmm_vector v = {0};
    if (take->array < 0) FAIL(MMM_INVALID, "%s does not say where its output %s is", job->app->name, data->name);
    TRY(collect(job, machine, data, take, &v));
    if (v.count == 0 && take[1].array >= 0) {
        mmm_vector_clear(&v);
        TRY(collect(job, machine, data, take + 1, &v));
    }
    mmm_vector_clear(&job->outputs[output]);
    job->outputs[output] = v;
    memset(&v, 0, sizeof v);
done:
    mmm_vector_clear(&v);
    return result;
}

mmm_status mmm_job_collect(mmm_job *job, mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++)
        if (mmm_job_has(job, &job->app->outputs[i])) TRY(collect_output(job, machine, i));
done:
    return result;
}
