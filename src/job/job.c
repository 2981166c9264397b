/* SPDX-License-Identifier: Apache-2.0 */
/* A job: an application with its parameters, inputs, program and results. */
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

static const mmm_app_type *const types[] = {&mmm_app_division_naive, &mmm_app_division, &mmm_app_multiplication,
                                            &mmm_app_gcd_naive,      &mmm_app_gcd,      &mmm_app_radix_sort};

enum { TYPES = sizeof types / sizeof *types };

const mmm_app *const *mmm_app_list(void)
{
    static const mmm_app *const list[] = {
        &mmm_app_division_naive.app,
        &mmm_app_division.app,
        &mmm_app_multiplication.app,
        &mmm_app_gcd_naive.app,
        &mmm_app_gcd.app,
        &mmm_app_radix_sort.app,
        NULL,
    };
    return list;
}

mmm_status mmm_job_new(const char *app, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    char known[512] = "";
    for (int i = 0; i < TYPES; i++) {
        strcat(strcat(known, i ? ", " : ""), types[i]->app.name);
        if (strcmp(types[i]->app.name, app) != 0) continue;
        TRY(mmm_alloc(&job, 1, sizeof *job));
        job->type = types[i];
        for (int j = 0; types[i]->app.parameters[j].name; j++)
            job->values[j] = types[i]->app.parameters[j].standard;
        *out = job;
        return MMM_OK;
    }
    FAIL(MMM_INVALID, "unknown application '%s'; the applications are %s", app, known);
done:
    return result;
}

static void drop_program(mmm_job *job)
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
    drop_program(job);
    for (int i = 0; i < DATA_MOST; i++) {
        mmm_polynomial_clear(&job->inputs[i]);
        mmm_polynomial_clear(&job->outputs[i]);
    }
    free(job);
}

const mmm_app *mmm_job_app(const mmm_job *job)
{
    return &job->type->app;
}

mmm_program *mmm_job_program(mmm_job *job)
{
    return job->program;
}

static int find_parameter(const mmm_job *job, const char *name)
{
    for (int i = 0; job->type->app.parameters[i].name; i++)
        if (strcmp(job->type->app.parameters[i].name, name) == 0) return i;
    return -1;
}

int64_t mmm_job_get(const mmm_job *job, const char *name)
{
    int i = find_parameter(job, name);
    return i < 0 ? 0 : job->values[i];
}

bool mmm_job_is_set(const mmm_job *job, const char *name)
{
    int i = find_parameter(job, name);
    return i >= 0 && job->set[i];
}

/* Whether an input or output is there. */
static bool present(const mmm_job *job, const char *name)
{
    int i = find_parameter(job, name);
    return i < 0 || job->values[i];
}

static void store(mmm_job *job, const char *name, int64_t value)
{
    int i = find_parameter(job, name);
    if (i >= 0) job->values[i] = value;
}

mmm_status mmm_job_set(mmm_job *job, const char *name, int64_t value)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = &job->type->app;
    int i = find_parameter(job, name);
    if (i < 0) {
        char known[256] = "";
        for (int j = 0; app->parameters[j].name; j++)
            strcat(strcat(known, j ? ", " : ""), app->parameters[j].name);
        FAIL(MMM_INVALID, "%s has no parameter '%s'; its parameters are %s", app->name, name, known);
    }
    const mmm_app_parameter *parameter = &app->parameters[i];
    if (value < parameter->least || value > parameter->most)
        FAIL(MMM_INVALID, "%s=%lld: %s must be from %lld to %lld", name, (long long)value, parameter->meaning,
             (long long)parameter->least, (long long)parameter->most);
    const mmm_format *format = job->type->format;
    for (int which = 0; which < DATA_MOST; which++)
        if (job->given[which] && (strcmp(name, format->sizes[which]) == 0 || strcmp(name, format->fixed) == 0))
            FAIL(MMM_INVALID, "%s=%lld: %s is known from the input %s", name, (long long)value, parameter->meaning,
                 app->inputs[which]);
    mmm_modulus modulus;
    if (strcmp(name, "p") == 0) TRY(mmm_modulus_read((uint64_t)value, &modulus));
    job->values[i] = value;
    job->set[i] = true;
    drop_program(job);
