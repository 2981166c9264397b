/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels: what the compiler made of a kernel, which nobody can count, learned from short runs of it, on a
 * core in all its configurations (docs/model.md).  They multiply what the machine's constants say. */
#include "study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MOST = 4096, CONFIGURATIONS = 40, LEAST = 5, USUAL = 4 };
static const double noise = 0.05;      /* of the logarithm of a time */
static const double apart = 0.25;      /* an error from which on one of a sample says less: other work was in the way */
static const double as_one = 30;       /* samples that count fully; more of them count as so many */
static const double slope_usual = .03; /* of a slope, by a factor of 2, */
static const double slope_words = 1;   /* and from words of 32 bits to those of 64 */
static const double slowest = 0.1;     /* the least that a sample counts: others by the square of the best over it */
static const double share = 0.02;      /* of a program's time, below which a kernel's is not told apart */
static const double patience = 2e-3;   /* seconds of runs of a configuration */
static const double lengthy = 2e-2;    /* a run of so many seconds is made once: it is far from the best */
static const double clip = 1;          /* factors of 2 that slopes are trusted outside of what was run */

/* By how much the logarithm of a factor usually differs from the usual one. */
static const double usually[MMM_LIMITS] = {.7, .7, .7, .7, 1.5, 1.5, .7, .5};
static const double common = 1.5; /* all factors of a kernel together */
static const double dearer = 0.2; /* of memory's: work may hide a line, but hardly makes it dearer than it is */

int mmm_features_of(const mmm_node *node, int word_bits, double feature[MMM_FEATURES_MOST])
{
    int count = 0;
    feature[count++] = log2((double)node->threads);
    feature[count++] = log2((double)(node->threads_x > 0 ? node->threads_x : 1));
    for (int i = 0; node->code && i < node->code->parameter_count && count < MMM_FEATURES_MOST - 1; i++)
        if (node->code->parameters[i].kind == MMM_PARAMETER_CONSTANT)
            feature[count++] = log2(1 + fabs((double)node->arguments[i].integer));
    feature[count++] = log2(word_bits / 32.0);
    return count;
}

void mmm_block_limits(const mmm_program *program, const mmm_node *node, const mmm_profile *block, double first_line,
                      const double *constants, double limits[MMM_LIMITS])
{
    double bytes = 0;
    for (int i = 0; node->code && i < node->code->parameter_count; i++)
        if (node->code->parameters[i].kind == MMM_PARAMETER_ARRAY)
            bytes += (double)mmm_global_bytes(program, &program->arrays[node->arguments[i].number]);
    for (int i = 0; i < MMM_LIMITS; i++)
        limits[i] = 1e-12 * (double)block->time[i];
    limits[MMM_LIMIT_MEMORY] += mmm_lines_time((double)block->lines, (double)block->distinct, bytes,
                                               (double)node->blocks, first_line, constants);
}

const mmm_factors *mmm_factors_of(const mmm_parameters *machine, const char *app, const char *kernel)
{
    for (int i = 0; i < machine->factor_count; i++)
        if (strcmp(machine->factors[i].app, app) == 0 && strcmp(machine->factors[i].kernel, kernel) == 0)
            return &machine->factors[i];
    return NULL;
}

const mmm_factors *mmm_gpu_factors_of(const mmm_parameters *machine, const char *app, const char *kernel, int features)
{
    const mmm_factors *f = mmm_factors_of(machine, app, kernel);
    return f && (f->features == features || f->features + 1 == features) ? f : NULL;
}

double mmm_factors_apply(const mmm_factors *f, const double *feature, double limits[MMM_LIMITS])
{
    double logarithm = 0, sum = 0;
    for (int i = 0; f && i < f->features; i++)
        logarithm += f->slope[i] * (fmax(f->low[i] - clip, fmin(f->high[i] + clip, feature[i])) - f->centre[i]);
    for (int i = 0; i < MMM_LIMITS; i++)
        sum += limits[i] *= (f ? f->factors[i] : mmm_factors_usual[i]) * exp(logarithm);
    return sum;
}

/* ---- The fit ------------------------------------------------------------------------------------------------------
 */

/* Unknowns: the logarithms of a common factor and of each one, and slopes. */
typedef struct problem {
    const mmm_kernel_sample *samples;
    int count;
    double weights;           /* the sum of theirs */
    const mmm_factors *shape; /* features and their centre */
} problem;

static void put(const problem *p, const double *x, mmm_factors *out)
{
    for (int i = 0; i < MMM_LIMITS; i++)
        out->factors[i] = exp(x[0] + x[1 + i]);
    for (int i = 0; i < p->shape->features; i++)
        out->slope[i] = x[1 + MMM_LIMITS + i];
}

