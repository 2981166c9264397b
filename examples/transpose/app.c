/* The transpose of an n x m matrix of floats, tiles of s x s. */
#include <mmm/app.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m"), s = mmm_job_get(job, "s");
    mmm_f32_array a, b;
    MMM_TRY(mmm_job_input(job, 0, 0, n * m, MMM_IN, &a));
    MMM_TRY(mmm_job_array(job, "b", n * m, MMM_WORK, &b));
    MMM_TRY(mmm_job_output(job, 0, b, 0, n * m));
    return launch_transpose(program, (m + s - 1) / s, (n + s - 1) / s, s, s, a, b, n, m, s);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m");
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_result(job, 0, NULL);
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            if (a[i * m + j] != b[j * n + i])
                return mmm_fail(MMM_WRONG, "b[%lld][%lld] is %g, a has %g there", (long long)j, (long long)i,
                                (double)b[j * n + i], (double)a[i * m + j]);
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "the transpose of a matrix, tiles of s x s",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of rows", MMM_SIZE, 1, 1 << 14, 512},
                   {"m", "the number of columns", MMM_SIZE, 1, 1 << 14, 512},
                   {"s", "the rows and columns of a tile", MMM_CHOICE, 1, 64, 16, "1-64:*2", "min(s, max(n, m))"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "s*(s + 1) <= Z; s*s <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_F32, "n, m"}},
    .outputs = {{"b", MMM_F32, "m, n"}},
    .calibration = {"n=100 m=80 s=4,8,16,32", "n=200 m=300 s=4,8,16,32", "n=500 m=500 s=4,8,16,32",
                    "n=1500 m=1300 s=4,8,16,32,64"}, /* which leaves the second cache of a core */
    .build = build,
    .check = check,
};
