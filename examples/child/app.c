/* A parent and its child as a DAG: in one piece and behind each other, or split where the child is launched. */
#include <mmm/app.h>
#include <mmm/model.h>

#include "kernels.h"

static mmm_status build(mmm_job *job, mmm_program *program)
{
    const int64_t n = mmm_job_get(job, "n"), l = mmm_job_get(job, "l"), r = mmm_job_get(job, "r");
    const int64_t blocks = (n + l - 1) / l, split = mmm_job_get(job, "k"), waits = mmm_job_get(job, "w");
    mmm_word_array x, y, sums, total, kept;
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &x));
    MMM_TRY(mmm_job_array(job, "y", n, MMM_OUT, &y));
    MMM_TRY(mmm_job_array(job, "sums", blocks, MMM_WORK, &sums));
    MMM_TRY(mmm_job_array(job, "total", 1, MMM_OUT, &total));
    MMM_TRY(mmm_job_array(job, "kept", blocks * l, MMM_WORK, &kept));
    const mmm_word_array beside = waits ? kept : y; /* where B leaves what it made */
    mmm_program_chain(program, 0);
    if (split) {
        MMM_TRY(launch_part_a(program, blocks, l, x, sums, kept, n));
        MMM_TRY(launch_part_b(program, blocks, l, kept, beside, n, r));
        MMM_TRY(launch_child(program, 1, l, sums, total, blocks));
        MMM_TRY(mmm_program_depend(program, 0, 1)); /* B and the child start when A has ended */
        MMM_TRY(mmm_program_depend(program, 0, 2));
    } else {
        MMM_TRY(launch_whole(program, blocks, l, x, sums, beside, n, r));
        MMM_TRY(launch_child(program, 1, l, sums, total, blocks));
        MMM_TRY(mmm_program_depend(program, 0, 1));
    }
    if (waits) { /* C starts when both have */
        const int c = mmm_program_kernels(program);
        MMM_TRY(launch_part_c(program, blocks, l, kept, total, y, n));
        MMM_TRY(mmm_program_depend(program, c - 1, c));
        if (split) MMM_TRY(mmm_program_depend(program, c - 2, c));
    }
    MMM_TRY(mmm_job_output(job, 0, y, 0, n));
    return mmm_job_output(job, 1, total, 0, 1);
}

static uint64_t times(uint64_t x, uint64_t y, uint64_t p)
{
    return (uint64_t)((unsigned __int128)x * y % p);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t n, r = mmm_job_get(job, "r");
    const uint64_t *x = mmm_job_given(job, 0, &n), *y = mmm_job_result(job, 0, NULL);
    const uint64_t p = mmm_job_modulus(job)->p, total = *(const uint64_t *)mmm_job_result(job, 1, NULL);
    uint64_t sum = 0;
    double start = mmm_now();
    for (int64_t i = 0; i < n; i++)
        sum = (sum + x[i]) % p;
    if (sum != total)
        return mmm_fail(MMM_WRONG, "the sum is %llu, the plain loop has %llu", (unsigned long long)total,
                        (unsigned long long)sum);
    for (int64_t i = 0; i < n; i++) {
        uint64_t power = x[i];
        for (int64_t k = 0; k < r; k++)
            power = times(power, power, p);
        if (mmm_job_get(job, "w")) power = times(power, sum, p);
        if (power != y[i])
            return mmm_fail(MMM_WRONG, "y[%lld] is %llu, the plain loop has %llu", (long long)i,
                            (unsigned long long)y[i], (unsigned long long)power);
    }
    *seconds = mmm_now() - start;
    return MMM_OK;
}

MMM_APPLICATION = {
    .summary = "a parent that launches a child: powers of residues, and the sum of all",
    .oracle = "a plain loop",
    .parameters = {{"n", "how many residues", MMM_SIZE, 1, 1 << 24, 1 << 16},
                   {"r", "how often a residue is squared", MMM_SIZE, 0, 1 << 16, 16},
                   {"w", "whether the parent waits for the child: 1, powers are times the sum", MMM_OTHER, 0, 1, 0},
                   {"k", "whether the parent is split where it launches the child", MMM_CHOICE, 0, 1, 1, "0-1"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "32-1024:*2"},
                   {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(l); 2*l <= Z; l <= threads",
    .inputs = {{"x", MMM_WORD, "n"}},
    .outputs = {{"y", MMM_WORD, "n"}, {"total", MMM_WORD, "1"}},
    .build = build,
    .check = check,
};