static double error_of(const mmm_kernel_sample *s, const mmm_factors *f)
{
    double limits[MMM_LIMITS];
    memcpy(limits, s->limits, sizeof limits);
    return log((s->steps + mmm_factors_apply(f, s->feature, limits)) / s->seconds);
}

static void errors(const void *context, const double *x, double *e)
{
    const problem *p = context;
    const double weight = fmin(1, sqrt(as_one / p->weights)) / noise;
    mmm_factors f = *p->shape;
    int row = 0;
    put(p, x, &f);
    for (int i = 0; i < p->count; i++)
        e[row++] = weight * sqrt(p->samples[i].weight) * mmm_lessened(error_of(&p->samples[i], &f), apart);
    e[row++] = x[0] / common;
    for (int i = 0; i < MMM_LIMITS; i++)
        e[row++] = (x[1 + i] - log(mmm_factors_usual[i])) / usually[i];
    e[row++] = fmax(0, x[0] + x[1 + MMM_LIMIT_MEMORY]) / dearer;
    for (int i = 0; i < f.features; i++)
        e[row++] = x[1 + MMM_LIMITS + i] / (i + 1 < f.features ? slope_usual : slope_words);
}

mmm_status mmm_factors_fit(const mmm_kernel_sample *samples, int count, mmm_factors *out)
{
    double x[1 + MMM_LIMITS + MMM_FEATURES_MOST] = {0}, squares = 0, weights = 0;
    for (int i = 0; i < count; i++)
        weights += samples[i].weight;
    out->features = samples[0].features;
    for (int j = 0; j < out->features; j++) {
        double sum = 0;
        out->low[j] = out->high[j] = samples[0].feature[j];
        for (int i = 0; i < count; i++) {
            sum += samples[i].feature[j];
            out->low[j] = fmin(out->low[j], samples[i].feature[j]);
            out->high[j] = fmax(out->high[j], samples[i].feature[j]);
        }
        out->centre[j] = sum / count;
    }
    for (int i = 0; i < MMM_LIMITS; i++)
        x[1 + i] = log(mmm_factors_usual[i]);
    const problem p = {samples, count, weights, out};
    const int unknowns = 1 + MMM_LIMITS + out->features;
    MMM_TRY(mmm_least_squares(errors, &p, count + unknowns + 1, unknowns, x, NULL));
    put(&p, x, out);
    for (int i = 0; i < count; i++)
        squares += error_of(&samples[i], out) * error_of(&samples[i], out);
    out->error = sqrt(squares / count);
    return MMM_OK;
}

/* ---- Samples ------------------------------------------------------------------------------------------------------
 */

typedef struct collection {
    mmm_machine *machine;
    const mmm_parameters *parameters;
    mmm_kernel_sample *samples;
    double *all; /* seconds of the program of each */
    int count;
    mmm_runs *runs; /* of a GPU, in place of samples; NULL: it is a core */
    int set;
} collection;

/* The least seconds of a run, and, of another one, those of each kernel, whose sum is no more than that. */
static mmm_status time_kernels(mmm_job *job, mmm_machine *machine, double *seconds, double *all)
{
    mmm_status result = MMM_OK;
    const int64_t kernels = job->program->kernels;
    double *each = NULL, ignored, least = INFINITY, sum;
    TRY(mmm_alloc(&each, kernels, sizeof *each));
    TRY(mmm_job_run(job, machine, all));
    if (*all < lengthy) TRY(mmm_time_job(job, machine, LEAST, patience, all, NULL));
    machine->kernel_seconds = each;
    for (int i = 0; i < LEAST && !(i && *all >= lengthy); i++) {
        memset(each, 0, (size_t)kernels * sizeof *each);
        TRY(mmm_job_run(job, machine, &ignored));
        sum = 0;
        for (int64_t k = 0; k < kernels; k++)
            sum += each[k];
        if (!(sum < least)) continue;
        least = sum;
        memcpy(seconds, each, (size_t)kernels * sizeof *each);
    }
    for (int64_t k = 0; k < kernels; k++)
        seconds[k] *= fmin(1, *all / least);
done:
    machine->kernel_seconds = NULL;
    free(each);
    return result;
}

/* What the profiles say of a kernel. */
static void add_limits(const mmm_program *program, const mmm_profiles *profiles, int64_t kernel, double first_line,
                       const double *constants, double limits[MMM_LIMITS])
{
    int64_t count;
    const mmm_profile *groups = mmm_profiles_of(profiles, kernel, &count);
    for (int64_t g = 0; g < count; g++) {
        double block[MMM_LIMITS];
        mmm_block_limits(program, &program->nodes[kernel], &groups[g], first_line, constants, block);
        for (int i = 0; i < MMM_LIMITS; i++)
            limits[i] += (double)groups[g].cost.blocks * block[i];
    }
}

