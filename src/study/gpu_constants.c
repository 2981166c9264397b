/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a GPU, measured by probes, each of which is for one or two of them above all; then all are fitted
 * together, by errors of logarithms.  What probes do not tell well is measured again, and then refused: it stays as
 * near to what is usual as they allow, for a larger value of what is hidden by others would show. */
#include "study/constants.h"

#include "gpu_probe/kernels.h" /* made from gpu_probe_kernels.c */
#include "probe/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKS_MOST = 32, RUNS = 7, LAUNCHES = 10, ATTEMPTS = 3, SMALL = 1 << 21, LARGE = 1 << 26, COUNTS = 16 };
static const double held = 0.3;     /* the weight of staying near what is usual, where no probe tells */
static const double noise = 0.05;   /* of a probe's time */
static const double trusted = 0.5;  /* by how much of itself a constant may be off, by the fit, */
static const double heard = 0.07;   /* the part that it must have of some probe's time, */
static const double explained = .3; /* and the root mean square of the errors of all */

typedef struct arrays {
    mmm_word_array from, to;
    mmm_u32_array counts;
} arrays;

typedef mmm_status launcher(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind);

static mmm_status nothing(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)steps, (void)n, (void)kind;
    return launch_nothing(p, blocks, threads, a.to, 0);
}

static mmm_status series(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n;
    return launch_series(p, blocks, threads, a.from, a.to, steps, 7, kind);
}

static mmm_status parting(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n, (void)kind;
    return launch_parting(p, blocks, threads, a.from, a.to, steps, 7);
}

static mmm_status passing(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n, (void)kind;
    return launch_passing(p, blocks, threads, a.from, a.to, steps, 7);
}

static mmm_status exchanging(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n, (void)kind;
    return launch_exchanging(p, blocks, threads, a.from, a.to, steps);
}

static mmm_status reaching(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n;
    return launch_reaching(p, blocks, threads, a.from, a.to, steps, kind);
}

static mmm_status rounding(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n, (void)kind;
    return launch_rounding(p, blocks, threads, a.from, a.to, steps, 7);
}

static mmm_status hopping(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)kind;
    return launch_hopping(p, blocks, threads, a.from, a.to, steps, n);
}

static mmm_status fetching(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    return launch_fetching(p, blocks, threads, a.from, a.to, steps, n, kind);
}

static mmm_status counting(mmm_program *p, int64_t blocks, int64_t threads, arrays a, int steps, int n, int kind)
{
    (void)n;
    return launch_counting(p, blocks, threads, a.counts, steps, kind);
}

/* `calls` of a kernel; each SM has `on_sm` blocks, or, where that is 0, there are `blocks`. */
static const struct {
    launcher *launch;
    int calls, on_sm;
    int64_t blocks, threads;
    int steps, n, kind;
} probes[] = {
    {nothing, 1, 0, 1, 32, 0, 0, 0},
    {nothing, 400, 0, 1, 32, 0, 0, 0},
    {nothing, 1, 0, 200000, 32, 0, 0, 0},
    /* operations: one group waits, many take turns */
    {series, 1, 0, 1, 32, 2000, 0, 0},
    {series, 1, 2, 0, 1024, 500, 0, 0},
    {series, 1, 0, 1, 32, 2000, 0, 1},
    {series, 1, 2, 0, 1024, 500, 0, 1},
    {series, 1, 0, 1, 32, 40, 0, 2},
    {series, 1, 2, 0, 1024, 20, 0, 2},
    {series, 1, 0, 1, 32, 2000, 0, 3},
    {series, 1, 2, 0, 1024, 500, 0, 3},
    {series, 1, 0, 1, 32, 2000, 0, 4},
    {series, 1, 2, 0, 1024, 500, 0, 4},
    {series, 1, 0, 1, 32, 2000, 0, 5},
    {series, 1, 2, 0, 1024, 500, 0, 5},
    {series, 1, 0, 1, 32, 2000, 0, 6},
    {series, 1, 2, 0, 1024, 500, 0, 6},
    {series, 1, 0, 1, 32, 1000, 0, 7},
    {series, 1, 2, 0, 1024, 300, 0, 7},
    {exchanging, 1, 0, 1, 32, 2000, 0, 0},
    {exchanging, 1, 2, 0, 1024, 500, 0, 0},
    /* regions */
    {parting, 1, 0, 1, 32, 1000, 0, 0},
    {parting, 1, 0, 1, 256, 1000, 0, 0},
    {parting, 1, 0, 1, 1024, 1000, 0, 0},
    {parting, 1, 2, 0, 1024, 300, 0, 0},
    {passing, 1, 0, 1, 32, 1000, 0, 0},
    {passing, 1, 0, 1, 1024, 1000, 0, 0},
    {passing, 1, 2, 0, 1024, 300, 0, 0},
    {rounding, 1, 0, 1, 32, 500, 0, 0},
    {rounding, 1, 2, 0, 1024, 100, 0, 0},
    /* local memory */
    {reaching, 1, 0, 1, 32, 1000, 0, 1},
    {reaching, 1, 2, 0, 1024, 200, 0, 1},
    {reaching, 1, 2, 0, 1024, 200, 0, 8},
    {counting, 1, 0, 1, 32, 500, 0, 0},
    {counting, 1, 2, 0, 1024, 100, 0, 0},
    /* global memory */
    {hopping, 1, 0, 1, 32, 300, SMALL, 0},
    {hopping, 1, 0, 1, 256, 300, SMALL, 0},
    {fetching, 1, 0, 1, 32, 500, SMALL, 1},
    {fetching, 1, 1, 0, 1024, 16, SMALL, 1},
    {fetching, 1, 1, 0, 1024, 16, SMALL, 8},
    {fetching, 1, 8, 0, 512, 16, SMALL, 1},
    {fetching, 1, 32, 0, 512, 16, LARGE, 1},
    {counting, 1, 1, 0, 256, 8, 0, 1},
};

