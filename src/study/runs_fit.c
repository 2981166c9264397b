/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of the kernels of an application on a GPU, learned from times of whole programs (docs/model.md): those of all
 * its kernels together, for nobody tells which of them took how long. */
#include "study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen by what fits without one size say of it, for all sizes in turn (docs/model.md). */
const mmm_freedom mmm_freedom_usual = {.noise = .05,
                                       .ranked = 2,
                                       .apart = .25,
                                       .as_one = 100,
                                       .common = 1,
                                       .limit = .3,
                                       .slope = .06,
                                       .words = 1,
                                       .slowest = .02};

/* What factors are of: limits that a block has on a GPU. */
static const int of_block[] = {MMM_LIMIT_LATENCY, MMM_LIMIT_ISSUE, MMM_LIMIT_SCATTER, MMM_LIMIT_BETWEEN,
                               MMM_LIMIT_MEMORY};
static const double heard = 0.1; /* the part of some run's time that a kernel must have, or it is held the more */
enum { OF_BLOCK = sizeof of_block / sizeof *of_block, OF_CODE = 1 + OF_BLOCK };

/* ---- Estimates ----------------------------------------------------------------------------------------------------
 */

static mmm_kernel_time kernel_time(const mmm_runs *runs, const mmm_run *run, const mmm_run_kernel *k,
                                   const mmm_factors *factors)
{
    double limits[MMM_LIMITS];
    for (int i = 0; i < MMM_LIMITS; i++)
        limits[i] = 1;
    if (factors->features) mmm_factors_apply(factors, k->feature, limits);
    return mmm_gpu_kernel(run->word_bits, &k->node, k->groups, k->count, k->size, factors->features ? limits : NULL,
                          &runs->machine[run->word_bits == 64]);
}

/* The heaviest path, or all SMs' time where that is more, of kernels that take so long; `path` has room for one number
 * a step. */
static double program_time(const mmm_run *run, const double *alone, const double *share, double *path)
{
    double longest = 0, sum = 0;
    memset(path, 0, (size_t)run->steps * sizeof *path);
    for (int i = 0; i < run->steps; i++) {
        path[i] += alone[run->of[i]];
        sum += share[run->of[i]];
        longest = fmax(longest, path[i]);
        for (int j = run->first[i]; j < run->first[i + 1]; j++)
            path[run->to[j]] = fmax(path[run->to[j]], path[i]);
    }
    return run->fixed + fmax(longest, sum);
}

mmm_status mmm_run_estimate(const mmm_runs *runs, const mmm_run *run, const mmm_factors *factors, double *out)
{
    mmm_status result = MMM_OK;
    double *times = NULL, *alone, *share;
    TRY(mmm_alloc(&times, run->steps + 2 * run->kernel_count, sizeof *times));
    alone = times + run->steps;
    share = alone + run->kernel_count;
    for (int64_t k = 0; k < run->kernel_count; k++) {
        const mmm_kernel_time t = kernel_time(runs, run, &run->kernels[k], &factors[run->kernels[k].code]);
        alone[k] = t.launch + t.alone;
        share[k] = t.share;
    }
    *out = program_time(run, alone, share, times);
done:
    free(times);
    return result;
}

/* ---- The fit ------------------------------------------------------------------------------------------------------
 */

/* Unknowns of each code: the logarithms of a common factor and of each one, and slopes.  The last estimates are kept:
 * of other unknowns only what belongs to their codes is estimated anew. */
typedef struct problem {
    const mmm_runs *runs;
    const mmm_freedom *freedom;
    const double *weight; /* of each run */
    mmm_factors *factors; /* of each code */
    int first[MMM_CODES_MOST + 1], sets;
    double free[MMM_CODES_MOST]; /* how much of the freedom a code has: little where no run tells much of it */
    double *last;                /* the unknowns of the last time */
    bool *begun;
    double *estimates, *alone, *share, *path; /* of runs, of their kernels, and of steps */
    int64_t *kernels;                         /* where those of a run begin */
    double *means;                            /* of sets, and what they are divided by */
} problem;

static int slopes_of(const problem *p, int code)
{
    return p->first[code + 1] - p->first[code] - OF_CODE;
}

static void put(const problem *p, int code, const double *x)
{
    mmm_factors *f = &p->factors[code];
    for (int i = 0; i < MMM_LIMITS; i++)
        f->factors[i] = exp(x[0]);
    for (int i = 0; i < OF_BLOCK; i++)
        f->factors[of_block[i]] = exp(x[0] + x[1 + i]);
    for (int i = 0; i < slopes_of(p, code); i++)
        f->slope[i] = x[OF_CODE + i];
}

