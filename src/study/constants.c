/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a core, measured by probes, each of which is for one of them above all; then all are fitted together, by
 * errors of logarithms, either way alike. */
#include "study/constants.h"

#include "gpu_probe/kernels.h" /* made from gpu_probe_kernels.c */
#include "probe/kernels.h"     /* made from probe_kernels.c */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    RUNS_LEAST = 5,
    RUNS_MOST = 10000,
    ATTEMPTS = 24,      /* at a probe whose measurements are not alike, */
    ATTEMPTS_ALL = 240, /* and at all of them: where other work stays, waiting does not help */
    ROWS_MOST = 16,
    MEETINGS = 200
};
static const double patience = 0.02;  /* seconds that runs of a probe may take, where they are short */
static const double shortest = 1e-3;  /* seconds that they take, however short they are */
static const long pause_ns = 5000000; /* between measurements that are not alike, times their number: other work ends */
static const double alike = 0.2;      /* by how much of it two measurements of a probe may differ */
static const double held = 0.3;       /* the weight of staying near what is usual, where no probe tells; */
static const double memory = 1;       /* for memory, which none leaves a very large cache for; */
static const double told = 20;        /* near what the system says; */
static const double shared = 1.5;     /* for the size of a cache of which others may have a part */
static const double noise = 0.05;     /* of a probe's time */

/* What the kernel of a probe is given. */
typedef struct given {
    mmm_word_array from, to;
    int steps, words;
    uint64_t p, quotient;
} given;

typedef mmm_status launcher(mmm_program *program, int64_t blocks, int64_t threads, const given *g);

#define PROBE(name, ...)                                                                                  \
    static mmm_status probe_##name(mmm_program *program, int64_t blocks, int64_t threads, const given *g) \
    {                                                                                                     \
        return launch_##name(program, blocks, threads, __VA_ARGS__);                                      \
    }
enum { FACTOR = 7 };
PROBE(nothing, g->to, 0)
PROBE(copying, g->from, g->to, g->steps)
PROBE(chain, g->from, g->to, g->steps, g->words, FACTOR)
PROBE(adding, g->from, g->to, g->steps, FACTOR)
PROBE(crossing, g->from, g->to, g->steps, FACTOR)
PROBE(summing, g->from, g->to, g->steps, FACTOR)
PROBE(reducing, g->from, g->to, g->steps, FACTOR)
PROBE(inverting, g->from, g->to, g->steps, FACTOR)
PROBE(mixing, g->from, g->to, g->steps, FACTOR)
PROBE(parting, g->from, g->to, g->steps, FACTOR)
PROBE(scaling, g->from, g->to, g->steps, FACTOR, g->quotient, g->p)
PROBE(exchanging, g->from, g->to, g->steps)
PROBE(tallying, g->from, g->to, g->steps)
PROBE(gathering, g->from, g->to, g->steps)
PROBE(scattering, g->from, g->to, g->steps)
PROBE(walking, g->from, g->to, g->steps, g->words)

