/* SPDX-License-Identifier: Apache-2.0 */
/* What a block costs that is too large to be counted, from blocks of smaller jobs. */
#include "study/study.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { LARGE_CHOICE = 128, SIZES_MOST = 16 };
enum { SHRINKS = 4096, SHRINK_FIRST = 3, SHRINK_MOST = 15 }; /* sizes above it; by powers of two from here to there */
enum { EACH_ELEMENT = 32 };                                  /* accesses of a block for each element, it may be */
/* The part of a block by which it may differ from a line: where the record says that it is one, where nobody does. */
enum { ALIKE = 20, ALIKE_MOST = 50 };

/* The parabola through a, b, c at 32, 64, 128. */
static int64_t extrapolate(int64_t x, int64_t a, int64_t b, int64_t c)
{
    double u = (double)x, y = (double)a * (u - 64) * (u - 128) / (32 * 96) -
                              (double)b * (u - 32) * (u - 128) / (32 * 64) +
                              (double)c * (u - 32) * (u - 64) / (96 * 64);
    return y > 0 ? (int64_t)(y + 0.5) : 0;
}

int mmm_large_choice(const mmm_job *job, int64_t threads)
{
    int numbers[MMM_CHOICES_MOST], count = mmm_app_choices(job->app, numbers), largest = -1;
    for (int i = 0; i < count; i++)
        if (job->values[numbers[i]] > LARGE_CHOICE && job->values[numbers[i]] < threads &&
            (largest < 0 || job->values[numbers[i]] > job->values[largest]))
            largest = numbers[i];
    return largest;
}

/* Calls of a code before kernel number `end`. */
static int64_t calls(const mmm_program *program, const mmm_kernel *code, int64_t end)
{
    int64_t count = 0;
    for (int64_t k = 0; k < end; k++)
        count += program->nodes[k].code == code;
    return count;
}

/* A block, of several the second or the last, of kernel number `like` of a job with other sizes: in the small job it is
 * the one of that code that has the same part of all others before it. */
static mmm_status small_block(const mmm_job *job, int like, bool last, mmm_job *small, const mmm_parameters *machine,
                              int64_t least, int64_t most, mmm_profile *out, int64_t *work)
{
    mmm_status result = MMM_OK;
    mmm_sampler *sampler = NULL;
    const mmm_kernel *code = job->program->nodes[like].code;
    int kernel = -1;
    TRY(mmm_job_prepare(small));
    TRY(mmm_job_load(small));
    int64_t before = calls(job->program, code, like) * calls(small->program, code, small->program->kernels) /
                     calls(job->program, code, job->program->kernels);
    for (int k = 0; k < small->program->kernels && before >= 0; k++)
        if (small->program->nodes[k].code == code) {
            kernel = k;
            before--;
        }
    if (kernel < 0) FAIL(MMM_INVALID, "kernel '%s' is not to be found in a smaller job", code->name);
    const int64_t blocks = small->program->nodes[kernel].blocks;
    if (blocks < least) FAIL(MMM_INVALID, "kernel '%s' has blocks in a smaller job that are not full", code->name);
    if (last && blocks != job->program->nodes[like].blocks)
        FAIL(MMM_INVALID, "kernel '%s' has another number of blocks in a smaller job", code->name);
    TRY(mmm_sampler_new(small->program, machine, &sampler));
    if (job->app->sample) {
        job->app->sample(small, kernel);
        mmm_sampler_load(sampler, true);
    }
    mmm_sampler_limit(sampler, most, true);
    mmm_status status = mmm_count_block(small, sampler, kernel, last ? blocks - 1 : blocks > 1, out);
    *work += mmm_sampler_work(sampler);
    TRY(status);
done:
    mmm_sampler_free(sampler);
    return result;
}

static int64_t at_least(const mmm_parameter *p, double x)
{
    return (int64_t)fmax((double)p->least, floor(x));
}

/* With another value of a choice: sizes have the same proportion to it, but, where there are blocks between the ends,
 * are not larger than a few times the value. */
static mmm_status scaled_block(const mmm_job *job, int choice, int64_t value, const mmm_parameters *machine, int like,
                               mmm_profile *out, int64_t *work)
{
    const int64_t blocks = job->program->nodes[like].blocks;
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    double scale = (double)value / (double)job->values[choice], largest = 1;
    TRY(mmm_job_of(job->app, &small));
    small->sketch = true;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role == MMM_SIZE) largest = fmax(largest, scale * (double)job->values[i]);
    if (blocks > 2 && largest > (double)(SIZES_MOST * value)) scale *= (double)(SIZES_MOST * value) / largest;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        int64_t x = job->values[i];
        if (p->role == MMM_SIZE) x = at_least(p, scale * (double)x);
        mmm_job_choose(small, i, i == choice ? value : x);
    }
    TRY(small_block(job, like, false, small, machine, blocks < 3 ? blocks : 3, INT64_MAX, out, work));
done:
    mmm_job_free(small);
    return result;
}

