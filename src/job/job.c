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
    TRY(mmm_alloc(&job->outputs, MMM_DATA_MOST, sizeof *job->outputs));
    job->app = app;
    job->batch = 1;
    job->word_bits = 32;
    for (int i = 0; i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++)
        job->values[i] = app->parameters[i].standard;
    *out = job;
    job = NULL;
done:
    free(job);
    return result;
}

mmm_status mmm_job_sketch_of(const mmm_job *job, mmm_job **out)
{
    mmm_status result = MMM_OK;
    bool possible = job->batch == 1 && !job->moduli;
    *out = NULL;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        possible &= !job->given[i];
    if (!possible) return MMM_OK;
    TRY(mmm_job_of(job->app, out));
    memcpy((*out)->values, job->values, sizeof job->values);
    memcpy((*out)->set, job->set, sizeof job->set);
    (*out)->sketch = true;
done:
    return result;
}

static void drop_outputs(mmm_job *job)
{
    for (int64_t i = 0; i < job->batch * MMM_DATA_MOST; i++)
        mmm_vector_clear(&job->outputs[i]);
}

mmm_status mmm_job_set_batch(mmm_job *job, int64_t batch)
{
    mmm_status result = MMM_OK;
    mmm_vector *outputs = NULL;
    NEED(job, "the job");
    if (batch < 1 || batch > TERMS_MOST)
        FAIL(MMM_INVALID, "a batch of %" PRId64 " problems: 1 to %d are possible", batch, TERMS_MOST);
    TRY(mmm_alloc(&outputs, batch * MMM_DATA_MOST, sizeof *outputs));
    mmm_job_drop_program(job);
    mmm_job_drop_drawn(job);
    drop_outputs(job);
    free(job->outputs);
    job->outputs = outputs;
    free(job->moduli);
    job->moduli = NULL;
    job->batch = batch;
    job->problem = 0;
done:
    return result;
}

mmm_status mmm_job_set_moduli(mmm_job *job, const uint64_t *p, int64_t batch)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_set_batch(job, batch));
    TRY(mmm_job_set(job, job->app->parameters[mmm_app_role(job->app, MMM_MODULUS)].name, (int64_t)p[0]));
    TRY(mmm_alloc(&job->moduli, batch, sizeof *job->moduli));
    for (int64_t i = 0; i < batch; i++)
        TRY(mmm_modulus_read(p[i], &job->moduli[i]));
done:
    return result;
}

int64_t mmm_job_moduli(const mmm_job *job)
{
    return job && job->moduli ? job->batch : 1;
}

mmm_status mmm_job_select(mmm_job *job, int64_t problem)
{
    NEED(job, "the job");
    if (problem < 0 || problem >= job->batch)
        return mmm_fail(MMM_INVALID, "problem %" PRId64 ": the batch has %" PRId64 ", numbered from 0", problem,
                        job->batch);
    job->problem = problem;
    return MMM_OK;
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
    job->allocated = false;
    for (int i = 0; i < ARRAYS_MOST; i++) {
        if (job->staged[i])
            mmm_stage_free(job->planned, job->arrays[i]);
        else if (job->mapped[i])
            mmm_unmap(job->arrays[i], job->mapped[i]);
        else
            free(job->arrays[i]);
        job->arrays[i] = NULL;
        job->staged[i] = false;
        job->mapped[i] = 0;
    }
    job->ran = false;
}

void mmm_job_free(mmm_job *job)
{
    if (!job) return;
    mmm_job_drop_program(job);
    mmm_job_drop_drawn(job);
    for (int i = 0; i < MMM_DATA_MOST; i++)
        mmm_vector_clear(&job->inputs[i]);
    drop_outputs(job);
    free(job->outputs);
    free(job->moduli);
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
        if (job->given[which] && value != job->values[i] && mmm_job_settles(job, which, name))
            FAIL(MMM_INVALID, "%s=%" PRId64 ": %s is known from the input %s", name, value, p->meaning,
                 app->inputs[which].name);
    if (p->role == MMM_MODULUS) TRY(mmm_modulus_read((uint64_t)value, &modulus));
    job->values[i] = value;
    job->set[i] = true;
    mmm_job_drop_program(job);
done:
    return result;
}

mmm_status mmm_job_check_number(const mmm_job *job, const mmm_data *data, int which, const char *what)
{
    int count = 0;
    while (count < MMM_DATA_MOST && data[count].name)
        count++;
    if (which >= 0 && which < count) return MMM_OK;
    return mmm_fail(MMM_INVALID, "%s has %d %s%s, there is no number %lld", job->app->name, count, what,
                    count == 1 ? "" : "s", (long long)which + 1);
}

