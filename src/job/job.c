/* SPDX-License-Identifier: Apache-2.0 */
/* A job: parameters and inputs in, a program, results out. */
#include "job/job.h"

#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

mmm_status mmm_job_of(const mmm_app *app, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    TRY(mmm_alloc(&job, 1, sizeof *job));
    job->app = app;
    job->word_bits = 32;
    for (int i = 0; i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++)
        job->values[i] = app->parameters[i].standard;
    *out = job;
done:
    return result;
}

mmm_status mmm_job_new(const char *name, mmm_job **out)
{
    const mmm_app *app;
    NEED(out, "the place for a job");
    mmm_status status = mmm_app_open(name, &app);
    return status == MMM_OK ? mmm_job_of(app, out) : status;
}

void mmm_job_drop_program(mmm_job *job)
{
    mmm_program_free(job->program);
    job->program = NULL;
    for (int i = 0; i < ARRAYS_MOST; i++) {
        free(job->arrays[i]);
        job->arrays[i] = NULL;
        if (job->machine) mmm_buffer_free(job->machine, job->buffers[i]);
        job->buffers[i] = NULL;
    }
    job->ran = false;
}

void mmm_job_free(mmm_job *job)
{
    if (!job) return;
    mmm_job_drop_program(job);
    for (int i = 0; i < MMM_DATA_MOST; i++) {
        mmm_vector_clear(&job->inputs[i]);
        mmm_vector_clear(&job->outputs[i]);
    }
    free(job);
}

const mmm_app *mmm_job_app(const mmm_job *job)
{
    return job ? job->app : NULL;
}

mmm_program *mmm_job_program(mmm_job *job)
{
    return job ? job->program : NULL;
}

int64_t mmm_job_get(const mmm_job *job, const char *name)
{
    int i = job ? mmm_app_parameter(job->app, name) : -1;
    return i < 0 ? 0 : job->values[i];
}

int mmm_job_lookup(const void *context, const char *name, int64_t *value)
{
    const mmm_job *job = context;
    int i = mmm_app_parameter(job->app, name);
    if (i >= 0) *value = job->values[i];
    return i >= 0 ? 1 : strcmp(name, "Z") == 0 || strcmp(name, "threads") == 0 ? 0 : -1;
}

static int64_t value_of(const mmm_job *job, const char *expression)
{
    int64_t value = 0;
    bool known; /* records are checked when they are opened: what fails here is a division by 0 or a large number */
    return mmm_integer_evaluate(expression, mmm_job_lookup, job, &value, &known) == MMM_OK ? value : 0;
}

bool mmm_job_has(const mmm_job *job, const mmm_data *data)
{
    return !data->when || value_of(job, data->when);
}

void mmm_job_choose(mmm_job *job, int parameter, int64_t value)
{
    job->values[parameter] = value;
    mmm_job_drop_program(job);
}

void mmm_job_default(mmm_job *job, const char *name, int64_t value)
{
    int i = job ? mmm_app_parameter(job->app, name) : -1;
    if (i >= 0 && !job->set[i]) job->values[i] = value;
}

/* Whether the input, by its own length, modulus or size of words, settles the parameter. */
static bool settles(const mmm_job *job, int input, const char *name)
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

mmm_status mmm_job_set(mmm_job *job, const char *name, int64_t value)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(job, "the job");
    NEED(name, "the name of a parameter");
    const mmm_app *app = job->app;
    int i = mmm_app_parameter(app, name);
    if (i < 0) {
        char known[512] = "";
        for (int j = 0; j < MMM_PARAMETERS_MOST && app->parameters[j].name; j++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", j ? ", " : "", app->parameters[j].name);
        }
        FAIL(MMM_INVALID, "%s has no parameter '%.100s'; its parameters are %s", app->name, name, known);
    }
    const mmm_parameter *p = &app->parameters[i];
    if (value < p->least || value > p->most)
        FAIL(MMM_INVALID, "%s=%" PRId64 ": %s must be from %" PRId64 " to %" PRId64, name, value, p->meaning, p->least,
             p->most);
    for (int which = 0; which < MMM_DATA_MOST && app->inputs[which].name; which++)
        if (job->given[which] && value != job->values[i] && settles(job, which, name))
            FAIL(MMM_INVALID, "%s=%" PRId64 ": %s is known from the input %s", name, value, p->meaning,
                 app->inputs[which].name);
    if (p->role == MMM_MODULUS) TRY(mmm_modulus_read((uint64_t)value, &modulus));
    job->values[i] = value;
    job->set[i] = true;
    mmm_job_drop_program(job);
