/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a job: given, read from files, checked against their shapes, or drawn. */
#include "job/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool mmm_job_settles(const mmm_job *job, int input, const char *name)
{
    const mmm_data *data = &job->app->inputs[input];
    char piece[64];
    for (const char *rest = data->shape; rest;) {
        rest = mmm_shape_next(rest, piece, sizeof piece);
        if (strcmp(piece, name) == 0) return true;
    }
    if (data->type == MMM_WORD && job->app->word && strcmp(job->app->word, name) == 0) return true;
    return job->inputs[input].p && job->app->parameters[mmm_app_parameter(job->app, name)].role == MMM_MODULUS;
}

/* Whether the lengths of an array can be those of the input: as many as its shape has, none larger than a parameter can
 * be; parameters[i] (may be NULL) is the parameter that length i settles, or -1. */
static mmm_status check_shape(const mmm_job *job, int which, const mmm_vector *v, int *parameters, int *dimensions)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = job->app;
    const mmm_data *data = &app->inputs[which];
    char piece[64];
    int dimension = 0;
    for (const char *rest = data->shape; rest; dimension++) {
        rest = mmm_shape_next(rest, piece, sizeof piece);
        if (dimension == v->dimensions || dimension == DIMENSIONS_MOST)
            FAIL(MMM_INVALID, "%s has %d dimension%s, its shape is %s", data->name, v->dimensions,
                 v->dimensions == 1 ? "" : "s", data->shape);
        int i = mmm_app_parameter(app, piece);
        if (parameters) parameters[dimension] = i;
        if (i >= 0 && v->lengths[dimension] > app->parameters[i].most)
            FAIL(MMM_TOO_LARGE, "%s has length %" PRId64 ": %" PRId64 " is possible", data->name, v->lengths[dimension],
                 app->parameters[i].most);
    }
    if (dimension < v->dimensions)
        FAIL(MMM_INVALID, "%s has %d dimensions, its shape is %s", data->name, v->dimensions, data->shape);
    *dimensions = dimension;
done:
    return result;
}

/* An input takes the place of the parameters that it settles. */
static mmm_status take_input(mmm_job *job, int which, mmm_vector *v)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = job->app;
    const mmm_data *data = &app->inputs[which];
    int dimension, parameters[DIMENSIONS_MOST];
    TRY(check_shape(job, which, v, parameters, &dimension));
    mmm_vector_clear(&job->inputs[which]);
    job->inputs[which] = *v;
    job->given[which] = true;
    for (int i = 0; i < dimension; i++)
        if (parameters[i] >= 0) job->values[parameters[i]] = v->lengths[i];
    int modulus = mmm_app_role(app, MMM_MODULUS), shown = data->when ? mmm_app_parameter(app, data->when) : -1;
    if (v->p && modulus >= 0) job->values[modulus] = (int64_t)v->p;
    if (shown >= 0) job->values[shown] = 1;
    memset(v, 0, sizeof *v);
    mmm_job_drop_program(job);
done:
    return result;
}

static mmm_status check_polynomial(const mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_check_number(job, job->app->inputs, which, "input"));
    if (job->app->inputs[which].type != MMM_POLYNOMIAL)
        FAIL(MMM_INVALID, "%s of %s is an array of %s, not a polynomial", job->app->inputs[which].name, job->app->name,
             mmm_type_name(job->app->inputs[which].type));
done:
    return result;
}

mmm_status mmm_job_polynomial(mmm_job *job, int which, uint64_t p, const uint64_t *coefficients, int64_t terms)
{
    mmm_status result = MMM_OK;
    mmm_vector v = {0};
    mmm_modulus modulus;
    NEED(job, "the job");
    TRY(check_polynomial(job, which));
    TRY(mmm_check_terms(terms, coefficients, job->app->inputs[which].name));
    TRY(mmm_modulus_read(p, &modulus));
    TRY(mmm_vector_polynomial(&v, p, coefficients, terms, job->app->inputs[which].name));
    TRY(take_input(job, which, &v));
done:
    mmm_vector_clear(&v);
    return result;
}

