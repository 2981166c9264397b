/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the time of a program, and of its kernels.
 *
 * An estimate is homogeneous in the constants that are times: with all of them doubled it doubles.  So it is the sum of
 * each constant times the derivative by it (Euler), whatever the model has inside; constants that belong together make
 * a limit, and its derivative is taken by a difference. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double step = 0x1p-7;

static bool is_rate(int constant)
{
    return constant == MMM_GPU_CACHE_RATE || constant == MMM_GPU_MEMORY_RATE;
}

/* Of which limit a constant of a GPU is; -1: it is no time. */
static int limit_of(int constant)
{
    static const signed char single[MMM_GPU_LATENCY] = {
        [MMM_GPU_GRAPH] = MMM_LIMIT_START,         [MMM_GPU_LAUNCH] = MMM_LIMIT_START,
        [MMM_GPU_BLOCK] = MMM_LIMIT_START,         [MMM_GPU_REGION] = MMM_LIMIT_BETWEEN,
        [MMM_GPU_BARRIER] = MMM_LIMIT_BETWEEN,     [MMM_GPU_REGION_ISSUE] = MMM_LIMIT_ISSUE,
        [MMM_GPU_TURN] = MMM_LIMIT_LATENCY,        [MMM_GPU_TURN_ISSUE] = MMM_LIMIT_ISSUE,
        [MMM_GPU_LOCAL] = MMM_LIMIT_SCATTER,       [MMM_GPU_LOCAL_NEXT] = MMM_LIMIT_SCATTER,
        [MMM_GPU_LOCAL_ISSUE] = MMM_LIMIT_SCATTER, [MMM_GPU_PASS] = MMM_LIMIT_SCATTER,
        [MMM_GPU_GLOBAL] = MMM_LIMIT_LATENCY,      [MMM_GPU_GLOBAL_NEXT] = MMM_LIMIT_LATENCY,
        [MMM_GPU_GLOBAL_ISSUE] = MMM_LIMIT_MEMORY, [MMM_GPU_SECTOR] = MMM_LIMIT_MEMORY,
    };
    if (constant < MMM_GPU_LATENCY) return single[constant];
    if (constant < MMM_GPU_ISSUE) return MMM_LIMIT_LATENCY;
    if (constant < MMM_GPU_CACHE_RATE) return MMM_LIMIT_ISSUE;
    if (constant == MMM_GPU_GLOBAL_TURN) return MMM_LIMIT_LATENCY;
    return constant == MMM_GPU_ATOMIC || constant == MMM_GPU_LINE || is_rate(constant) ? MMM_LIMIT_MEMORY : -1;
}

/* The machine with a little less of what makes a limit; whether there is any. */
static bool is_faster(const mmm_parameters *machine, int limit, mmm_parameters *out)
{
    bool any = false;
    *out = *machine;
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++) {
        if (limit_of(i) != limit) continue;
        any = true;
        out->gpu[i] *= is_rate(i) ? 1 / (1 - step) : 1 - step;
    }
    if (limit == MMM_LIMIT_START) out->decide *= 1 - step;
    return any;
}

/* By differences, of all and of each kernel. */
static mmm_status differ(mmm_job *job, const mmm_parameters *machine, mmm_prediction *all, mmm_share_of *each,
                         int64_t kernels)
{
    mmm_status result = MMM_OK;
    mmm_prediction other;
    mmm_share_of *others = NULL;
    mmm_parameters faster;
    for (int i = 0; i < MMM_LIMITS; i++) {
        if (!is_faster(machine, i, &faster)) continue;
        TRY(mmm_predict_each(job, &faster, &other, &others, NULL));
        all->limits[i] = fmax((all->estimate - other.estimate) / step, 0);
        for (int64_t k = 0; k < kernels && k < mmm_program_kernels(job->program); k++)
            each[k].limits[i] = fmax((each[k].seconds - others[k].seconds) / step, 0);
        free(others);
        others = NULL;
    }
done:
    free(others);
    return result;
}

/* Limits that add up to a sum, in the proportion that they have. */
static void fit(double limits[MMM_LIMITS], double seconds)
{
    double sum = 0;
    for (int i = 0; i < MMM_LIMITS; i++)
        sum += limits[i];
    for (int i = 0; i < MMM_LIMITS && sum > 0; i++)
        limits[i] *= seconds / sum;
}

static int compare(const void *x, const void *y)
{
    const mmm_kernel_limits *a = x, *b = y;
    if (a->seconds != b->seconds) return a->seconds > b->seconds ? -1 : 1;
    return strcmp(a->kernel, b->kernel);
}

/* Kernels of one name together, the longest first. */
static mmm_status join(const mmm_program *program, const mmm_share_of *each, int64_t kernels, mmm_kernel_limits *out,
                       int most, int *count)
{
    mmm_status result = MMM_OK;
    mmm_kernel_limits *all = NULL;
    int64_t room = 0, names = 0;
    for (int64_t k = 0; k < kernels; k++) {
        int64_t i = 0;
        const char *name = program->nodes[k].name;
        while (i < names && strncmp(all[i].kernel, name, sizeof all[i].kernel - 1) != 0)
            i++;
        if (i == names) {
            TRY(mmm_grow(&all, &room, ++names, sizeof *all));
            all[i] = (mmm_kernel_limits){.calls = 0};
            snprintf(all[i].kernel, sizeof all[i].kernel, "%s", name);
        }
        all[i].calls++;
        all[i].seconds += each[k].seconds;
        for (int j = 0; j < MMM_LIMITS; j++)
            all[i].limits[j] += each[k].limits[j];
    }
    if (names) qsort(all, (size_t)names, sizeof *all, compare);
    *count = (int)(names < most ? names : most);
    for (int i = 0; i < *count; i++)
        out[i] = all[i];
done:
    free(all);
    return result;
}

mmm_status mmm_predict_limits(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out,
                              mmm_kernel_limits *kernels, int most, int *count)
{
    mmm_status result = MMM_OK;
    mmm_prediction all;
    mmm_share_of *each = NULL;
    NEED(out, "the place for the prediction");
    if (kernels) NEED(count, "the place for the number of kernels");
    if (count) *count = 0;
    TRY(mmm_predict_each(job, machine, &all, &each, NULL));
    const int64_t number = mmm_program_kernels(job->program);
    if (mmm_has_gpu(machine)) {
        TRY(differ(job, machine, &all, each, number));
    } else if (mmm_has_core(machine)) {
        double sum = 0;
        for (int64_t k = 0; k < number; k++)
            sum += each[k].seconds;
        for (int64_t k = 0; k < number && sum > 0; k++) {
            each[k].limits[MMM_LIMIT_START] += machine->constants[MMM_CONSTANT_STEP];
            each[k].seconds *= all.estimate / sum; /* its part of the time on all cores */
        }
    }
    fit(all.limits, all.estimate);
    for (int64_t k = 0; k < number; k++)
        fit(each[k].limits, each[k].seconds);
    if (kernels) TRY(join(job->program, each, number, kernels, most > 0 ? most : 0, count));
    *out = all;
done:
    free(each);
    return result;
}

int mmm_limit_largest(const double limits[MMM_LIMITS], double *part)
{
    int largest = -1;
    double sum = 0;
    for (int i = 0; limits && i < MMM_LIMITS; i++) {
        if (!(limits[i] > 0)) continue;
        sum += limits[i];
        if (largest < 0 || limits[i] > limits[largest]) largest = i;
    }
    if (part) *part = largest < 0 ? 0 : limits[largest] / sum;
    return largest;
}