/* With all that is large 2^by times smaller; of blocks of several threads there are still some between the ends. */
static mmm_status shrunk_block(const mmm_job *job, int by, const mmm_parameters *machine, int like, bool last,
                               int64_t most, mmm_profile *out, int64_t *work)
{
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    TRY(mmm_job_of(job->app, &small));
    small->sketch = true;
    small->shrunk = by;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        const bool shrinks = (p->role == MMM_SIZE || p->role == MMM_CHOICE) && job->values[i] > SHRINKS;
        /* A share of the size is rounded up, or one more is needed. */
        const double x = ldexp((double)job->values[i], -by);
        mmm_job_choose(small, i, !shrinks ? job->values[i] : at_least(p, p->role == MMM_CHOICE ? ceil(x) : x));
    }
    TRY(small_block(job, like, last, small, machine, job->program->nodes[like].threads > 1 ? 3 : 1, most, out, work));
done:
    mmm_job_free(small);
    return result;
}

/* A block of a kernel with a large value of a choice, from blocks with small ones, where each of its costs is a
 * polynomial of degree 2 in the value: a fourth block says whether they are. */
static mmm_status by_choice(const mmm_job *job, const mmm_parameters *machine, int kernel, mmm_profile *out,
                            bool *found, int64_t *work)
{
    static const int64_t values[] = {32, 64, 128, 96};
    mmm_status result = MMM_OK;
    mmm_profile p[4] = {0}, large;
    int choice = mmm_large_choice(job, job->program->nodes[kernel].threads);
    if (choice < 0) return MMM_OK;
    for (int i = 0; i < 4; i++) {
        mmm_status status = scaled_block(job, choice, values[i], machine, kernel, &p[i], work);
        if (status == MMM_INVALID || status == MMM_TOO_LARGE) return MMM_OK;
        TRY(status);
    }
    const int64_t *x[4] = {(int64_t *)&p[0], (int64_t *)&p[1], (int64_t *)&p[2], (int64_t *)&p[3]};
    for (size_t i = 0; i < sizeof p[0] / sizeof(int64_t); i++) {
        int64_t expected = extrapolate(values[3], x[0][i], x[1][i], x[2][i]);
        const bool time = i * sizeof(int64_t) >= offsetof(mmm_profile, lines); /* rounded up to vectors: less smooth */
        if (!time && llabs(expected - x[3][i]) > 2 + x[3][i] / 50) return MMM_OK;
        ((int64_t *)&large)[i] = extrapolate(job->values[choice], x[0][i], x[1][i], x[2][i]);
    }
    *found = true;
    *out = large;
done:
    return result;
}

/* A block of a kernel with large sizes, from blocks of smaller jobs that make at most so many accesses each, where its
 * costs grow with sizes as a line does: a third block says whether they do. */
static mmm_status by_sizes(const mmm_job *job, const mmm_parameters *machine, int kernel, bool last, int64_t most,
                           mmm_profile *out, bool *found, int64_t *work)
{
    mmm_status result = MMM_OK;
    mmm_profile p[3] = {0};
    const int64_t *x[3] = {(int64_t *)&p[0], (int64_t *)&p[1], (int64_t *)&p[2]};
    const int64_t alike = mmm_kernel_is_proportional(job, kernel) ? ALIKE : ALIKE_MOST;
    int start = SHRINK_FIRST;
    while (ldexp(mmm_job_largest(job) * EACH_ELEMENT, -start) >
           (double)most * (double)job->program->nodes[kernel].blocks)
        start++;
    for (int by = start; by < SHRINK_MOST; by += 3) {
        mmm_status status = MMM_OK;
        for (int i = 0; i < 3 && status == MMM_OK; i++)
            status = shrunk_block(job, by + i, machine, kernel, last, most, &p[i], work);
        if (status == MMM_TOO_LARGE) continue;
        if (status == MMM_INVALID) return MMM_OK;
        TRY(status);
        const int64_t first = p[0].accesses - p[1].accesses, next = 2 * (p[1].accesses - p[2].accesses);
        if (llabs(first - next) > p[0].accesses / alike) return MMM_OK;
        for (size_t i = 0; i < sizeof p[0] / sizeof(int64_t); i++)
            ((int64_t *)out)[i] = x[0][i] + (int64_t)(fmax(0, (double)(x[0][i] - x[2][i])) / 0.75 * (ldexp(1, by) - 1));
        *found = true;
        break;
    }
done:
    return result;
}

mmm_status mmm_block_from_smaller(const mmm_job *job, const mmm_parameters *machine, int kernel, int64_t most,
                                  mmm_profile *out, bool *found, int64_t *work)
{
    *found = false;
    MMM_TRY(by_choice(job, machine, kernel, out, found, work));
    return *found || !most ? MMM_OK : by_sizes(job, machine, kernel, false, most, out, found, work);
}

mmm_status mmm_last_from_smaller(const mmm_job *job, const mmm_parameters *machine, int kernel, int64_t most,
                                 mmm_profile *out, bool *found, int64_t *work)
{
    *found = false;
    return by_sizes(job, machine, kernel, true, most, out, found, work);
}