mmm_status mmm_job_settle_words(mmm_job *job)
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

/* Nothing is drawn and no array has memory before all of it is known to fit. */
static mmm_status build(mmm_job *job)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_shape_inputs(job));
    job->building = true;
    job->failure = MMM_OK;
    TRY(job->app->build(job, job->program));
    TRY(job->failure);
done:
    job->building = false;
    return result;
}

mmm_status mmm_job_plan(mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_app *app = job->app;
    int seed = mmm_app_role(app, MMM_SEED);
    mmm_job_drop_program(job);
    mmm_job_keep_drawn(job);
    job->problem = 0;
    job->random = (mmm_random){seed >= 0 ? (uint64_t)job->values[seed] : 1};
    TRY(mmm_job_settle_words(job));
    if (app->settle) TRY(app->settle(job));
    TRY(check_constraints(job));
    TRY(mmm_job_check_inputs(job));
    for (int i = 0; i < MMM_DATA_MOST; i++)
        if (job->given[i] && job->batch > 1)
            FAIL(MMM_INVALID, "the input %s is given: those of a batch are drawn, or a plan's (mmm_plan_run)",
                 app->inputs[i].name);
    for (int i = 0; i < ARRAYS_MOST; i++)
        job->loads[i].input = -1;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        job->takes[i][0].array = job->takes[i][1].array = job->degrees[i].array = -1;
    TRY(mmm_program_new(&job->program));
    TRY(mmm_program_set_batch(job->program, job->batch));
    TRY(mmm_program_set_words(job->program, job->word_bits, job->modulus.p ? &job->modulus : NULL));
    if (job->moduli) TRY(mmm_program_set_moduli(job->program, job->moduli));
    TRY(build(job));
done:
    if (result != MMM_OK) {
        mmm_job_drop_program(job);
        mmm_job_keep_drawn(job);
    }
    return result;
}

mmm_status mmm_job_prepare(mmm_job *job)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    TRY(mmm_job_plan(job));
    result = mmm_job_draw(job);
    if (result == MMM_OK) result = mmm_job_allocate(job);
    if (result != MMM_OK) {
        mmm_job_drop_program(job);
        mmm_job_drop_drawn(job);
    }
done:
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
    TRY(mmm_job_collect(job, machine));
    job->ran = true;
done:
    return result;
}

mmm_status mmm_job_check_timed(const mmm_job *job, double *seconds)
{
    double one, sum = 0;
    mmm_job own; /* seen problem by problem */
    NEED(job, "the job");
    if (!job->ran) return mmm_fail(MMM_INVALID, "%s has not run: there is no result to check", job->app->name);
    if (!job->app->check) return mmm_fail(MMM_INVALID, "%s has no check", job->app->name);
    own = *job;
    for (own.problem = 0; own.problem < job->batch; own.problem++) {
        one = 0;
        MMM_TRY(job->app->check(&own, &one));
        sum += one;
    }
    if (seconds) *seconds = sum;
    return MMM_OK;
}

mmm_status mmm_job_check(const mmm_job *job)
{
    return mmm_job_check_timed(job, NULL);
}

static mmm_status check_output(const mmm_job *job, int which)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    TRY(mmm_job_check_number(job, job->app->outputs, which, "output"));
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
    if (count) *count = mmm_job_out(job, which)->count;
    return mmm_job_out(job, which)->elements ? mmm_job_out(job, which)->elements : &none;
}

mmm_status mmm_job_write(const mmm_job *job, int which, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    TRY(check_output(job, which));
    NEED(path, "the path of a result");
    size_t length = strlen(path);
    const mmm_vector *v = mmm_job_out(job, which);
    int element = v->type == MMM_WORD ? job->word_bits / 8 : (int)mmm_element_size(v->type);
    TRY(mmm_output_open(&output, path));
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0)
        mmm_npy_print(v, element, output.stream);
    else if (v->type == MMM_POLYNOMIAL)
        mmm_vector_text_print(v, output.stream);
    else
        mmm_raw_print(v, element, output.stream);
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    return result;
}

const mmm_modulus *mmm_job_modulus(const mmm_job *job)
{
    static const mmm_modulus none;
    return job ? mmm_job_modulus_of(job, job->problem) : &none;
}

uint64_t mmm_job_inverse(const mmm_job *job, uint64_t x)
{
    uint64_t p = mmm_job_modulus(job)->p;
    return p && x % p ? n_invmod(x % p, p) : 0;
}

uint64_t mmm_job_residue(const mmm_job *job, uint64_t x)
{
    const mmm_modulus *m = mmm_job_modulus(job);
    return m->p ? mmm_modulus_enter(m, x % m->p) : x;
}