enum { PROBES = sizeof probes / sizeof *probes };

/* Those that are fitted: all but what is no time and no rate. */
static int fitted(int numbers[MMM_GPU_CONSTANTS])
{
    int count = 0;
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++)
        if (i != MMM_GPU_CACHE && i != MMM_GPU_REGISTERS) numbers[count++] = i;
    return count;
}

/* A probe: what a block of it does region by region, and the time of the whole. */
typedef struct sample {
    mmm_program *program;
    void *from;
    mmm_region_work works[WORKS_MOST];
    double weights[WORKS_MOST];
    int count;
    mmm_profile block;
    double bytes, seconds;
} sample;

/* Member by member: the bytes between them may be any. */
static bool alike(const mmm_region_work *x, const mmm_region_work *y)
{
    return x->groups == y->groups && x->threads == y->threads && x->private_words == y->private_words &&
           x->of_groups == y->of_groups && memcmp(&x->all, &y->all, sizeof x->all) == 0 &&
           memcmp(&x->most, &y->most, sizeof x->most) == 0 && memcmp(&x->first, &y->first, sizeof x->first) == 0;
}

static void hear(void *context, const mmm_region_work *work)
{
    sample *s = context;
    for (int i = 0; i < s->count; i++)
        if (alike(&s->works[i], work)) {
            s->weights[i]++;
            return;
        }
    if (s->count == WORKS_MOST) return;
    s->weights[s->count] = 1;
    s->works[s->count++] = *work;
}

static double predict(const sample *s, const mmm_parameters *machine)
{
    double at_once[MMM_AT_ONCE][MMM_LIMITS] = {{0}};
    mmm_profile p = s->block;
    for (int i = 0; i < s->count; i++) {
        double each[MMM_AT_ONCE][MMM_LIMITS] = {{0}};
        mmm_gpu_region(&s->works[i], machine->gpu, each);
        for (int k = 0; k < MMM_AT_ONCE * MMM_LIMITS; k++)
            at_once[k / MMM_LIMITS][k % MMM_LIMITS] += s->weights[i] * each[k / MMM_LIMITS][k % MMM_LIMITS];
    }
    mmm_gpu_block(at_once, &p);
    p.cost.blocks = s->program->nodes[0].blocks;
    const mmm_kernel_time time =
        mmm_gpu_kernel(s->program->word_bits, &s->program->nodes[0], &p, 1, s->bytes, NULL, machine);
    return machine->gpu[MMM_GPU_GRAPH] * 1e-9 + (double)s->program->kernels * (time.launch + time.alone);
}

static mmm_status make(int number, int bits, const mmm_parameters *machine, sample *out)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    mmm_sampler *sampler = NULL;
    arrays a;
    const int64_t P = machine->P ? machine->P : 1, blocks = probes[number].on_sm * P + probes[number].blocks,
                  threads = blocks * probes[number].threads,
                  size = threads > probes[number].n ? threads : probes[number].n;
    TRY(mmm_modulus_read(bits == 32 ? 2013265921 : ((uint64_t)1 << 60) - 93, &modulus));
    TRY(mmm_program_new(&out->program));
    TRY(mmm_program_set_words(out->program, bits, &modulus));
    TRY(mmm_alloc(&out->from, size, (size_t)bits / 8));
    for (int64_t i = 0; i < size; i++) { /* a chase far away, neighbours together */
        const int64_t x = probes[number].n ? (i + 40503 * 32) & (probes[number].n - 1) : i % 2013265921;
        if (bits == 32)
            ((uint32_t *)out->from)[i] = (uint32_t)x;
        else
            ((uint64_t *)out->from)[i] = (uint64_t)x;
    }
    TRY(mmm_program_array(out->program, "from", MMM_WORD, size, MMM_IN, out->from, &a.from.number));
    TRY(mmm_program_array(out->program, "to", MMM_WORD, threads, MMM_WORK, NULL, &a.to.number));
    TRY(mmm_program_array(out->program, "counts", MMM_U32, COUNTS, MMM_WORK, NULL, &a.counts.number));
    for (int i = 0; i < probes[number].calls; i++)
        TRY(probes[number].launch(out->program, blocks, probes[number].threads, a, probes[number].steps,
                                  probes[number].n, probes[number].kind));
    TRY(mmm_sampler_new(out->program, machine, &sampler));
    mmm_sampler_hear(sampler, hear, out);
    TRY(mmm_sampler_block(sampler, 0, 0, &out->block)); /* blocks of a probe are alike, and so are its calls */
    out->bytes = bits / 8.0 * (double)(size + threads);
    out->seconds = INFINITY;
