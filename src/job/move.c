/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a run: inputs into the arrays of a program and outputs of them. */
#include "job/job.h"

#include "polynomial/kernels.h" /* made from polynomial_kernels.c */

#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <string.h>

enum { SCALE = 1, ENTER, ENTER_SEEN, LEAVE }; /* numbers of kernels of polynomial_kernels.c */

/* Runs a kernel of polynomial_kernels.c here and now, as one block. */
static void convert(const mmm_kernel *code, const mmm_modulus *modulus, const void *from, void *to, uint64_t factor,
                    int64_t count)
{
    enum { PART = 1 << 30 }; /* numbers of threads are ints */
    const int wide = modulus->bits == 64;
    const mmm_value values[] = {{.array = (void *)from}, {.array = to}, {.word = factor}, {.integer = count}};
    mmm_scratch none = {0};
    mmm_call call = {.last = 1, .grid = 1, .grid_x = 1, .modulus = *modulus, .scratch = &none};
    if (count > PART || count == 0) return;
    call.threads = call.threads_x = (int)count;
    code->compiled[wide][mmm_cpu_isa()][code->index](values, &call);
}

void mmm_words_enter(const mmm_modulus *modulus, int bits, const uint64_t *from, void *to, int64_t count)
{
    if (modulus && modulus->p)
        convert(&mmm_kernels_polynomial[ENTER], modulus, from, to, modulus->square, count);
    else if (bits == 64 && count)
        memcpy(to, from, (size_t)count * sizeof *from);
    else
        for (int64_t i = 0; i < count; i++)
            ((uint32_t *)to)[i] = (uint32_t)from[i];
}

void mmm_words_scale(const mmm_modulus *modulus, void *words, const void *factor, int64_t count)
{
    convert(&mmm_kernels_polynomial[SCALE], modulus, words, (void *)factor, 0, count);
}

bool mmm_words_enter_checked(const mmm_modulus *modulus, const uint64_t *from, void *to, int64_t count)
{
    enum { THREADS_MOST = 256 };
    const mmm_kernel *code = &mmm_kernels_polynomial[ENTER_SEEN];
    uint64_t seen[THREADS_MOST] = {0}, all = 0;
    const mmm_value values[] = {{.array = (void *)from},  {.array = to},     {.array = seen}, {.word = modulus->square},
                                {.word = modulus->p - 1}, {.integer = count}};
    mmm_scratch none = {0};
    mmm_call call = {.last = 1, .grid = 1, .grid_x = 1, .modulus = *modulus, .scratch = &none};
    call.threads = call.threads_x = THREADS_MOST;
    code->compiled[modulus->bits == 64][mmm_cpu_isa()][code->index](values, &call);
    for (int i = 0; i < THREADS_MOST; i++)
        all |= seen[i];
    return !(all >> 63);
}

void mmm_words_leave(const mmm_modulus *modulus, int bits, const void *from, uint64_t *to, uint64_t factor,
                     int64_t count)
{
    if (modulus && modulus->p)
        convert(&mmm_kernels_polynomial[LEAVE], modulus, from, to, factor, count);
    else if (bits == 64 && count)
        memcpy(to, from, (size_t)count * sizeof *to);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = ((const uint32_t *)from)[i];
}

bool mmm_words_below(const uint64_t *words, int64_t count, uint64_t p)
{
    uint64_t some[4] = {0};
    for (int64_t i = 0; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) /* the first bit of one that is too large, or larger than 2^63 */
            some[k] |= (p - 1 - words[i + k]) | words[i + k];
    for (int64_t i = count / 4 * 4; i < count; i++)
        some[0] |= (p - 1 - words[i]) | words[i];
    return !((some[0] | some[1] | some[2] | some[3]) >> 63);
}

/* ---- In ------------------------------------------------------------------------------------------------------------
 */