/* A job that is prepared: a sample for kernels that are alike. */
static mmm_status run_job(collection *x, mmm_job *job)
{
    mmm_status result = MMM_OK;
    const mmm_program *program = job->program;
    mmm_parameters wide;
    const mmm_parameters *parameters = mmm_parameters_by_words(x->parameters, program->word_bits, &wide);
    mmm_profiles profiles = {0};
    double *seconds = NULL, *first_lines = NULL, all;
    bool *done = NULL;
    if (mmm_program_is_open(program)) return MMM_OK; /* how many kernels there will be is not known */
    if (x->runs) {                                   /* nobody tells how long each kernel takes */
        TRY(mmm_time_job(job, x->machine, LEAST, patience, &all, NULL));
        return mmm_runs_add(x->runs, job, x->set, all);
    }
    TRY(mmm_alloc(&seconds, program->kernels, sizeof *seconds));
    TRY(mmm_alloc(&done, program->kernels, sizeof *done));
    TRY(time_kernels(job, x->machine, seconds, &all));
    TRY(mmm_profile_job(job, parameters, MMM_PROFILE_BUDGET, &profiles));
    TRY(mmm_alloc(&first_lines, program->kernels, sizeof *first_lines));
    TRY(mmm_first_lines(program, &profiles, parameters->constants, first_lines));
    for (int64_t k = 0; k < program->kernels && x->count < SAMPLES_MOST; k++) {
        const mmm_node *node = &program->nodes[k];
        mmm_kernel_sample s = {.features = mmm_features_of(node, program->word_bits, s.feature)};
        double known = 0;
        if (done[k] || !node->code) continue;
        snprintf(s.kernel, sizeof s.kernel, "%s", node->code->name);
        for (int64_t j = k; j < program->kernels; j++) {
            if (done[j] || !mmm_nodes_alike(node, &program->nodes[j])) continue;
            done[j] = true;
            s.seconds += seconds[j];
            s.steps += parameters->constants[MMM_CONSTANT_STEP];
            add_limits(program, &profiles, j, first_lines[j], parameters->constants, s.limits);
        }
        for (int i = 0; i < MMM_LIMITS; i++)
            known += s.limits[i];
        if (!(s.seconds > share * all && known > 0)) continue;
        x->all[x->count] = all;
        x->samples[x->count++] = s;
    }
done:
    mmm_profiles_free(&profiles);
    free(first_lines);
    free(seconds);
    free(done);
    return result;
}

/* All configurations of a job whose choices are open, or some of them where there are many. */
static mmm_status run_choices(collection *x, mmm_job *job)
{
    mmm_status result = MMM_OK;
    mmm_candidate *all = NULL;
    const mmm_patience long_enough = {.seconds = 0.4};
    int count = 0, valid = 0;
    mmm_status status = mmm_candidates_new(job, x->parameters, &long_enough, &all, &count);
    if (status == MMM_TOO_LARGE) return MMM_OK;
    TRY(status);
    while (valid < count && !all[valid].reason[0])
        valid++;
    const int step = (valid + CONFIGURATIONS - 1) / CONFIGURATIONS;
    for (int i = 0; i < valid; i += step) {
        status = mmm_candidate_apply(job, &all[i]);
        if (status == MMM_OK) status = run_job(x, job);
        if (status != MMM_TOO_LARGE && status != MMM_INVALID) TRY(status);
    }
done:
    free(all);
    return result;
}

/* Makes its words those of 64 bits; false: its record has no way to say so. */
static mmm_status widen(mmm_job *job, bool *possible)
{
    const int modulus = mmm_app_role(job->app, MMM_MODULUS);
    *possible = modulus >= 0 || job->app->word;
    if (modulus >= 0) return mmm_job_set(job, job->app->parameters[modulus].name, ((int64_t)1 << 60) - 93);
    return *possible ? mmm_job_set(job, job->app->word, 64) : MMM_OK;
}

/* Those that the record names, for where there are very many the ones above are all near the usual one; and, at the
 * same sizes, what is usual on such a machine.  With words of 32 bits, or of 64. */