/* `calls` of a kernel. */
static const struct {
    launcher *launch;
    int calls, steps, words;
    int64_t blocks, threads;
} probes[] = {
    {probe_nothing, 400, 0, 0, 1, 32},
    {probe_copying, 1, 0, 0, 200, 32},
    {probe_copying, 1, 400, 0, 1, 16},
    {probe_copying, 1, 400, 0, 1, 64},
    {probe_copying, 1, 400, 0, 1, 128},
    {probe_copying, 1, 400, 0, 1, 256},
    {probe_copying, 1, 400, 0, 1, 1024},
    {probe_chain, 1, 400, 0, 1, 16},
    {probe_chain, 1, 400, 0, 1, 64},
    {probe_chain, 1, 400, 0, 1, 1024},
    {probe_chain, 1, 400, 0, 1, 79},
    {probe_chain, 1, 400, 0, 1, 56},
    {probe_adding, 1, 400, 0, 1, 16},
    {probe_adding, 1, 400, 0, 1, 128},
    {probe_adding, 1, 400, 0, 1, 256},
    {probe_adding, 1, 400, 0, 1, 1024},
    {probe_adding, 1, 400, 0, 1, 39},
    {probe_crossing, 1, 400, 0, 1, 16},
    {probe_crossing, 1, 400, 0, 1, 1024},
    {probe_crossing, 1, 400, 0, 1, 77},
    {probe_summing, 1, 400, 0, 1, 16},
    {probe_summing, 1, 400, 0, 1, 128},
    {probe_summing, 1, 400, 0, 1, 256},
    {probe_summing, 1, 400, 0, 1, 1024},
    {probe_reducing, 1, 400, 0, 1, 16},
    {probe_reducing, 1, 400, 0, 1, 1024},
    {probe_scaling, 1, 400, 0, 1, 16},
    {probe_scaling, 1, 400, 0, 1, 1024},
    {probe_mixing, 1, 400, 0, 1, 16},
    {probe_mixing, 1, 400, 0, 1, 1024},
    {probe_inverting, 1, 20, 0, 1, 16},
    {probe_inverting, 1, 20, 0, 1, 1024},
    {probe_parting, 1, 400, 0, 1, 16},
    {probe_parting, 1, 400, 0, 1, 1024},
    {probe_exchanging, 1, 400, 0, 1, 32},
    {probe_exchanging, 1, 400, 0, 1, 1024},
    {probe_tallying, 1, 400, 0, 1, 16},
    {probe_tallying, 1, 400, 0, 1, 1024},
    {probe_gathering, 1, 400, 0, 1, 16},
    {probe_gathering, 1, 400, 0, 1, 1024},
    {probe_scattering, 1, 400, 0, 1, 16},
    {probe_scattering, 1, 400, 0, 1, 1024},
    {probe_chain, 1, 1, 0, 400, 16},
    {probe_chain, 1, 4, 0, 400, 16},
    {probe_chain, 1, 16, 0, 400, 16},
    {probe_walking, 1, 4000, 0, 1, 32},
    {probe_walking, 1, 0, 4000, 1, 32},
    {probe_chain, 1, 0, 4, 1, 1024},
    {probe_chain, 1, 0, 64, 1, 1024},
    {probe_chain, 1, 0, 64, 32, 1024},
    {probe_chain, 1, 0, 64, 48, 1024},
    {probe_chain, 1, 0, 64, 64, 1024},
    {probe_chain, 1, 0, 64, 96, 1024},
    {probe_chain, 1, 0, 64, 128, 1024},
    {probe_chain, 1, 0, 64, 256, 1024},
    /* not fitted: those of several threads */
    {probe_chain, 1, 20, 0, 64, 1024},
    {probe_chain, MEETINGS, 4, 0, 2, 256},
};

enum { ALL = sizeof probes / sizeof *probes, SHORT_STEPS = ALL - 1, LONG_STEP = ALL - 2, PROBES = ALL - 2 };

/* A probe: parts of a block, how often there are such, and its time. */
typedef struct sample {
    mmm_part parts[ROWS_MOST];
    double weights[ROWS_MOST];
    int count, steps;
    double blocks, bytes, seconds;
    double off; /* by how much of it the second shortest measurement was longer */
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
    double sum = 0, all[MMM_LIMITS] = {0};
    for (int i = 0; i < s->count; i++) {
        double limits[MMM_LIMITS] = {0};
        mmm_part_time(&s->parts[i], c, limits);
        if (!s->parts[i].width) {
            const double lines = (double)s->parts[i].lines, distinct = (double)s->parts[i].distinct;
            const double first = mmm_line_time(mmm_bytes_touched(s->bytes, distinct, s->blocks), c);
            limits[MMM_LIMIT_MEMORY] = mmm_lines_time(lines, distinct, s->bytes, s->blocks, first, c);
        }
        for (int k = 0; k < MMM_LIMITS; k++)
            all[k] += s->weights[i] * limits[k];
    }
    mmm_blocks_overlap(s->blocks, c, all);
    for (int k = 0; k < MMM_LIMITS; k++) /* probes are in vectors */
        if (k != MMM_LIMIT_SCALAR && k != MMM_LIMIT_TURN) sum += all[k];
    return s->steps * (c[MMM_CONSTANT_STEP] + s->blocks * sum);
}

