/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a core, measured by probes, each of which is for one of them above all; then all are fitted together, by
 * errors of logarithms, either way alike. */
#include "study/constants.h"

#include "probe/kernels.h" /* made from probe_kernels.c */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_LEAST = 5, ATTEMPTS = 12, ROWS_MOST = 16, FITTED = MMM_CONSTANT_REMAINDER + 1 };
static const double patience = 0.02; /* seconds that runs of a probe may take, where they are short */
static const double alike = 0.2;     /* by how much of it two measurements of a probe may differ */
static const double held = 0.3;      /* the weight of staying near what is usual, where no probe tells */
static const double noise = 0.05;    /* of a probe's time */

typedef mmm_status launcher(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from,
                            mmm_word_array to, int steps, int words);

#define CHAIN_OF(name)                                                                                         \
    static mmm_status probe_##name(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from, \
                                   mmm_word_array to, int steps, int words)                                    \
    {                                                                                                          \
        (void)words;                                                                                           \
        return launch_##name(program, blocks, threads, from, to, steps, 7);                                    \
    }
CHAIN_OF(adding)
CHAIN_OF(crossing)
CHAIN_OF(summing)

static mmm_status probe_chain(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from,
                              mmm_word_array to, int steps, int words)
{
    return launch_chain(program, blocks, threads, from, to, steps, words, 7);
}

static mmm_status probe_gathering(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from,
                                  mmm_word_array to, int steps, int words)
{
    (void)words;
    return launch_gathering(program, blocks, threads, from, to, steps);
}

static mmm_status probe_scattering(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from,
                                   mmm_word_array to, int steps, int words)
{
    (void)words;
    return launch_scattering(program, blocks, threads, from, to, steps);
}

static mmm_status probe_nothing(mmm_program *program, int64_t blocks, int64_t threads, mmm_word_array from,
                                mmm_word_array to, int steps, int words)
{
    (void)from, (void)steps, (void)words;
    return launch_nothing(program, blocks, threads, to, 0);
}

/* `calls` of a kernel. */
static const struct {
    launcher *launch;
    int calls, steps, words;
    int64_t blocks, threads;
} probes[] = {
    {probe_nothing, 400, 0, 0, 1, 32},      {probe_nothing, 1, 0, 0, 20000, 32},   {probe_chain, 1, 400, 0, 1, 16},
    {probe_chain, 1, 400, 0, 1, 64},        {probe_chain, 1, 400, 0, 1, 1024},     {probe_chain, 1, 400, 0, 1, 15},
    {probe_chain, 1, 400, 0, 1, 1},         {probe_adding, 1, 400, 0, 1, 16},      {probe_adding, 1, 400, 0, 1, 1024},
    {probe_adding, 1, 400, 0, 1, 39},       {probe_crossing, 1, 400, 0, 1, 16},    {probe_crossing, 1, 400, 0, 1, 1024},
    {probe_crossing, 1, 400, 0, 1, 77},     {probe_summing, 1, 400, 0, 1, 16},     {probe_summing, 1, 400, 0, 1, 1024},
    {probe_gathering, 1, 400, 0, 1, 16},    {probe_gathering, 1, 400, 0, 1, 1024}, {probe_scattering, 1, 400, 0, 1, 16},
    {probe_scattering, 1, 400, 0, 1, 1024}, {probe_chain, 1, 0, 4, 1, 1024},       {probe_chain, 1, 0, 64, 1, 1024},
    {probe_chain, 1, 0, 64, 32, 1024},      {probe_chain, 1, 0, 64, 256, 1024},
};

enum { PROBES = sizeof probes / sizeof *probes };

/* A probe: parts of a block, how often there are such, and its time. */
typedef struct sample {
    mmm_part parts[ROWS_MOST];
    double weights[ROWS_MOST];
    int count, steps;
    double blocks, bytes, seconds;
} sample;

static void hear(void *context, const mmm_part *part)
{
    sample *s = context;
    for (int i = 0; i < s->count; i++)
        if (memcmp(&s->parts[i], part, sizeof *part) == 0) {
            s->weights[i]++;
            return;
        }
    if (s->count == ROWS_MOST) return;
    s->weights[s->count] = 1;
    s->parts[s->count++] = *part;
}

static double predict(const sample *s, const double *c)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        double limits[MMM_LIMITS] = {0};
        mmm_part_time(&s->parts[i], c, limits);
        if (!s->parts[i].width)
            limits[MMM_LIMIT_MEMORY] =
                mmm_lines_time((double)s->parts[i].lines, (double)s->parts[i].conflicts, s->bytes, s->blocks, c);
        sum += s->weights[i] * (limits[MMM_LIMIT_START] + limits[MMM_LIMIT_LATENCY] + limits[MMM_LIMIT_ISSUE] +
                                limits[MMM_LIMIT_SCATTER] + limits[MMM_LIMIT_BETWEEN] + limits[MMM_LIMIT_MEMORY]);
    }
    return s->steps * (c[MMM_CONSTANT_STEP] + s->blocks * sum);
}

static mmm_status time_once(mmm_machine *machine, mmm_program *program, double *best)
{
    double sum = 0, seconds;
    *best = INFINITY;
    for (int i = 0; i < RUNS_LEAST || (sum < patience && i < 20 * RUNS_LEAST); i++, sum += seconds) {
        MMM_TRY(mmm_machine_run(machine, program, &seconds));
        *best = fmin(*best, seconds);
    }
    return MMM_OK;
}

