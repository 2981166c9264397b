/* Prefix sums of 64-bit integers, s elements a thread. */
#include <mmm/app.h>

#include "kernels.h"

/* Scans x; each level has 1 / (l s) as many elements as the one before. */
static mmm_status scan(mmm_job *job, mmm_program *program, mmm_i64_array x, int64_t n, int64_t l, int64_t s)
{
    int64_t blocks = (n + l * s - 1) / (l * s);
    mmm_i64_array sums;
    MMM_TRY(mmm_job_array(job, "sums", blocks, MMM_WORK, &sums));
    MMM_TRY(launch_scan(program, blocks, l, x, sums, n, s));
    if (blocks == 1) return MMM_OK;
    MMM_TRY(scan(job, program, sums, blocks, l, s));
    return launch_shift(program, blocks - 1, l, x, sums, n, s);
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n");
    mmm_i64_array x;
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &x));
    MMM_TRY(mmm_job_output(job, 0, x, 0, n));
    return scan(job, program, x, n, mmm_job_get(job, "l"), mmm_job_get(job, "s"));
}

/* Numbers that stay far from overflow. */
static mmm_status draw(mmm_job *job, int input, void *elements, int64_t count)
{
    int64_t *x = elements;
    (void)input;
    for (int64_t i = 0; i < count; i++)
        x[i] = (int64_t)(mmm_job_random(job) >> 40) - (1 << 23);
    return MMM_OK;
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n, sum = 0;
    const int64_t *x = mmm_job_given(job, 0, &n), *result = mmm_job_result(job, 0, NULL);
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        if (result[i] != sum)
            return mmm_fail(MMM_WRONG, "sum number %lld is %lld, the plain loop has %lld", (long long)i,
                            (long long)result[i], (long long)sum);
    }
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "prefix sums, s elements a thread",
    .oracle = "a plain loop",
    .parameters = {{"n", "how many numbers", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"s", "the number of elements of a thread", MMM_CHOICE, 1, 64, 4, "1-64:*2", "min(s, n)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "32-1024:*2",
                    "min(l, ceil(n, s))"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "l <= threads",
    .oblivious = "*",
    .inputs = {{"x", MMM_I64, "n"}},
    .outputs = {{"sums", MMM_I64, "n"}},
    .calibration = {"n=5000 s=1,4,16 l=32,256", "n=40000 s=1,4,16 l=32,256"},
    .build = build,
    .draw = draw,
    .check = check,
};