/* Estimates at x of the runs that count. */
static void estimate(const problem *p, const double *x)
{
    bool changed[MMM_CODES_MOST];
    for (int c = 0; c < p->runs->code_count; c++) {
        const int from = p->first[c];
        const size_t bytes = (size_t)(p->first[c + 1] - from) * sizeof *x;
        changed[c] = !*p->begun || memcmp(x + from, p->last + from, bytes) != 0;
        if (!changed[c]) continue;
        memcpy(p->last + from, x + from, bytes);
        put(p, c, x + from);
    }
    *p->begun = true;
    for (int64_t i = 0; i < p->runs->count; i++) {
        const mmm_run *run = &p->runs->all[i];
        double *alone = p->alone + p->kernels[i], *share = p->share + p->kernels[i];
        bool any = false;
        if (!(p->weight[i] > 0)) continue;
        for (int64_t k = 0; k < run->kernel_count; k++) {
            const int code = run->kernels[k].code;
            if (!changed[code]) continue;
            const mmm_kernel_time t = kernel_time(p->runs, run, &run->kernels[k], &p->factors[code]);
            alone[k] = t.launch + t.alone;
            share[k] = t.share;
            any = true;
        }
        if (any) p->estimates[i] = program_time(run, alone, share, p->path);
    }
}

/* Of each run that counts, and of each beside the others of its set. */
static int errors_of_times(const problem *p, double *e)
{
    const mmm_freedom *f = p->freedom;
    int row = 0;
    memset(p->means, 0, 2 * (size_t)p->sets * sizeof *p->means);
    for (int64_t i = 0; i < p->runs->count; i++) {
        if (!(p->weight[i] > 0)) continue;
        const mmm_run *run = &p->runs->all[i];
        e[row] = mmm_lessened(log(p->estimates[i] / run->seconds), f->apart);
        p->means[2 * run->set] += p->weight[i] * e[row++];
        p->means[2 * run->set + 1] += p->weight[i];
    }
    const int count = row;
    row = 0;
    for (int64_t i = 0; i < p->runs->count; i++) {
        if (!(p->weight[i] > 0)) continue;
        const double *mean = &p->means[2 * p->runs->all[i].set], scale = sqrt(p->weight[i]) / f->noise;
        e[count + row] = (e[row] - mean[0] / mean[1]) * scale * f->ranked;
        e[row++] *= scale;
    }
    return 2 * count;
}

static void errors(const void *context, const double *x, double *e)
{
    const problem *p = context;
    estimate(p, x);
    int row = errors_of_times(p, e);
    for (int c = 0; c < p->runs->code_count; c++) {
        const double *y = x + p->first[c];
        const int from = row;
        e[row++] = *y++ / p->freedom->common;
        for (int i = 0; i < OF_BLOCK; i++)
            e[row++] = *y++ / p->freedom->limit;
        for (int i = 0; i < slopes_of(p, c); i++)
            e[row++] = *y++ / (i + 1 < p->runs->features[c] ? p->freedom->slope : p->freedom->words);
        for (int i = from; i < row; i++)
            e[i] /= p->free[c];
    }
}

/* Kernels that have a small part of every run would make up for what others do not explain. */
static void find_free(problem *p, const double *x)
{
    double most[MMM_CODES_MOST] = {0};
    estimate(p, x);
    for (int64_t i = 0; i < p->runs->count; i++) {
        const mmm_run *run = &p->runs->all[i];
        double part[MMM_CODES_MOST] = {0};
        for (int k = 0; p->weight[i] > 0 && k < run->steps; k++)
            part[run->kernels[run->of[k]].code] += p->alone[p->kernels[i] + run->of[k]] / p->estimates[i];
        for (int c = 0; c < p->runs->code_count; c++)
            most[c] = fmax(most[c], part[c]);
    }
    for (int c = 0; c < p->runs->code_count; c++)
        p->free[c] = fmax(fmin(1, most[c] * most[c] / (heard * heard)), 0.01);
}

/* Where the features of the kernels lie. */
static void find_centres(const mmm_runs *runs, const double *weight, mmm_factors *factors)
{
    double count[MMM_CODES_MOST] = {0};
    for (int64_t i = 0; i < runs->count; i++)
        for (int64_t k = 0; weight[i] > 0 && k < runs->all[i].kernel_count; k++) {
            const mmm_run_kernel *x = &runs->all[i].kernels[k];
            mmm_factors *f = &factors[x->code];
            const bool first = !(count[x->code]++ > 0);
            for (int j = 0; j < f->features; j++) {
                f->low[j] = first ? x->feature[j] : fmin(f->low[j], x->feature[j]);
                f->high[j] = first ? x->feature[j] : fmax(f->high[j], x->feature[j]);
                f->centre[j] += x->feature[j];
            }
        }
    for (int c = 0; c < runs->code_count; c++)
        for (int j = 0; j < factors[c].features && count[c] > 0; j++)
            factors[c].centre[j] /= count[c];
}

