/* SPDX-License-Identifier: Apache-2.0 */
/* The C library as the reference for sorted keys. */
#include "job/job.h"

#include <stdlib.h>

enum { KEYS, VALUES };

/* A key and its number in the input: no two are equal, so that any correct sort of them is a stable one of the keys. */
typedef struct numbered {
    uint64_t key;
    int64_t number;
} numbered;

static int compare(const void *x, const void *y)
{
    const numbered *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Whether there are keys and, where there are values, as many of them, in host memory. */
static mmm_status check_job(const mmm_job *job)
{
    mmm_status result = MMM_OK;
    NEED(job, "the job");
    if (!job->ran) FAIL(MMM_INVALID, "%s has no result to check", job->app->name);
    for (int i = KEYS; i <= VALUES; i++) {
        bool there = i == KEYS || (job->app->outputs[i].name && mmm_job_out(job, i)->elements);
        if (there &&
            (job->inputs[i].type != MMM_WORD || mmm_job_out(job, i)->type != MMM_WORD ||
             job->inputs[i].count != job->inputs[KEYS].count || mmm_job_out(job, i)->count != job->inputs[KEYS].count))
            FAIL(MMM_INVALID, "%s: keys and values are words, and as many before as after", job->app->name);
    }
done:
    return result;
}

mmm_status mmm_oracle_sort(const mmm_job *job, double *seconds)
{
    mmm_status result = MMM_OK;
    numbered *sorted = NULL;
    int64_t n;
    TRY(check_job(job));
    const uint64_t *keys = mmm_job_given(job, KEYS, &n), *values = mmm_job_given(job, VALUES, NULL);
    const uint64_t *ours = mmm_job_result(job, KEYS, NULL);
    const uint64_t *our_values =
        values && mmm_job_out(job, VALUES)->elements ? mmm_job_result(job, VALUES, NULL) : NULL;
    TRY(mmm_alloc(&sorted, n, sizeof *sorted));
    for (int64_t i = 0; i < n; i++)
        sorted[i] = (numbered){keys[i], i};
    double start = mmm_now();
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    if (seconds) *seconds = mmm_now() - start;
    for (int64_t i = 0; i < n; i++) {
        if (ours[i] != sorted[i].key)
            FAIL(MMM_WRONG, "keys differ from qsort's: number %lld is %llu, qsort has %llu", (long long)i,
                 (unsigned long long)ours[i], (unsigned long long)sorted[i].key);
        if (our_values && our_values[i] != values[sorted[i].number])
            FAIL(MMM_WRONG, "values differ from qsort's: number %lld is %llu, qsort has %llu", (long long)i,
                 (unsigned long long)our_values[i], (unsigned long long)values[sorted[i].number]);
    }
done:
    free(sorted);
    return result;
}