done:
    return result;
}

static mmm_status check_which(const mmm_job *job, const mmm_data *data, int which, const char *what)
{
    int count = 0;
    while (count < MMM_DATA_MOST && data[count].name)
        count++;
    if (which >= 0 && which < count) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s has %d %s%s, there is no number %lld", job->app->name, count, what,
                    count == 1 ? "" : "s", (long long)which + 1);
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
    TRY(check_which(job, job->app->inputs, which, "input"));
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

mmm_status mmm_job_take(mmm_job *job, int which, const mmm_array *array)
{
    mmm_vector v = {.type = MMM_POLYNOMIAL,
                    .p = array->modulus.p,
                    .count = array->terms,
                    .lengths = {array->terms},
                    .dimensions = 1,
                    .array = (mmm_array *)array,
                    .borrowed = true};
    mmm_status status = take_input(job, which, &v);
    if (status == MMM_OK) job->machine = array->machine;
    return status;
}

mmm_status mmm_job_give(mmm_job *job, int which, const void *elements, const int64_t *lengths, int dimensions)
{
    mmm_status result = MMM_OK;
    int known;
    mmm_vector v = {.count = 1, .dimensions = dimensions};
    NEED(job, "the job");
    TRY(check_which(job, job->app->inputs, which, "input"));
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

/* The bits of a word, as far as parameters say: the modulus's, the record's expression, or 32. */
static mmm_status settle_words(mmm_job *job)
{
    mmm_status result = MMM_OK;
    int modulus = mmm_app_role(job->app, MMM_MODULUS);
    job->word_bits = 32;
    job->modulus = (mmm_modulus){0};
    if (modulus >= 0) {
        TRY(mmm_modulus_read((uint64_t)job->values[modulus], &job->modulus));
        job->word_bits = job->modulus.bits;
    }
    if (job->app->word) {
        int64_t bits = value_of(job, job->app->word);
        if (bits != 32 && bits != 64)
            FAIL(MMM_INVALID, "%s=%" PRId64 ": words have 32 or 64 bits", job->app->word, bits);
        job->word_bits = (int)bits;
    }
done:
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
    TRY(check_which(job, job->app->inputs, which, "input"));
    const mmm_data *data = &job->app->inputs[which];
    TRY(settle_words(job));
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

/* Whether inputs that were given go together: one modulus, and lengths as their shapes say. */
static mmm_status check_inputs(mmm_job *job)
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

static mmm_status check_constraints(mmm_job *job)
{
    mmm_status result = MMM_OK;
    char failed[256], values[256] = "";
    TRY(mmm_constraints_check(job->app->constraints, mmm_job_lookup, job, failed, sizeof failed));
    if (!*failed) return MMM_OK;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const char *name = job->app->parameters[i].name, *found = strstr(failed, name);
        size_t used = strlen(values), length = strlen(name);
        bool alone = found && !(found > failed && (found[-1] == '_' || (found[-1] >= 'a' && found[-1] <= 'z'))) &&
                     !(found[length] == '_' || (found[length] >= 'a' && found[length] <= 'z'));
        if (alone)
            snprintf(values + used, sizeof values - used, "%s%s=%" PRId64, used ? ", " : "", name, job->values[i]);
    }
    FAIL(MMM_INVALID, "%s: %s needs %s", values, job->app->name, failed);
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
    if (__builtin_mul_overflow((uint64_t)v.count, mmm_element_size(v.type), &bytes)) bytes = UINT64_MAX;
    TRY(mmm_program_reserve(job->program, bytes, "the input %s of %" PRId64 " elements", data->name, v.count));
    job->inputs[which] = v;
done:
    return result;
}

static mmm_status draw_input(mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    mmm_vector v = job->inputs[which];
    TRY(mmm_alloc(&v.elements, v.count, mmm_element_size(v.type)));
    if (job->app->draw)
        TRY(job->app->draw(job, which, v.elements, v.count));
    else
        for (int64_t i = 0; i < v.count; i++) {
            uint64_t x = v.p ? mmm_random_below(&job->random, v.p) : mmm_random_next(&job->random);
            if (v.p && i == v.count - 1) x = 1 + mmm_random_below(&job->random, v.p - 1);
            switch (v.type) {
            case MMM_POLYNOMIAL: ((uint64_t *)v.elements)[i] = x; break;
            case MMM_WORD:
                ((uint64_t *)v.elements)[i] = job->modulus.p ? x % job->modulus.p : x >> (64 - job->word_bits);
                break;
            case MMM_F32: ((float *)v.elements)[i] = (float)(x >> 40) / 16777216.0f; break;
            case MMM_F64: ((double *)v.elements)[i] = (double)(x >> 11) / 9007199254740992.0; break;
            default: memcpy((char *)v.elements + (size_t)i * mmm_element_size(v.type), &x, mmm_element_size(v.type));
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
    for (int i = 0; i < MMM_DATA_MOST && job->app->inputs[i].name; i++)
        if (is_open(job, i)) TRY(draw_input(job, i));
done:
    return result;
}

/* The same for those that cannot fail: preparing the job does. */
static void draw_now(const mmm_job *job)
{
    mmm_job *own = (mmm_job *)job;
    if (job && job->building && job->undrawn && job->failure == MMM_OK) own->failure = mmm_job_draw(own);
}

static void drop_drawn(mmm_job *job)
{
    for (int i = 0; i < MMM_DATA_MOST; i++)
        if (!job->given[i]) mmm_vector_clear(&job->inputs[i]);
}

/* Nothing is drawn and no array has memory before all of it is known to fit. */
static mmm_status build(mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = job->app;
    for (int i = 0; i < MMM_DATA_MOST && app->inputs[i].name; i++)
        if (is_open(job, i)) TRY(shape_input(job, i));
    job->building = job->undrawn = true;
    job->failure = MMM_OK;
    TRY(app->build(job, job->program));
    TRY(job->failure);
    TRY(mmm_job_draw(job));
    TRY(mmm_job_allocate(job));
done:
    job->building = false;
    return result;
}

mmm_status mmm_job_prepare(mmm_job *job)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    const mmm_app *app = job->app;
    int seed = mmm_app_role(app, MMM_SEED);
    mmm_job_drop_program(job);
    drop_drawn(job);
    job->device_bytes = 0;
    job->random = (mmm_random){seed >= 0 ? (uint64_t)job->values[seed] : 1};
    TRY(settle_words(job));
    if (app->settle && !job->machine) TRY(app->settle(job));
    TRY(check_constraints(job));
    TRY(check_inputs(job));
    for (int i = 0; i < ARRAYS_MOST; i++)
        job->loads[i].input = -1;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        job->takes[i][0].array = job->takes[i][1].array = -1;
    TRY(mmm_program_new(&job->program));
    TRY(mmm_program_set_words(job->program, job->word_bits, job->modulus.p ? &job->modulus : NULL));
    TRY(build(job));
done:
    if (result != MMM_OK) {
        mmm_job_drop_program(job);
        drop_drawn(job);
    }
    return result;
}

mmm_status mmm_job_run(mmm_job *job, mmm_machine *machine, double *seconds)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    NEED(machine, "the machine");
    if (!job->program) TRY(mmm_job_prepare(job));
    job->ran = false;
    TRY(mmm_job_load(job));
    TRY(mmm_machine_run(machine, job->program, seconds));
    if (job->app->finish) TRY(job->app->finish(job));
    TRY(mmm_job_collect(job, machine));
    job->ran = true;
done:
    return result;
}

mmm_status mmm_job_check_timed(const mmm_job *job, double *seconds)
{
    double ignored;
    NEED(job, "the job");
    if (!job->ran) return mmm_fail(MMM_INVALID, "%s has not run: there is no result to check", job->app->name);
    if (!job->app->check) return mmm_fail(MMM_INVALID, "%s has no check", job->app->name);
    return job->app->check(job, seconds ? seconds : &ignored);
}

mmm_status mmm_job_check(const mmm_job *job)
{
    return mmm_job_check_timed(job, NULL);
}

static mmm_status check_output(const mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    TRY(check_which(job, job->app->outputs, which, "output"));
    if (!job->ran) FAIL(MMM_INVALID, "%s has not run: there is no result yet", job->app->name);
    if (!mmm_job_has(job, &job->app->outputs[which]))
        FAIL(MMM_INVALID, "%s ran without %s", job->app->name, job->app->outputs[which].name);
done:
    return result;
}

const void *mmm_job_result(const mmm_job *job, int which, int64_t *count)
{
    static const uint64_t none;
    if (check_output(job, which) != MMM_OK) return NULL;
    if (count) *count = job->outputs[which].count;
    return job->outputs[which].elements ? job->outputs[which].elements : &none;
}

mmm_status mmm_job_write(const mmm_job *job, int which, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(check_output(job, which));
    NEED(path, "the path of a result");
    size_t length = strlen(path);
    const mmm_vector *v = &job->outputs[which];
    int element = v->type == MMM_WORD ? job->word_bits / 8 : (int)mmm_element_size(v->type);
    TRY(mmm_output_open(&output, path));
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0)
        TRY(mmm_npy_print(v, element, output.stream));
    else if (v->type == MMM_POLYNOMIAL)
        TRY(mmm_vector_text_print(v, output.stream));
    else
        TRY(mmm_raw_print(v, element, output.stream));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

/* ---- For applications -----------------------------------------------------------------------------------------------
 */

static bool has_input(const mmm_job *job, int input)
{
    return job && input >= 0 && input < MMM_DATA_MOST;
}

int64_t mmm_job_length(const mmm_job *job, int input)
{
    return has_input(job, input) ? job->inputs[input].count : 0;
}

const mmm_modulus *mmm_job_modulus(const mmm_job *job)
{
    static const mmm_modulus none;
    return job ? &job->modulus : &none;
}

uint64_t mmm_job_lead(const mmm_job *job, int input)
{
    if (!has_input(job, input) || job->inputs[input].type != MMM_POLYNOMIAL) return 0;
    draw_now(job);
    const mmm_vector *v = &job->inputs[input];
    if (v->array) return v->array->lead;
    return v->count && v->elements ? ((const uint64_t *)v->elements)[v->count - 1] : 0;
}

uint64_t mmm_job_inverse(const mmm_job *job, uint64_t x)
{
    uint64_t p = job ? job->modulus.p : 0;
    return p && x % p ? n_invmod(x % p, p) : 0;
}

uint64_t mmm_job_residue(const mmm_job *job, uint64_t x)
{
    return job && job->modulus.p ? mmm_modulus_enter(&job->modulus, x % job->modulus.p) : x;
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
    return has_input(job, input) ? job->inputs[input].elements : NULL;
}

mmm_status mmm_check_terms(int64_t n, const void *a, const char *name)
{
    if (n < 0) return mmm_fail(MMM_INVALID, "%s has %lld terms: none or more are possible", name, (long long)n);
    if (n > TERMS_MOST)
        return mmm_fail(MMM_TOO_LARGE, "%s has %lld terms: %d are possible", name, (long long)n, TERMS_MOST);
    if (n > 0 && !a) return mmm_fail(MMM_INVALID, "%s is NULL and has %lld terms", name, (long long)n);
    return MMM_OK;
}