static mmm_status run_named(collection *x, const mmm_app *app, const char *settings, int64_t larger, bool wide)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    bool exists = true, possible = true;
    for (int64_t number = -1; exists; number++) {
        const bool usual = number < 0;
        TRY(mmm_calibration_job(app, settings, usual ? 0 : number, larger, usual, &job, &exists));
        if (wide) TRY(widen(job, &possible));
        if (!possible) break;
        if (usual) TRY(mmm_job_usual(job, x->machine));
        exists |= usual;
        mmm_status status = exists ? mmm_job_prepare(job) : MMM_OK;
        for (int i = 0; exists && status == MMM_OK && i < (usual ? USUAL : 1); i++)
            status = run_job(x, job);
        if (status != MMM_TOO_LARGE && status != MMM_INVALID) TRY(status);
        mmm_job_free(job);
        job = NULL;
    }
done:
    mmm_job_free(job);
    return result;
}

/* What is slow at its size tells little of what is fast there, which is to be told apart. */
static void weigh(collection *x, int first)
{
    double least = INFINITY;
    for (int i = first; i < x->count; i++)
        least = fmin(least, x->all[i]);
    for (int i = first; i < x->count; i++) {
        const double part = least / x->all[i];
        x->samples[i].weight = fmax(part * part, slowest);
    }
}

static int compare(const void *a, const void *b)
{
    const mmm_kernel_sample *x = a, *y = b;
    return strcmp(x->kernel, y->kernel);
}

int mmm_factors_of_others(const mmm_parameters *p, const char *app, mmm_factors *table)
{
    int count = 0;
    for (int i = 0; i < p->factor_count; i++)
        if (strcmp(p->factors[i].app, app) != 0) table[count++] = p->factors[i];
    return count;
}

/* On a GPU what the record names, and what is usual, at sizes that it can be busy with: each configuration is compiled
 * first, which takes longer than all else. */
static mmm_status measure_runs(const mmm_app *app, mmm_machine *machine, mmm_parameters *parameters, mmm_factors *table)
{
    static const int64_t larger[] = {4, 16};
    mmm_status result = MMM_OK;
    mmm_runs runs;
    mmm_runs_begin(&runs, app->name, parameters);
    collection x = {.machine = machine, .parameters = parameters, .runs = &runs};
    for (int i = 0; i < MMM_CALIBRATIONS_MOST && app->calibration[i]; i++)
        for (int k = 0; k < 4; k++, x.set++)
            TRY(run_named(&x, app, app->calibration[i], larger[k / 2], k % 2));
    TRY(mmm_runs_learn(&runs, parameters, table));
done:
    mmm_runs_free(&runs);
    return result;
}

mmm_status mmm_factors_measure(const mmm_app *app, mmm_machine *machine, mmm_parameters *parameters, mmm_factors *table)
{
    if (mmm_has_gpu(parameters)) return measure_runs(app, machine, parameters, table);
    mmm_status result = MMM_OK;
    const int64_t P = machine->parameters.P;
    collection x = {.machine = machine, .parameters = parameters};
    mmm_job *job = NULL;
    int count = mmm_factors_of_others(parameters, app->name, table);
    parameters->factors = table;
    parameters->factor_count = count;
    machine->parameters.P = 1; /* a core's */
    TRY(mmm_alloc(&x.samples, SAMPLES_MOST, sizeof *x.samples));
    TRY(mmm_alloc(&x.all, SAMPLES_MOST, sizeof *x.all));
    for (int i = 0; i < MMM_CALIBRATIONS_MOST && app->calibration[i]; i++)
        for (int wide = 0; wide < 2; wide++) {
            const bool end = i == 0 || i + 1 == MMM_CALIBRATIONS_MOST || !app->calibration[i + 1];
            const int first = x.count;
            bool exists = true;
            if (end && !wide) { /* all that there is, at the first and the last size */
                TRY(mmm_calibration_job(app, app->calibration[i], 0, 1, true, &job, &exists));
                TRY(run_choices(&x, job));
                mmm_job_free(job);
                job = NULL;
            }
            TRY(run_named(&x, app, app->calibration[i], 1, wide));
            weigh(&x, first);
        }
    qsort(x.samples, (size_t)x.count, sizeof *x.samples, compare);
    for (int first = 0, end; first < x.count && count < MMM_FACTORS_MOST; first = end) {
        mmm_factors *f = &table[count];
        memset(f, 0, sizeof *f);
        for (end = first; end < x.count && compare(&x.samples[first], &x.samples[end]) == 0;)
            end++;
        TRY(mmm_factors_fit(x.samples + first, end - first, f));
        snprintf(f->app, sizeof f->app, "%s", app->name);
        snprintf(f->kernel, sizeof f->kernel, "%s", x.samples[first].kernel);
        parameters->factor_count = ++count;
    }
done:
    machine->parameters.P = P;
    mmm_job_free(job);
    free(x.samples);
    free(x.all);
    return result;
}