mmm_status mmm_job_give(mmm_job *job, int which, const void *elements, const int64_t *lengths, int dimensions)
{
    mmm_status result = MMM_OK;
    int known;
    mmm_vector v = {.count = 1, .dimensions = dimensions};
    NEED(job, "the job");
    TRY(mmm_job_check_number(job, job->app->inputs, which, "input"));
    const mmm_data *data = &job->app->inputs[which];
    if (data->type == MMM_POLYNOMIAL)
        FAIL(MMM_INVALID, "%s of %s is a polynomial, not an array of words", data->name, job->app->name);
    if (dimensions < 1 || dimensions > DIMENSIONS_MOST)
        FAIL(MMM_INVALID, "%s: an array has 1 to %d dimensions, not %d", data->name, DIMENSIONS_MOST, dimensions);
    if (!lengths) FAIL(MMM_INVALID, "the array of lengths of %s is NULL", data->name);
    v.type = data->type;
    for (int i = 0; i < dimensions; i++) {
        v.lengths[i] = lengths[i];
        if (lengths[i] < 0 || __builtin_mul_overflow(v.count, lengths[i], &v.count))
            FAIL(MMM_INVALID, "%s: a length of %" PRId64 " is none", data->name, lengths[i]);
    }
    if (v.count && !elements) FAIL(MMM_INVALID, "%s is NULL and has %" PRId64 " elements", data->name, v.count);
    TRY(check_shape(job, which, &v, NULL, &known));
    TRY(mmm_alloc(&v.elements, v.count, mmm_element_size(v.type)));
    if (v.count) memcpy(v.elements, elements, (size_t)v.count * mmm_element_size(v.type));
    TRY(take_input(job, which, &v));
done:
    mmm_vector_clear(&v);
    return result;
}

mmm_status mmm_job_read(mmm_job *job, int which, const char *path)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    mmm_vector v = {0};
    int element;
    NEED(job, "the job");
    NEED(path, "the path of an input");
    TRY(mmm_job_check_number(job, job->app->inputs, which, "input"));
    const mmm_data *data = &job->app->inputs[which];
    TRY(mmm_job_settle_words(job));
    TRY(mmm_file_read(path, (int64_t)1 << 36, &text, &size));
    if (mmm_is_npy(text, size)) {
        TRY(mmm_npy_parse(text, size, data->type, path, &v, &element));
        int word = job->app->word ? mmm_app_parameter(job->app, job->app->word) : -1;
        if (data->type == MMM_WORD && word >= 0 && !job->set[word]) job->values[word] = element > 4 ? 64 : 32;
        if (data->type == MMM_POLYNOMIAL) {
            mmm_vector plain = v;
            memset(&v, 0, sizeof v);
            result = mmm_vector_polynomial(&v, job->modulus.p, plain.elements, plain.count, path);
            mmm_vector_clear(&plain);
            TRY(result);
        }
    } else if (data->type == MMM_POLYNOMIAL)
        TRY(mmm_vector_text_parse(text, size, path, &v));
    else
        TRY(mmm_raw_parse(text, size, data->type,
                          data->type == MMM_WORD ? job->word_bits / 8 : mmm_type_size(data->type), path, &v));
    TRY(take_input(job, which, &v));
done:
    mmm_vector_clear(&v);
    free(text);
    return result;
}

/* Words are below the modulus, or have as many bits as words have. */
static mmm_status check_words(const mmm_job *job, const mmm_data *data, const mmm_vector *v)
{
    const uint64_t *words = data->type == MMM_WORD ? v->elements : NULL;
    uint64_t p = job->modulus.p;
    for (int64_t k = 0; words && k < v->count; k++) {
        if (p && words[k] >= p)
            return mmm_fail(MMM_INVALID, "%s: number %" PRId64 ", %" PRIu64 ", is not below the modulus %" PRIu64,
                            data->name, k, words[k], p);
        if (job->word_bits < 64 && words[k] >> job->word_bits)
            return mmm_fail(MMM_INVALID, "%s: number %" PRId64 ", %" PRIu64 ", has more than %d bits", data->name, k,
                            words[k], job->word_bits);
    }
    return MMM_OK;
}

mmm_status mmm_job_check_inputs(mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = job->app->inputs;
    char piece[64];
    int64_t length;
    bool known;
    for (int i = 0; i < MMM_DATA_MOST && data[i].name; i++) {
        const mmm_vector *v = &job->inputs[i];
        if (!job->given[i] || !mmm_job_has(job, &data[i])) continue;
        for (int j = 0; j < i; j++)
            if (job->given[j] && v->p && job->inputs[j].p && v->p != job->inputs[j].p)
                FAIL(MMM_INVALID, "%s has modulus %" PRIu64 ", %s has %" PRIu64, data[j].name, job->inputs[j].p,
                     data[i].name, v->p);
        TRY(check_words(job, &data[i], v));
        const char *rest = data[i].shape;
        for (int d = 0; rest; d++) {
            rest = mmm_shape_next(rest, piece, sizeof piece);
            TRY(mmm_integer_evaluate(piece, mmm_job_lookup, job, &length, &known));
            if (length != v->lengths[d])
                FAIL(MMM_INVALID, "%s has length %" PRId64 ", but %s is %" PRId64, data[i].name, v->lengths[d], piece,
                     length);
        }
    }
done:
    return result;
}