static mmm_status time_once(mmm_machine *machine, mmm_program *program, double *best)
{
    double sum = 0, seconds;
    *best = INFINITY;
    for (int i = 0; i < RUNS_LEAST || (sum < patience && i < 20 * RUNS_LEAST) || (sum < shortest && i < RUNS_MOST);
         i++, sum += seconds) {
        MMM_TRY(mmm_machine_run(machine, program, &seconds));
        *best = fmin(*best, seconds);
    }
    return MMM_OK;
}

/* Until the two shortest times are alike, or no attempts are left.  What they differ by tells how far to trust them. */
static mmm_status time_program(mmm_machine *machine, mmm_program *program, int *attempts, sample *out)
{
    double least = INFINITY, second = INFINITY, once;
    for (int i = 0; i < ATTEMPTS; i++) {
        MMM_TRY(time_once(machine, program, &once));
        second = fmin(second, fmax(least, once));
        least = fmin(least, once);
        if (!i) continue;
        if (second <= (1 + alike) * least || *attempts == 0) break;
        nanosleep(&(struct timespec){.tv_nsec = i * pause_ns}, NULL);
        --*attempts;
    }
    out->seconds = least;
    out->off = second / least - 1;
    return MMM_OK;
}

/* Words below p, as many as a program of words of so many bits has of them. */
static void fill(void *words, int bits, int64_t count, uint64_t p)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u % p;
        if (bits == 32)
            ((uint32_t *)words)[i] = (uint32_t)x;
        else
            ((uint64_t *)words)[i] = x;
    }
}

