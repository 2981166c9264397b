/* A sum modulo p, by a tree of kernels. */
#include <mmm/app.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), l = mmm_job_get(job, "l"), room = (n + 2 * l - 1) / (2 * l);
    mmm_word_array x, sums[2];
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &x));
    MMM_TRY(mmm_job_array(job, "sums", room, MMM_WORK, &sums[0]));
    MMM_TRY(mmm_job_array(job, "more sums", room, MMM_WORK, &sums[1]));
    int to = 0;
    do {
        int64_t blocks = (n + 2 * l - 1) / (2 * l);
        MMM_TRY(launch_reduce(program, blocks, l, x, sums[to], n, l));
        x = sums[to];
        to = 1 - to;
        n = blocks;
    } while (n > 1);
    return mmm_job_output(job, 0, x, 0, 1);
}

/* Words of an application with a modulus are residues, in and out. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n;
    const uint64_t *x = mmm_job_given(job, 0, &n), *result = mmm_job_result(job, 0, NULL);
    uint64_t p = mmm_job_modulus(job)->p, sum = 0;
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        sum = (sum + x[i]) % p;
    *seconds = mmm_now() - start;
    if (*result != sum)
        return mmm_fail(MMM_WRONG, "the sum is %llu, the plain loop has %llu", (unsigned long long)*result,
                        (unsigned long long)sum);
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "a sum modulo p, 2 l numbers a block",
    .oracle = "a plain loop",
    .parameters = {{"n", "how many numbers", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "16-1024:*2", "min(2*l, n)"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(l); 2*l <= Z; l <= threads",
    .oblivious = "*",
    .inputs = {{"x", MMM_WORD, "n"}},
    .outputs = {{"sum", MMM_WORD, "1"}},
    .calibration = {"n=5000 l=32,128,512", "n=20000 l=32,128,512", "n=80000 l=32,128,512"},
    .build = build,
    .check = check,
};