/* What the machine knows of words of 64 bits, where all runs have words of one kind; whether it is so. */
static bool keep_words(const mmm_runs *runs, mmm_factors *f)
{
    const int last = f->features - 1;
    const mmm_factors *known = mmm_factors_of(&runs->machine[0], runs->app, f->kernel);
    if (f->low[last] < f->high[last]) return false;
    if (!known || known->features != f->features) return true;
    f->slope[last] = known->slope[last];
    f->low[last] = fmin(f->low[last], known->low[last]);
    f->high[last] = fmax(f->high[last], known->high[last]);
    return true;
}

/* What is slow at its size tells little of what is fast there, which is to be told apart. */
static mmm_status weigh(const mmm_runs *runs, int without, const mmm_freedom *f, int sets, double *weight)
{
    mmm_status result = MMM_OK;
    double *least = NULL, sum = 0;
    TRY(mmm_alloc(&least, sets, sizeof *least));
    for (int64_t i = 0; i < runs->count; i++) {
        double *x = &least[runs->all[i].set];
        *x = *x > 0 ? fmin(*x, runs->all[i].seconds) : runs->all[i].seconds;
    }
    for (int64_t i = 0; i < runs->count; i++) {
        const double part = least[runs->all[i].set] / runs->all[i].seconds;
        weight[i] = runs->all[i].set == without ? 0 : fmax(part * part, f->slowest);
        sum += weight[i];
    }
    for (int64_t i = 0; i < runs->count; i++)
        weight[i] *= fmin(1, f->as_one / sum);
done:
    free(least);
    return result;
}

mmm_status mmm_runs_fit(const mmm_runs *runs, int without, const mmm_freedom *freedom, mmm_factors *out)
{
    mmm_status result = MMM_OK;
    double *x = NULL, *weight = NULL, squares = 0, weights = 0;
    int64_t kernels = 0;
    int counted = 0, steps = 0;
    bool begun = false;
    problem p = {.runs = runs, .freedom = freedom, .factors = out, .begun = &begun};
    memset(out, 0, (size_t)runs->code_count * sizeof *out);
    for (int64_t i = 0; i < runs->count; i++) {
        kernels += runs->all[i].kernel_count;
        steps = runs->all[i].steps > steps ? runs->all[i].steps : steps;
        if (runs->all[i].set >= p.sets) p.sets = runs->all[i].set + 1;
    }
    TRY(mmm_alloc(&weight, runs->count, sizeof *weight));
    TRY(weigh(runs, without, freedom, p.sets, weight));
    p.weight = weight;
    for (int c = 0; c < runs->code_count; c++) {
        snprintf(out[c].app, sizeof out[c].app, "%s", runs->app);
        snprintf(out[c].kernel, sizeof out[c].kernel, "%s", runs->codes[c]);
        out[c].features = runs->features[c];
    }
    find_centres(runs, weight, out);
    for (int c = 0; c < runs->code_count; c++)
        p.first[c + 1] = p.first[c] + OF_CODE + runs->features[c] - keep_words(runs, &out[c]);
    const int unknowns = p.first[runs->code_count];
    TRY(mmm_alloc(&x, unknowns, sizeof *x));
    TRY(mmm_alloc(&p.last, unknowns, sizeof *p.last));
    TRY(mmm_alloc(&p.kernels, runs->count, sizeof *p.kernels));
    TRY(mmm_alloc(&p.estimates, runs->count, sizeof *p.estimates));
    TRY(mmm_alloc(&p.alone, kernels, sizeof *p.alone));
    TRY(mmm_alloc(&p.share, kernels, sizeof *p.share));
    TRY(mmm_alloc(&p.path, steps, sizeof *p.path));
    TRY(mmm_alloc(&p.means, 2 * p.sets, sizeof *p.means));
    kernels = 0;
    for (int64_t i = 0; i < runs->count; i++) {
        p.kernels[i] = kernels;
        kernels += runs->all[i].kernel_count;
        counted += weight[i] > 0;
    }
    find_free(&p, x);
    TRY(mmm_least_squares(errors, &p, 2 * counted + unknowns, unknowns, x, NULL));
    estimate(&p, x);
    for (int64_t i = 0; i < runs->count; i++) {
        const double off = weight[i] > 0 ? log(p.estimates[i] / runs->all[i].seconds) : 0;
        squares += weight[i] * off * off;
        weights += weight[i];
    }
    for (int c = 0; c < runs->code_count; c++)
        out[c].error = sqrt(squares / weights);
done:
    free(x);
    free(weight);
    free(p.last);
    free(p.kernels);
    free(p.estimates);
    free(p.alone);
    free(p.share);
    free(p.path);
    free(p.means);
    return result;
}