done:
    return result;
}

static mmm_status check_which(const mmm_job *job, const char *const *names, int which, const char *what)
{
    int count = 0;
    while (names[count])
        count++;
    if (which >= 0 && which < count) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s has %d %s%s, there is no number %d", job->type->app.name, count, what,
                    count == 1 ? "" : "s", which + 1);
}

static mmm_status check_format(const mmm_job *job, const mmm_format *format)
{
    if (job->type->format == format) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s takes %s, not %s", job->type->app.name, job->type->format->name, format->name);
}

/* An input takes the place of the parameters it determines. */
static mmm_status take_input(mmm_job *job, int which, mmm_polynomial *a)
{
    const char *size = job->type->format->sizes[which], *name = job->type->app.inputs[which];
    const mmm_app_parameter *parameter = &job->type->app.parameters[find_parameter(job, size)];
    if (a->terms > parameter->most)
        return mmm_fail(MMM_TOO_LARGE, "%s has length %lld: %lld is possible", name, (long long)a->terms,
                        (long long)parameter->most);
    mmm_polynomial_clear(&job->inputs[which]);
    job->inputs[which] = *a;
    job->given[which] = true;
    store(job, size, a->terms);
    store(job, "p", (int64_t)a->p);
    store(job, name, 1);
    drop_program(job);
    return MMM_OK;
}

mmm_status mmm_job_polynomial(mmm_job *job, int which, uint64_t p, const uint64_t *coefficients, int64_t terms)
{
    mmm_status result = MMM_OK;
    mmm_polynomial a = {0};
    mmm_modulus modulus;
    TRY(check_format(job, &mmm_format_polynomials));
    TRY(check_which(job, job->type->app.inputs, which, "input"));
    TRY(mmm_modulus_read(p, &modulus));
    TRY(mmm_polynomial_set(&a, p, coefficients, terms, job->type->app.inputs[which]));
    TRY(take_input(job, which, &a));
    a.coefficients = NULL;
done:
    mmm_polynomial_clear(&a);
    return result;
}

mmm_status mmm_job_take(mmm_job *job, int which, const mmm_array *array)
{
    mmm_polynomial a = {.p = array->modulus.p, .terms = array->terms, .array = (mmm_array *)array, .borrowed = true};
    mmm_status status = take_input(job, which, &a);
    if (status == MMM_OK) job->machine = array->machine;
    return status;
}

mmm_status mmm_job_keys(mmm_job *job, int which, const uint64_t *words, int64_t count)
{
    mmm_status result = MMM_OK;
    mmm_polynomial a = {0};
    TRY(check_format(job, &mmm_format_keys));
    TRY(check_which(job, job->type->app.inputs, which, "input"));
    TRY(mmm_alloc(&a.coefficients, count, sizeof *words));
    a.terms = count;
    if (count) memcpy(a.coefficients, words, (size_t)count * sizeof *words);
    TRY(take_input(job, which, &a));
    a.coefficients = NULL;
done:
    mmm_polynomial_clear(&a);
    return result;
}

mmm_status mmm_job_read(mmm_job *job, int which, const char *path)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    mmm_polynomial a = {0};
    TRY(check_which(job, job->type->app.inputs, which, "input"));
    TRY(mmm_file_read(path, (int64_t)1 << 36, &text, &size));
    TRY(job->type->format->parse(job, text, size, path, &a));
    TRY(take_input(job, which, &a));
    a.coefficients = NULL;
done:
    mmm_polynomial_clear(&a);
    free(text);
    return result;
}

mmm_status mmm_job_prepare(mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_format *format = job->type->format;
    mmm_random random = {(uint64_t)mmm_job_get(job, "seed")};
    int bits;
    drop_program(job);
    TRY(format->settle(job, &bits));
    if (job->type->fit && !job->machine) TRY(job->type->fit(job));
    for (int i = 0; job->type->app.inputs[i]; i++)
        if (!job->given[i] && present(job, job->type->app.inputs[i])) TRY(format->draw(job, i, &random));
    TRY(mmm_program_new(&job->program));
    TRY(mmm_program_set_words(job->program, bits, job->modulus.p ? &job->modulus : NULL));
    TRY(job->type->build(job));
done:
    if (result != MMM_OK) drop_program(job);
    return result;
}