/* Elements of an input to where they are wanted; false where one is too large. */
static bool enter(mmm_job *job, int64_t problem, const mmm_vector *v, const void *elements, int64_t count, char *memory,
                  size_t size, bool wide)
{
    if (v->type == MMM_POLYNOMIAL && count >= MMM_PUT_CHECKS && count < INT32_MAX / 2)
        return mmm_words_enter_checked(mmm_job_modulus_of(job, problem), elements, memory, count);
    if (v->type == MMM_POLYNOMIAL || (wide && v->type == MMM_WORD))
        mmm_words_enter(mmm_job_modulus_of(job, problem), job->word_bits, elements, memory, count);
    else if (count)
        memcpy(memory, elements, (size_t)count * size);
    return true;
}

bool mmm_job_put(mmm_job *job, int array, int64_t problem, const void *elements, bool wide)
{
    const mmm_global *global = &job->program->arrays[array];
    const mmm_vector *v = &job->inputs[job->loads[array].input];
    const int64_t first = job->loads[array].first, behind = global->count - first - v->count;
    const size_t size = (size_t)global->size;
    char *memory = (char *)job->arrays[array] + (size_t)(problem * global->count) * size;
    memset(memory, 0, (size_t)first * size);
    memset(memory + (size_t)(first + v->count) * size, 0, (size_t)behind * size);
    return enter(job, problem, v, elements, v->count, memory + (size_t)first * size, size, wide);
}

static void load_array(mmm_job *job, int array)
{
    mmm_global *global = &job->program->arrays[array];
    if (job->sketch && global->count > 2 * MMM_SKETCH) global->known = MMM_SKETCH * (int64_t)global->size;
    if (job->loads[array].input < 0) return;
    global->host = job->arrays[array];
    const mmm_vector *v = &job->inputs[job->loads[array].input];
    const int64_t first = job->loads[array].first;
    if (job->sketch && v->count > 2 * MMM_SKETCH && first < MMM_SKETCH)
        enter(job, 0, v, v->elements, MMM_SKETCH - first, (char *)job->arrays[array] + first * global->size,
              (size_t)global->size, true);
    else if (!job->sketch || v->count <= 2 * MMM_SKETCH)
        for (int64_t q = 0; q < job->batch; q++)
            mmm_job_put(job, array, q, (const char *)v->elements + (size_t)(q * v->count) * mmm_element_size(v->type),
                        true);
}

mmm_status mmm_job_each(mmm_job *job, mmm_status (*function)(mmm_job *job))
{
    mmm_status result = MMM_OK;
    for (job->problem = 0; function && job->problem < job->batch; job->problem++)
        TRY(function(job));
done:
    job->problem = 0;
    return result;
}

mmm_status mmm_job_load(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_draw(job)); /* where it was only planned */
    TRY(mmm_job_allocate(job));
    for (int i = 0; i < (int)job->program->array_count; i++)
        load_array(job, i);
    TRY(mmm_job_each(job, job->app->load));
done:
    return result;
}

/* ---- Out -----------------------------------------------------------------------------------------------------------
 */

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

/* Elements of an array of one problem, in host memory; of a batch on a device all of them come at once. */
static mmm_status bring(mmm_job *job, mmm_machine *machine, const struct mmm_take *take, const char **memory)
{
    mmm_status result = MMM_OK;
    const mmm_global *global = &job->program->arrays[take->array];
    if (global->use & MMM_OUT || job->brought[take->array])
        ;
    else if (job->batch == 1 || !machine->type->keep)
        TRY(mmm_machine_fetch(machine, job->program, take->array, job->problem * global->count + take->first,
                              take->count));
    else {
        TRY(mmm_machine_fetch(machine, job->program, take->array, 0, global->count * job->batch));
        job->brought[take->array] = true;
    }
    *memory = (const char *)job->arrays[take->array] +
              (size_t)(job->problem * global->count + take->first) * (size_t)global->size;
done:
    return result;
}