/* A program of `calls` of a probe's kernel, with so many blocks; and the least time that it takes. */
static mmm_status run_probe(int number, int bits, mmm_machine *machine, const mmm_parameters *parameters, int *attempts,
                            sample *out)
{
    static const uint64_t primes[2] = {2013265921, ((uint64_t)1 << 60) - 93};
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    mmm_program *program = NULL;
    mmm_sampler *sampler = NULL;
    mmm_profile ignored;
    void *from = NULL, *to = NULL;
    const int64_t threads = probes[number].blocks * probes[number].threads,
                  size = threads * (probes[number].words > 1 ? probes[number].words : 1), bytes = bits / 8;
    given g = {.steps = probes[number].steps, .words = probes[number].words, .p = primes[bits == 64]};
    g.quotient = (uint64_t)(((unsigned __int128)FACTOR << bits) / g.p);
    TRY(mmm_modulus_read(g.p, &modulus));
    TRY(mmm_program_new(&program));
    TRY(mmm_program_set_words(program, bits, &modulus));
    TRY(mmm_alloc(&from, size, (size_t)bytes));
    TRY(mmm_alloc(&to, threads, (size_t)bytes));
    fill(from, bits, size, g.p);
    TRY(mmm_program_array(program, "from", MMM_WORD, size, MMM_IN, from, &g.from.number));
    TRY(mmm_program_array(program, "to", MMM_WORD, threads, MMM_OUT, to, &g.to.number));
    for (int i = 0; i < probes[number].calls; i++)
        TRY(probes[number].launch(program, probes[number].blocks, probes[number].threads, &g));
    TRY(time_program(machine, program, attempts, out));
    TRY(mmm_sampler_new(program, parameters, &sampler));
    TRY(mmm_sampler_listen(sampler, hear, out));
    TRY(mmm_sampler_block(sampler, 0, 0, &ignored)); /* blocks of a probe are alike, and so are its calls */
    out->steps = probes[number].calls;
    out->blocks = (double)probes[number].blocks;
    out->bytes = (double)(bytes * (size + threads));
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

/* A probe that other work was in the way of tells little. */
static double doubt(const sample *s)
{
    return s->off > alike ? log1p(s->off) : 0;
}

static double hold(int i)
{
    return i == MMM_CONSTANT_LINE_MEMORY                            ? memory
           : i == MMM_CONSTANT_LEVEL_1 || i == MMM_CONSTANT_LEVEL_2 ? told
           : i == MMM_CONSTANT_LEVEL_3                              ? shared
                                                                    : held;
}

/* Unknowns are logarithms, which keeps the constants above 0. */
static void errors(const void *context, const double *x, double *e)
{
    const problem *p = context;
    double c[MMM_CONSTANTS];
    memcpy(c, p->start, sizeof c);
    for (int i = 0; i < MMM_CONSTANTS; i++)
        c[i] = exp(x[i]);
    for (int i = 0; i < PROBES; i++)
        e[i] = log(predict(&p->samples[i], c) / p->samples[i].seconds) / fmax(noise, doubt(&p->samples[i]));
    for (int i = 0; i < MMM_CONSTANTS; i++)
        e[PROBES + i] = (x[i] - log(p->start[i])) * hold(i);
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

/* How long a second thread takes to help, and threads to meet after a step: programs of one long step, and of many
 * short ones, on one core and on all.  Where other work has the cores nothing is learned: *known is false. */
static mmm_status measure_team(mmm_machine *machine, int64_t P, const mmm_parameters *parameters, double *constants,
                               int *attempts, bool *known)
{
    sample long_step[2] = {{.count = 0}}, short_steps[2] = {{.count = 0}};
    double doubts = 0;
    *known = false;
    for (int i = 0; i < 2 && P > 1; i++) {
        machine->parameters.P = i ? P : 1; /* which the caller puts back */
        MMM_TRY(run_probe(LONG_STEP, 32, machine, parameters, attempts, &long_step[i]));
        MMM_TRY(run_probe(SHORT_STEPS, 32, machine, parameters, attempts, &short_steps[i]));
        doubts += doubt(&long_step[i]) + doubt(&short_steps[i]);
    }
    if (doubts > 0 || P < 2) return MMM_OK;
    const double cores = (double)P, least = constants[MMM_CONSTANT_STEP];
    const double helper = (long_step[1].seconds - long_step[0].seconds / cores) / (1 - 1 / cores);
    const double meet = (short_steps[1].seconds - helper - short_steps[0].seconds / cores) / MEETINGS;
    *known = helper < long_step[0].seconds / 4; /* else nobody helped */
    if (!*known) return MMM_OK;
    constants[MMM_CONSTANT_HELPER] = fmax(helper, least);
    constants[MMM_CONSTANT_MEET] = fmax(meet, least);
    return MMM_OK;
}

mmm_status mmm_constants_measure(mmm_machine *machine, const mmm_parameters *parameters, int bits,
                                 double constants[MMM_CONSTANTS], double spread[MMM_CONSTANTS])
{
    mmm_status result = MMM_OK;
    const int64_t P = machine->parameters.P;
    double x[MMM_CONSTANTS];
    bool helped;
    int attempts = ATTEMPTS_ALL;
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
        TRY(run_probe(i, bits, machine, parameters, &attempts, &samples[i]));
    for (int i = 0; i < MMM_CONSTANTS; i++)
        x[i] = log(constants[i]);
    const problem p = {samples, constants};
    TRY(mmm_least_squares(errors, &p, PROBES + MMM_CONSTANTS, MMM_CONSTANTS, x, spread));
    for (int i = 0; i < MMM_CONSTANTS; i++)
        constants[i] = exp(x[i]);
    TRY(measure_team(machine, P, parameters, constants, &attempts, &helped));
    spread[MMM_CONSTANT_HELPER] = spread[MMM_CONSTANT_MEET] = helped ? alike : INFINITY;
done:
    machine->parameters.P = P;
    free(samples);
    return result;
}
