/* The product of n x n matrices of floats, tiles of s x s. */
#include <mmm/app.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), s = mmm_job_get(job, "s"), tiles = (n + s - 1) / s;
    mmm_f32_array a, b, c;
    MMM_TRY(mmm_job_input(job, 0, 0, n * n, MMM_IN, &a));
    MMM_TRY(mmm_job_input(job, 1, 0, n * n, MMM_IN, &b));
    MMM_TRY(mmm_job_array(job, "c", n * n, MMM_WORK, &c));
    MMM_TRY(mmm_job_output(job, 0, c, 0, n * n));
    return launch_product(program, tiles, tiles, s, s, a, b, c, n, s);
}

/* Sums in the same order are the same to the last bit; adding the zeros of a tile's rest changes nothing. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n = mmm_job_get(job, "n");
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_given(job, 1, NULL), *c = mmm_job_result(job, 0, NULL);
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            if (c[i * n + j] != sum)
                return mmm_fail(MMM_WRONG, "c[%lld][%lld] is %.9g, the plain loop has %.9g", (long long)i, (long long)j,
                                (double)c[i * n + j], (double)sum);
        }
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "the product of matrices, tiles of s x s",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of rows and columns", MMM_SIZE, 1, 1 << 13, 128},
                   {"s", "the rows and columns of a tile", MMM_CHOICE, 1, 64, 16, "1-64:*2", "min(s, n)"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "2*s*s <= Z; s*s <= threads",
    .oblivious = "*",
    .inputs = {{"a", MMM_F32, "n, n"}, {"b", MMM_F32, "n, n"}},
    .outputs = {{"c", MMM_F32, "n, n"}},
    .calibration = {"n=48 s=4,8,16", "n=96 s=4,8,16,32", "n=160 s=4,8,16,32"},
    .build = build,
    .check = check,
};
