/* A three-point stencil: how its parameters, its kernels and its check go together. */
#include <mmm/app.h>

#include "kernels.h" /* made from kernels.c: launch_steps() */

#include <stdlib.h>

/* The program: kernels of s time steps each, from one array to the other and back. */
static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t n = mmm_job_get(job, "n"), steps = mmm_job_get(job, "steps");
    int64_t s = mmm_job_get(job, "s"), l = mmm_job_get(job, "l"), k = 0;
    mmm_f32_array u[2];
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &u[0]));
    MMM_TRY(mmm_job_array(job, "next u", n, MMM_WORK, &u[1]));
    for (int64_t done = 0; done < steps; done += s, k++) {
        int64_t count = steps - done < s ? steps - done : s;
        MMM_TRY(launch_steps(program, (n + l - 1) / l, l, u[k % 2], u[1 - k % 2], n, count, s));
    }
    return mmm_job_output(job, 0, u[k % 2], 0, n);
}

/* The same by a plain loop: equal to the last bit, for every machine computes floats alike. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    mmm_status status = MMM_OK;
    int64_t n, steps = mmm_job_get(job, "steps");
    const float *given = mmm_job_given(job, 0, &n), *result = mmm_job_result(job, 0, NULL);
    float *u = malloc((size_t)n * sizeof *u), *next = malloc((size_t)n * sizeof *next);
    if (u && next) {
        double start = mmm_now();
        for (int64_t i = 0; i < n; i++)
            u[i] = given[i];
        for (int64_t k = 0; k < steps; k++) {
            for (int64_t i = 0; i < n; i++)
                next[i] = 0.5f * u[i] + 0.25f * ((i > 0 ? u[i - 1] : 0) + (i + 1 < n ? u[i + 1] : 0));
            float *old = u;
            u = next;
            next = old;
        }
        *seconds = mmm_now() - start;
        for (int64_t i = 0; i < n && status == MMM_OK; i++)
            if (u[i] != result[i])
                status = mmm_fail(MMM_WRONG, "cell %lld is %g, the plain loop has %g", (long long)i, (double)result[i],
                                  (double)u[i]);
    } else
        status = mmm_fail(MMM_MEMORY, "no memory for the check");
    free(u);
    free(next);
    return status;
}

MMM_APPLICATION = {
    .summary = "a three-point stencil on a line, s time steps a kernel",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of cells", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"steps", "the number of time steps", MMM_SIZE, 1, 1 << 20, 64},
                   {"s", "the number of time steps of a kernel", MMM_CHOICE, 1, 512, 8, "1-512:*2", "min(s, steps)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "32-1024:*2", "min(l, n)"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "2*(l + 2*s) <= Z; l <= threads",
    .oblivious = "*",
    .inputs = {{"u", MMM_F32, "n"}},
    .outputs = {{"u", MMM_F32, "n"}},
    .calibration = {"n=4000 steps=16 s=1,4,16 l=64,256", "n=16000 steps=16 s=1,4,16 l=64,256"},
    .build = build,
    .check = check,
};