/* Whether an input is one to be drawn. */
static bool is_open(const mmm_job *job, int which)
{
    return !job->given[which] && mmm_job_has(job, &job->app->inputs[which]);
}

/* The lengths of an input to draw, and its place in memory once that is known to be there. */
static mmm_status shape_input(mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    const mmm_data *data = &job->app->inputs[which];
    mmm_vector v = {.type = data->type, .count = 1, .p = data->type == MMM_POLYNOMIAL ? job->modulus.p : 0};
    uint64_t bytes;
    char piece[64];
    bool known;
    for (const char *rest = data->shape; rest; v.dimensions++) {
        rest = mmm_shape_next(rest, piece, sizeof piece);
        if (v.dimensions == DIMENSIONS_MOST)
            FAIL(MMM_INVALID, "%s has more than %d dimensions", data->name, DIMENSIONS_MOST);
        int64_t *length = &v.lengths[v.dimensions];
        TRY(mmm_integer_evaluate(piece, mmm_job_lookup, job, length, &known));
        if (*length < 0 || __builtin_mul_overflow(v.count, *length, &v.count))
            FAIL(MMM_TOO_LARGE, "%s of length %" PRId64, data->name, *length);
    }
    if (__builtin_mul_overflow((uint64_t)v.count, (uint64_t)job->batch * mmm_element_size(v.type), &bytes))
        bytes = UINT64_MAX;
    mmm_vector *kept = &job->kept.inputs[which];
    if (kept->elements && kept->count == v.count) bytes = 0; /* it has its memory */
    TRY(mmm_program_reserve(job->program, bytes, "the input %s of %" PRId64 " elements", data->name, v.count));
    job->inputs[which] = v;
done:
    return result;
}

static void drop_kept(mmm_job *job)
{
    for (int i = 0; i < MMM_DATA_MOST; i++)
        mmm_vector_clear(&job->kept.inputs[i]);
}

/* Whether the inputs that were put by are those that would be drawn now. */
static bool is_kept(const mmm_job *job)
{
    bool any = false;
    if (memcmp(job->given, job->kept.given, sizeof job->given) != 0 || job->batch != job->kept.batch) return false;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role != MMM_CHOICE && job->values[i] != job->kept.values[i]) return false;
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++) {
        const mmm_vector *kept = &job->kept.inputs[i], *v = &job->inputs[i];
        if (!is_open(job, i)) continue;
        if (!kept->elements || kept->type != v->type || kept->count != v->count || kept->p != v->p) return false;
        any = true;
    }
    return any;
}

mmm_status mmm_job_shape_inputs(mmm_job *job)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++)
        if (is_open(job, i)) TRY(shape_input(job, i));
    if (!is_kept(job)) drop_kept(job);
    job->undrawn = true;
done:
    return result;
}

int64_t mmm_job_sketch(const mmm_job *job)
{
    return job && job->sketch ? MMM_SKETCH : 0;
}

int mmm_job_shrunk(const mmm_job *job)
{
    return job ? job->shrunk : 0;
}

static mmm_status draw_input(mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    mmm_vector v = job->inputs[which];
    const size_t size = mmm_element_size(v.type);
    if (job->sketch && v.count > 2 * MMM_SKETCH) v.count = MMM_SKETCH;
    TRY(mmm_alloc(&v.elements, v.count * job->batch, size));
    for (int64_t q = 0; job->app->draw && q < job->batch; q++)
        TRY(job->app->draw(job, which, (char *)v.elements + (size_t)(q * v.count) * size, v.count));
    if (!job->app->draw)
        for (int64_t i = 0; i < v.count * job->batch; i++) {
            uint64_t x = v.p ? mmm_random_below(&job->random, v.p) : mmm_random_next(&job->random);
            if (v.p && (i + 1) % v.count == 0) x = 1 + mmm_random_below(&job->random, v.p - 1);
            switch (v.type) {
            case MMM_POLYNOMIAL: ((uint64_t *)v.elements)[i] = x; break;
            case MMM_WORD:
                ((uint64_t *)v.elements)[i] = job->modulus.p ? x % job->modulus.p : x >> (64 - job->word_bits);
                break;
            case MMM_F32: ((float *)v.elements)[i] = (float)(x >> 40) / 16777216.0f; break;
            case MMM_F64: ((double *)v.elements)[i] = (double)(x >> 11) / 9007199254740992.0; break;
            default: memcpy((char *)v.elements + (size_t)i * size, &x, size);
            }
        }
    job->inputs[which].elements = v.elements;
    v.elements = NULL;
done:
    free(v.elements);
    return result;
}