mmm_status mmm_job_run(mmm_job *job, mmm_machine *machine, double *seconds)
{
    mmm_status result = MMM_OK;
    if (!job->program) TRY(mmm_job_prepare(job));
    job->ran = false;
    TRY(job->type->load(job));
    TRY(mmm_machine_run(machine, job->program, seconds));
    TRY(job->type->finish(job));
    job->ran = true;
done:
    return result;
}

mmm_status mmm_job_check_timed(const mmm_job *job, double *seconds)
{
    if (!job->ran) return mmm_fail(MMM_INVALID, "%s has not run: there is no result to check", job->type->app.name);
    return job->type->check(job, seconds);
}

mmm_status mmm_job_check(const mmm_job *job)
{
    double seconds;
    return mmm_job_check_timed(job, &seconds);
}

static mmm_status check_output(const mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = &job->type->app;
    TRY(check_which(job, app->outputs, which, "output"));
    if (!job->ran) FAIL(MMM_INVALID, "%s has not run: there is no result yet", app->name);
    if (!present(job, app->outputs[which])) FAIL(MMM_INVALID, "%s ran without %s", app->name, app->outputs[which]);
done:
    return result;
}

mmm_status mmm_job_result(const mmm_job *job, int which, const uint64_t **words, int64_t *count)
{
    mmm_status result = MMM_OK;
    TRY(check_output(job, which));
    *words = job->outputs[which].coefficients;
    *count = job->outputs[which].terms;
done:
    return result;
}

mmm_status mmm_job_write(const mmm_job *job, int which, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(check_output(job, which));
    TRY(mmm_output_open(&output, path));
    TRY(job->type->format->print(job, &job->outputs[which], output.stream));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

static mmm_status new_array(mmm_job *job, const char *name, int64_t count, int size, mmm_use use, int *array)
{
    mmm_status result = MMM_OK;
    void *memory = NULL;
    TRY(mmm_alloc(&memory, count, (size_t)size));
    TRY(mmm_program_array(job->program, name, count, size, use, memory, array));
    job->arrays[*array] = memory;
    memory = NULL;
done:
    free(memory);
    return result;
}

/* An array in the memory of the job's machine. */
static mmm_status new_buffer(mmm_job *job, const char *name, int64_t count, mmm_use use, int *array)
{
    mmm_status result = MMM_OK;
    int size = job->program->word_bits / 8;
    TRY(mmm_program_array(job->program, name, count, size, use, NULL, array));
    TRY(mmm_buffer_new(job->machine, (size_t)count * (size_t)size, &job->buffers[*array]));
    mmm_program_bind(job->program, *array, job->buffers[*array]);
done:
    return result;
}

mmm_node *mmm_job_last(mmm_job *job)
{
    return &job->program->nodes[job->program->kernels - 1];
}

mmm_status mmm_job_array(mmm_job *job, const char *name, int64_t count, mmm_use use, int *array)
{
    if (job->machine) return new_buffer(job, name, count, use, array);
    return new_array(job, name, count, job->program->word_bits / 8, use, array);
}

mmm_status mmm_job_integers(mmm_job *job, const char *name, int64_t count, mmm_use use, int *array)
{
    return new_array(job, name, count, sizeof(int32_t), use, array);
}

mmm_status mmm_job_chain(mmm_job *job, const mmm_kernel *code, int64_t blocks, int64_t threads, int64_t local_words,
                         const mmm_argument *arguments, int count)
{
    mmm_status result = MMM_OK;
    int kernel;
    TRY(mmm_program_launch(job->program, code, blocks, threads, local_words, arguments, count, &kernel));
    if (kernel > 0) TRY(mmm_program_depend(job->program, kernel - 1, kernel));
done:
    return result;
}