done:
    mmm_sampler_free(sampler);
    return result;
}

typedef struct problem {
    const sample *samples;
    const double *start;
    mmm_parameters *machine; /* its constants are set before it is asked */
    int numbers[MMM_GPU_CONSTANTS], count;
} problem;

/* Unknowns are logarithms, which keeps the constants above 0. */
static void errors(const void *context, const double *x, double *e)
{
    const problem *p = context;
    for (int i = 0; i < p->count; i++)
        p->machine->gpu[p->numbers[i]] = exp(x[i]);
    for (int i = 0; i < PROBES; i++)
        e[i] = log(predict(&p->samples[i], p->machine) / p->samples[i].seconds) / noise;
    for (int i = 0; i < p->count; i++)
        e[PROBES + i] = (x[i] - log(p->start[p->numbers[i]])) * held;
}

/* The least of some runs of each probe, in turn, and of all before. */
static mmm_status measure(mmm_machine *machine, const double *pretended, problem *p, sample *samples)
{
    mmm_status result = MMM_OK;
    const bool many = machine && mmm_machine_set_launches(machine, LAUNCHES) == MMM_OK; /* or clocks are low */
    for (int round = 0; round < RUNS; round++)
        for (int i = 0; i < PROBES; i++) {
            double seconds;
            if (pretended) {
                memcpy(p->machine->gpu, pretended, sizeof p->machine->gpu);
                seconds = predict(&samples[i], p->machine);
            } else
                TRY(mmm_machine_run(machine, samples[i].program, &seconds));
            samples[i].seconds = fmin(samples[i].seconds, seconds);
        }
done:
    if (many) mmm_machine_set_launches(machine, 1);
    return result;
}

/* The part that constant number i has at most of a probe's time. */
static double largest_part(const problem *p, const double *x, int i)
{
    double y[MMM_GPU_CONSTANTS], here[PROBES + MMM_GPU_CONSTANTS], there[PROBES + MMM_GPU_CONSTANTS], most = 0;
    memcpy(y, x, (size_t)p->count * sizeof *y);
    y[i] += 0.01;
    errors(p, x, here);
    errors(p, y, there);
    for (int k = 0; k < PROBES; k++)
        most = fmax(most, fabs(there[k] - here[k]) * noise / 0.01);
    return most;
}

/* From the start on; off[i] is by how much of itself an unknown may be off. */
static mmm_status fit(const problem *p, double *x, double *off, double *rms)
{
    double e[PROBES + MMM_GPU_CONSTANTS], squares = 0;
    for (int i = 0; i < p->count; i++)
        x[i] = log(p->start[p->numbers[i]]);
    MMM_TRY(mmm_least_squares(errors, p, PROBES + p->count, p->count, x, off));
    errors(p, x, e);
    for (int i = 0; i < PROBES; i++)
        squares += e[i] * e[i] * noise * noise / PROBES;
    *rms = sqrt(squares);
    for (int i = 0; i < p->count; i++)
        if (largest_part(p, x, i) < heard) off[i] = INFINITY; /* nothing was heard of it */
    return MMM_OK;
}

mmm_status mmm_gpu_constants_measure(mmm_machine *machine, const mmm_parameters *parameters, int bits,
                                     const double *pretended, double constants[MMM_GPU_CONSTANTS],
                                     double spread[MMM_GPU_CONSTANTS])
{
    mmm_status result = MMM_OK;
    mmm_parameters own = *parameters;
    sample *samples = NULL;
    double x[MMM_GPU_CONSTANTS], off[MMM_GPU_CONSTANTS];
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++) {
        constants[i] = own.gpu[i] = mmm_gpu_records[i].usual;
        spread[i] = 0;
    }
    TRY(mmm_alloc(&samples, PROBES, sizeof *samples));
    for (int i = 0; i < PROBES; i++)
        TRY(make(i, bits, &own, &samples[i]));
    problem p = {.samples = samples, .start = constants, .machine = &own};
    p.count = fitted(p.numbers);
    double rms = 0;
    for (int attempt = 0, bad = 1; bad && attempt < ATTEMPTS; attempt++) {
        TRY(measure(machine, pretended, &p, samples));
        TRY(fit(&p, x, off, &rms));
        bad = 0;
        for (int i = 0; i < p.count; i++)
            bad += off[i] > trusted;
    }
    if (rms > explained)
        FAIL(MMM_DEVICE, "constants of the GPU could not be measured well: times of probes are off by %.0f %%",
             100 * rms);
    for (int i = 0; i < p.count; i++) {
        constants[p.numbers[i]] = exp(x[i]);
        spread[p.numbers[i]] = off[i] > trusted ? INFINITY : off[i];
    }
done:
    for (int i = 0; samples && i < PROBES; i++) {
        mmm_program_free(samples[i].program);
        free(samples[i].from);
    }
    free(samples);
    return result;
}