mmm_status mmm_job_draw(mmm_job *job)
{
    mmm_status result = MMM_OK;
    if (!job->undrawn) return MMM_OK;
    job->undrawn = false;
    if (is_kept(job)) {
        for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++)
            if (is_open(job, i)) {
                job->inputs[i].elements = job->kept.inputs[i].elements;
                job->kept.inputs[i].elements = NULL;
            }
        job->random = job->kept.random;
        return MMM_OK;
    }
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++)
        if (is_open(job, i)) TRY(draw_input(job, i));
    memcpy(job->kept.values, job->values, sizeof job->values);
    memcpy(job->kept.given, job->given, sizeof job->given);
    job->kept.batch = job->batch;
    job->kept.random = job->random;
done:
    return result;
}

/* The same for those that cannot fail: preparing the job does. */
static void draw_now(const mmm_job *job)
{
    mmm_job *own = (mmm_job *)job;
    if (!job || !job->building || !job->undrawn || job->failure != MMM_OK) return;
    if (job->batch > 1 || job->planned)
        own->failure =
            mmm_fail(MMM_INVALID, "%s has no batches and no plans: its program depends on its inputs", job->app->name);
    else {
        const bool sketch = job->sketch;
        own->sketch = false; /* whoever builds by its inputs looks at all of them */
        own->failure = mmm_job_draw(own);
        own->sketch = sketch;
    }
}

void mmm_job_keep_drawn(mmm_job *job)
{
    for (int i = 0; i < MMM_DATA_MOST; i++) {
        if (job->given[i]) continue;
        if (job->inputs[i].elements) {
            mmm_vector_clear(&job->kept.inputs[i]);
            job->kept.inputs[i] = job->inputs[i];
            memset(&job->inputs[i], 0, sizeof job->inputs[i]);
        }
        mmm_vector_clear(&job->inputs[i]);
    }
}

void mmm_job_drop_drawn(mmm_job *job)
{
    mmm_job_keep_drawn(job);
    drop_kept(job);
}

static bool has_input(const mmm_job *job, int input)
{
    return job && input >= 0 && input < MMM_DATA_MOST;
}

int64_t mmm_job_length(const mmm_job *job, int input)
{
    return has_input(job, input) ? job->inputs[input].count : 0;
}

uint64_t mmm_job_lead(const mmm_job *job, int input)
{
    if (!has_input(job, input) || job->inputs[input].type != MMM_POLYNOMIAL) return 0;
    draw_now(job);
    const mmm_vector *v = &job->inputs[input];
    return v->count && v->elements ? ((const uint64_t *)v->elements)[(job->problem + 1) * v->count - 1] : 0;
}

uint64_t mmm_job_random(mmm_job *job)
{
    draw_now(job);
    return job ? mmm_random_next(&job->random) : 0;
}

const void *mmm_job_given(const mmm_job *job, int input, int64_t *count)
{
    draw_now(job);
    if (count) *count = mmm_job_length(job, input);
    if (!has_input(job, input) || !job->inputs[input].elements) return NULL;
    const mmm_vector *v = &job->inputs[input];
    return (const char *)v->elements + (size_t)(job->problem * v->count) * mmm_element_size(v->type);
}

mmm_status mmm_check_terms(int64_t n, const void *a, const char *name)
{
    if (n < 0) return mmm_fail(MMM_INVALID, "%s has %lld terms: none or more are possible", name, (long long)n);
    if (n > TERMS_MOST)
        return mmm_fail(MMM_TOO_LARGE, "%s has %lld terms: %d are possible", name, (long long)n, TERMS_MOST);
    if (n > 0 && !a) return mmm_fail(MMM_INVALID, "%s is NULL and has %lld terms", name, (long long)n);
    return MMM_OK;
}
