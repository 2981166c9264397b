/* SPDX-License-Identifier: Apache-2.0 */
/* A job like a large one with less data. */
#include "study/study.h"

#include <math.h>

enum { STAYS = 64 }; /* a size that is no larger stays: steps, rows, problems */

double mmm_job_largest(const mmm_job *job)
{
    double largest = 1;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role == MMM_SIZE) largest = fmax(largest, (double)job->values[i]);
    return largest;
}

mmm_status mmm_job_smaller(const mmm_job *job, double most, bool sketch, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    double scale = fmin(1, most / mmm_job_largest(job));
    TRY(mmm_job_of(job->app, &small));
    small->sketch = sketch;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        int64_t x = job->values[i];
        if (p->role == MMM_SIZE && x > STAYS)
            x = (int64_t)fmax(fmax(STAYS, (double)p->least), floor(scale * (double)x));
        mmm_job_choose(small, i, x);
    }
    TRY(mmm_job_plan(small));
    *out = small;
    small = NULL;
done:
    mmm_job_free(small);
    return result;
}