static bool is_zero(const char *words, int64_t i, int bits)
{
    return bits == 32 ? !((const uint32_t *)words)[i] : !((const uint64_t *)words)[i];
}

/* A place of an output, as far as its degree goes. */
static struct mmm_take less_by_degree(const mmm_job *job, int output, int which)
{
    struct mmm_take take = job->takes[output][which];
    if (job->degrees[output].array < 0) return take;
    const int32_t *degrees = mmm_job_memory(job, job->degrees[output].array);
    const int64_t terms = (int64_t)degrees[job->degrees[output].at + which] + 1;
    if (terms < take.count) take.count = terms < 0 ? 0 : terms;
    return take;
}

mmm_status mmm_job_find_output(mmm_job *job, mmm_machine *machine, int output, const char **memory, int64_t *count)
{
    mmm_status result = MMM_OK;
    const struct mmm_take *take = job->takes[output];
    for (int which = 0; which < 2; which++) {
        const struct mmm_take place = less_by_degree(job, output, which);
        TRY(bring(job, machine, &place, memory));
        *count = place.count;
        while (job->app->outputs[output].type == MMM_POLYNOMIAL && *count > 0 &&
               is_zero(*memory, *count - 1, job->word_bits))
            --*count;
        if (*count || take[1].array < 0) break;
    }
done:
    return result;
}

void mmm_job_give_out(const mmm_job *job, int output, const char *memory, int64_t count, bool wide, void *to)
{
    const mmm_data *data = &job->app->outputs[output];
    const size_t size = (size_t)job->program->arrays[job->takes[output]->array].size;
    const mmm_modulus *modulus = mmm_job_modulus_of(job, job->problem);
    uint64_t factor = 1;
    if (data->monic && count) {
        uint64_t lead = 0;
        mmm_words_leave(modulus, job->word_bits, memory + (size_t)(count - 1) * size, &lead, 1, 1);
        factor = lead == 1 ? 1 : n_invmod(lead, modulus->p);
    }
    if (data->type == MMM_POLYNOMIAL || (wide && data->type == MMM_WORD))
        mmm_words_leave(modulus, job->word_bits, memory, to, factor, count);
    else if (count)
        memcpy(to, memory, (size_t)count * size);
}

mmm_status mmm_job_check_taken(const mmm_job *job, int output)
{
    if (job->takes[output][0].array >= 0) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s does not say where its output %s is", job->app->name,
                    job->app->outputs[output].name);
}

/* What is there of a run before stays where it is, if it fits, and is not asked of the system with each run. */
static mmm_status collect(mmm_job *job, mmm_machine *machine, int output, mmm_vector *out)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = &job->app->outputs[output];
    mmm_vector v = {.type = data->type};
    const char *memory;
    TRY(mmm_job_check_taken(job, output));
    TRY(mmm_job_find_output(job, machine, output, &memory, &v.count));
    if (out->elements && out->type == v.type && out->count == v.count) {
        v.elements = out->elements;
        out->elements = NULL;
    } else {
        TRY(mmm_alloc(&v.elements, v.count, mmm_element_size(data->type)));
    }
    mmm_job_give_out(job, output, memory, v.count, true, v.elements);
    if (data->type == MMM_POLYNOMIAL) v.p = job->modulus.p;
    shape_output(job, data, &v);
    mmm_vector_clear(out);
    *out = v;
done:
    return result;
}

mmm_status mmm_job_collect(mmm_job *job, mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    memset(job->brought, 0, sizeof job->brought);
    for (job->problem = 0; job->problem < job->batch; job->problem++) {
        if (job->app->finish) TRY(job->app->finish(job));
        for (int i = 0; i < MMM_DATA_MOST && job->app->outputs[i].name; i++) {
            if (mmm_job_has(job, &job->app->outputs[i])) TRY(collect(job, machine, i, mmm_job_out(job, i)));
        }
    }
done:
    job->problem = 0;
    return result;
}
