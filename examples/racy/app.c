/* A histogram of bytes without atomics: a race to look at. */
#include <mmm/app.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), s = mmm_job_get(job, "s"), l = mmm_job_get(job, "l");
    mmm_u8_array bytes;
    mmm_u32_array counts;
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &bytes));
    MMM_TRY(mmm_job_array(job, "counts", 256, MMM_ZERO, &counts));
    MMM_TRY(mmm_job_output(job, 0, counts, 0, 256));
    return launch_histogram(program, (n + l * s - 1) / (l * s), l, bytes, counts, n, s);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n;
    const uint8_t *bytes = mmm_job_given(job, 0, &n);
    const uint32_t *counts = mmm_job_result(job, 0, NULL);
    uint32_t expected[256] = {0};
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        expected[bytes[i]]++;
    *seconds = mmm_now() - start;
    for (int i = 0; i < 256; i++)
        if (counts[i] != expected[i])
            return mmm_fail(MMM_WRONG, "%d occurs %u times, counted were %u", i, expected[i], counts[i]);
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "a histogram of bytes with two races",
    .oracle = "a plain loop",
    .parameters = {{"n", "how many bytes", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"s", "the number of bytes of a thread", MMM_CHOICE, 1, 1024, 16, "1-1024:*2", "min(s, n)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "32-1024:*2",
                    "min(l, ceil(n, s))"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "l <= threads",
    .inputs = {{"bytes", MMM_U8, "n"}},
    .outputs = {{"counts", MMM_U32, "256"}},
    .calibration = {"n=10000 s=4,16,64 l=64,256", "n=100000 s=4,16,64 l=64,256"},
    .build = build,
    .check = check,
};
