/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that unfolds comes to, for those who count it: by a run on the host, or by what its application
 * foresees. */
#include "study/study.h"

bool mmm_job_foresees(const mmm_job *job)
{
    bool drawn = true;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        drawn &= !job->given[i];
    return job->app->foresee && drawn && job->batch == 1 && !job->planned;
}

mmm_status mmm_job_unfold(mmm_job *job)
{
    mmm_status result = MMM_OK;
    mmm_machine *host = NULL;
    if (job->sketch) {
        job->sketch = false;
        mmm_job_drop_program(job);
        mmm_job_drop_drawn(job);
        TRY(mmm_job_plan(job));
    }
    TRY(mmm_machine_open("cpu", &host));
    TRY(mmm_job_run(job, host, NULL));
done:
    mmm_machine_free(host);
    return result;
}

/* Decisions look at the arrays where the job has them. */
mmm_status mmm_job_foresee(mmm_job *job)
{
    mmm_status result = MMM_OK;
    mmm_program *program = job->program;
    mmm_machine *host = NULL;
    int64_t first = 0;
    bool more = true;
    mmm_program_fold(program);
    TRY(mmm_job_load(job));
    TRY(mmm_machine_open("cpu", &host));
    const mmm_sight sight = {.machine = host, .base = job->arrays};
    while (more) {
        const int64_t end = program->kernels;
        job->app->foresee(job);
        TRY(mmm_machine_unfold(program, first, &sight, NULL, &more));
        first = end;
    }
done:
    mmm_machine_free(host);
    return result;
}
