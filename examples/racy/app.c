/* How many numbers are even and how many odd, without atomics: races to look at. */
#include <mmm/app.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), l = mmm_job_get(job, "l");
    mmm_u32_array numbers, counts;
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &numbers));
    MMM_TRY(mmm_job_array(job, "counts", 2, MMM_ZERO, &counts));
    MMM_TRY(mmm_job_output(job, 0, counts, 0, 2));
    return launch_parity(program, (n + l - 1) / l, l, numbers, counts, n);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n, odd = 0;
    const uint32_t *numbers = mmm_job_given(job, 0, &n), *counts = mmm_job_result(job, 0, NULL);
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        odd += numbers[i] % 2;
    *seconds = mmm_now() - start;
    if (counts[0] == n - odd && counts[1] == odd) return MMM_OK;
    return mmm_fail(MMM_WRONG, "%d are odd of %d; counted were %u odd and %u even", (int)odd, (int)n, counts[1],
                    counts[0]);
}

MMM_APPLICATION = {
    .summary = "how many numbers are even, with two races",
    .oracle = "a plain loop",
    .parameters = {{"n", "how many numbers", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"l", "the number of threads of a block", MMM_CHOICE, 2, 1024, 256, "32-1024:*2"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "l <= threads",
    .inputs = {{"numbers", MMM_U32, "n"}},
    .outputs = {{"counts", MMM_U32, "2"}},
    .build = build,
    .check = check,
};