/* Until the two shortest times are alike. */
static mmm_status time_program(mmm_machine *machine, mmm_program *program, double *best)
{
    double least = INFINITY, second = INFINITY, once;
    for (int i = 0; i < ATTEMPTS; i++) {
        MMM_TRY(time_once(machine, program, &once));
        second = fmin(second, fmax(least, once));
        least = fmin(least, once);
        *best = least;
        if (second <= (1 + alike) * least) return MMM_OK;
    }
    return mmm_fail(MMM_DEVICE, "no two of %d measurements are alike (%.3g and %.3g s): other work is in the way",
                    ATTEMPTS, least, second);
}

static mmm_status run_probe(int number, mmm_machine *machine, const mmm_parameters *parameters, sample *out)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    mmm_program *program = NULL;
    mmm_sampler *sampler = NULL;
    mmm_profile ignored;
    uint32_t *from = NULL, *to = NULL;
    mmm_word_array source, target;
    const int64_t threads = probes[number].blocks * probes[number].threads,
                  size = threads * (probes[number].words > 1 ? probes[number].words : 1);
    TRY(mmm_modulus_read(2013265921, &modulus));
    TRY(mmm_program_new(&program));
    TRY(mmm_program_set_words(program, 32, &modulus));
    TRY(mmm_alloc(&from, size, sizeof *from));
    TRY(mmm_alloc(&to, threads, sizeof *to));
    for (int64_t i = 0; i < size; i++)
        from[i] = (uint32_t)(i * 2654435761u % 2013265921u);
    TRY(mmm_program_array(program, "from", MMM_WORD, size, MMM_IN, from, &source.number));
    TRY(mmm_program_array(program, "to", MMM_WORD, threads, MMM_OUT, to, &target.number));
    for (int i = 0; i < probes[number].calls; i++)
        TRY(probes[number].launch(program, probes[number].blocks, probes[number].threads, source, target,
                                  probes[number].steps, probes[number].words));
    TRY(time_program(machine, program, &out->seconds));
    TRY(mmm_sampler_new(program, parameters, &sampler));
    TRY(mmm_sampler_listen(sampler, hear, out));
    TRY(mmm_sampler_block(sampler, 0, 0, &ignored)); /* blocks of a probe are alike, and so are its calls */
    out->steps = probes[number].calls;
    out->blocks = (double)probes[number].blocks;
    out->bytes = 4 * (double)(size + threads);
done:
    mmm_sampler_free(sampler);
    mmm_program_free(program);
    free(from);
    free(to);
    return result;
}

typedef struct problem {
    const sample *samples;
    const double *start;
} problem;

/* Unknowns are logarithms, which keeps the constants above 0. */
static void errors(const void *context, const double *x, double *e)
{
    const problem *p = context;
    double c[MMM_CONSTANTS];
    memcpy(c, p->start, sizeof c);
    for (int i = 0; i < FITTED; i++)
        c[i] = exp(x[i]);
    for (int i = 0; i < PROBES; i++)
        e[i] = log(predict(&p->samples[i], c) / p->samples[i].seconds) / noise;
    for (int i = 0; i < FITTED; i++)
        e[PROBES + i] = (x[i] - log(p->start[i])) * held;
}

/* Bytes of a level of cache that a core has, which in a part of a machine are less than the sum that the C library
 * tells. */
static double cache(int level, int name, double usual)
{
    char path[64];
    long kilobytes = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
    FILE *stream = fopen(path, "r");
    if (stream && fscanf(stream, "%ldK", &kilobytes) != 1) kilobytes = 0;
    if (stream) fclose(stream);
    const long size = kilobytes > 0 ? 1024 * kilobytes : sysconf(name);
    return size > 0 ? (double)size : usual;
}

mmm_status mmm_constants_measure(mmm_machine *machine, const mmm_parameters *parameters,
                                 double constants[MMM_CONSTANTS], double spread[MMM_CONSTANTS])
{
    mmm_status result = MMM_OK;
    const int64_t P = machine->parameters.P;
    double x[FITTED];
    sample *samples = NULL;
    for (int i = 0; i < MMM_CONSTANTS; i++) {
        constants[i] = mmm_constant_records[i].usual;
        spread[i] = 0;
    }
    constants[MMM_CONSTANT_LEVEL_1] = 4 * (double)parameters->Z;
    constants[MMM_CONSTANT_LEVEL_2] = cache(2, _SC_LEVEL2_CACHE_SIZE, constants[MMM_CONSTANT_LEVEL_2]);
    constants[MMM_CONSTANT_LEVEL_3] = cache(3, _SC_LEVEL3_CACHE_SIZE, constants[MMM_CONSTANT_LEVEL_3]);
    machine->parameters.P = 1; /* a core's constants */
    TRY(mmm_alloc(&samples, PROBES, sizeof *samples));
    for (int i = 0; i < PROBES; i++)
        TRY(run_probe(i, machine, parameters, &samples[i]));
    for (int i = 0; i < FITTED; i++)
        x[i] = log(constants[i]);
    const problem p = {samples, constants};
    TRY(mmm_least_squares(errors, &p, PROBES + FITTED, FITTED, x, spread));
    for (int i = 0; i < FITTED; i++)
        constants[i] = exp(x[i]);
done:
    machine->parameters.P = P;
    free(samples);
    return result;
}
