/* Relaxation until nothing changes much: how many kernels that takes is decided as they run. */
#include <mmm/app.h>
#include <mmm/model.h>

#include "kernels.h"

#include <math.h>
#include <stdlib.h>

enum { U, NEXT }; /* the arrays of the program, in this order */

/* What a decision needs to know. */
typedef struct plan {
    mmm_f32_array u[2], change;
    int64_t n, s, l, r, blocks;
    double until;
} plan;

static mmm_status decide(mmm_program *program, int kernel, const void *context);

/* r more steps, and a decision at their end.  Kernel number k goes from u[k % 2] to the other one. */
static mmm_status go_on(mmm_program *program, const plan *p)
{
    for (int64_t done = 0; done < p->r; done += p->s) {
        const int from = mmm_program_kernels(program) % 2;
        const int64_t count = p->r - done < p->s ? p->r - done : p->s;
        MMM_TRY(launch_relax(program, p->blocks, p->l, p->u[from], p->u[1 - from], p->change, p->n, count, p->s));
    }
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, decide, p, sizeof *p);
}

/* The most that a cell changed in the last step says whether to go on. */
static mmm_status decide(mmm_program *program, int kernel, const void *context)
{
    const plan *p = context;
    float change[256];
    double most = 0;
    (void)kernel;
    for (int64_t first = 0; first < p->blocks; first += 256) {
        const int64_t count = p->blocks - first < 256 ? p->blocks - first : 256;
        MMM_TRY(mmm_program_look(program, p->change.number, 0, first, count, change));
        for (int64_t i = 0; i < count; i++)
            most = fmax(most, (double)change[i]);
    }
    return most > p->until ? go_on(program, p) : MMM_OK;
}

static mmm_status build(mmm_job *job, mmm_program *program)
{
    plan p = {.n = mmm_job_get(job, "n"), .s = mmm_job_get(job, "s"), .l = mmm_job_get(job, "l")};
    if (mmm_program_batch(program) > 1)
        return mmm_fail(MMM_INVALID, "relaxation takes one problem: those of a batch end after different steps");
    p.r = mmm_job_get(job, "r");
    p.until = ldexp(1, -(int)mmm_job_get(job, "e"));
    p.blocks = (p.n + p.l - 1) / p.l;
    MMM_TRY(mmm_job_input(job, 0, 0, p.n, MMM_IN | MMM_RESULT, &p.u[U]));
    MMM_TRY(mmm_job_array(job, "next u", p.n, MMM_RESULT, &p.u[NEXT]));
    MMM_TRY(mmm_job_array(job, "change", p.blocks, MMM_WORK, &p.change));
    return go_on(program, &p);
}

/* Where the result is depends on how many kernels there were. */
static mmm_status finish(mmm_job *job)
{
    return mmm_job_set_output(job, 0, mmm_program_kernels(mmm_job_program(job)) % 2 ? NEXT : U, 0,
                              mmm_job_get(job, "n"));
}

/* The same by a plain loop, which looks as often. */
static mmm_status check(const mmm_job *job, double *seconds)
{
    mmm_status status = MMM_OK;
    int64_t n, r = mmm_job_get(job, "r");
    const float *given = mmm_job_given(job, 0, &n), *result = mmm_job_result(job, 0, NULL);
    const double until = ldexp(1, -(int)mmm_job_get(job, "e"));
    float *u = malloc((size_t)n * sizeof *u), *next = malloc((size_t)n * sizeof *next), most = 0;
    if (!u || !next) status = mmm_fail(MMM_MEMORY, "no memory for the check");
    double start = mmm_now();
    for (int64_t i = 0; i < n && status == MMM_OK; i++)
        u[i] = next[i] = given[i];
    do {
        for (int64_t k = 0; k < r && status == MMM_OK; k++) {
            most = 0;
            for (int64_t i = 1; i < n - 1; i++) {
                next[i] = 0.5f * u[i] + 0.25f * (u[i - 1] + u[i + 1]);
                most = fmaxf(most, fabsf(next[i] - u[i]));
            }
            float *old = u;
            u = next;
            next = old;
        }
    } while (status == MMM_OK && (double)most > until);
    *seconds = mmm_now() - start;
    for (int64_t i = 0; i < n && status == MMM_OK; i++)
        if (u[i] != result[i])
            status = mmm_fail(MMM_WRONG, "cell %lld is %g, the plain loop has %g", (long long)i, (double)result[i],
                              (double)u[i]);
    free(u);
    free(next);
    return status;
}

MMM_APPLICATION = {
    .summary = "relaxation on a line until nothing changes much, s steps a kernel",
    .oracle = "a plain loop",
    .parameters = {{"n", "the number of cells", MMM_SIZE, 1, 1 << 28, 1 << 16},
                   {"e", "the change at which it ends, as a power of 1/2", MMM_OTHER, 0, 16, 8},
                   {"r", "the number of steps between two decisions", MMM_OTHER, 1, 1 << 20, 64},
                   {"s", "the number of steps of a kernel", MMM_CHOICE, 1, 512, 8, "1-512:*2", "min(s, r)"},
                   {"l", "the number of threads of a block", MMM_CHOICE, 1, 1024, 256, "32-1024:*2", "min(l, n)"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "is_power_of_2(l); 3*l + 4*s <= Z; l <= threads",
    .inputs = {{"u", MMM_F32, "n"}},
    .outputs = {{"u", MMM_F32, "n"}},
    .build = build,
    .finish = finish,
    .check = check,
};
