/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the time of a program, and of its kernels.
 *
 * An estimate is homogeneous in the constants that are times: with all of them doubled it doubles.  So it is the sum of
 * each constant times the derivative by it (Euler); constants that belong together make a limit.  On a GPU each smooth
 * maximum of the estimate is taken with its derivatives (gpu.c), on cores the parts of a sum are the limits. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (mmm_has_core(machine)) {
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
