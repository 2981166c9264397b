/* SPDX-License-Identifier: Apache-2.0 */
/* Products and divisions of polynomials on the CPU beside FLINT: the paper's variants and the faster ones, FLINT's own
 * choice of algorithm and its classical one, in one run, in turns.  With MMM_BENCH_FLINT=libflint.so of another FLINT
 * that one is measured too.  The times are of the kernels, and of FLINT's functions on arrays. Use: products [FILE.csv]
 */
#include "bench.h"
#include "mmm/study.h"

#include <dlfcn.h>
#include <flint/nmod_poly.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 31, PEERS = 4, VARIANTS = 2, CHOICES = 4 };

/* As in every FLINT from 2.9 to 3.6. */
typedef void (*multiplier)(mp_ptr f, mp_srcptr a, mp_limb_signed_t n, mp_srcptr b, mp_limb_signed_t m, nmod_t mod);
typedef void (*divider)(mp_ptr q, mp_ptr r, mp_srcptr a, mp_limb_signed_t n, mp_srcptr b, mp_limb_signed_t m,
                        nmod_t mod);

typedef struct peer {
    const char *name;
    multiplier multiply;
    divider divide;
} peer;

static void divide_classical(mp_ptr q, mp_ptr r, mp_srcptr a, mp_limb_signed_t n, mp_srcptr b, mp_limb_signed_t m,
                             nmod_t mod)
{
    mp_ptr space = malloc(sizeof *space * (size_t)NMOD_DIVREM_BC_ITCH(n, m, mod));
    if (space) _nmod_poly_divrem_basecase(q, r, space, a, n, b, m, mod);
    free(space);
}

static peer peers[PEERS] = {{"FLINT " FLINT_VERSION, _nmod_poly_mul, _nmod_poly_divrem},
                            {"classical", _nmod_poly_mul_classical, divide_classical}};

/* One size: what is run for it, and with which choices on one thread. */
typedef struct row {
    const char *variants[VARIANTS];
    int64_t n, m;
    const char *choices[VARIANTS][CHOICES];
    int64_t values[VARIANTS][CHOICES];
} row;

#define PRODUCT(n, s, g)                                                                \
    {                                                                                   \
        {"multiplication", "multiplication-tile"}, n, n, {{"s", "l"}, {"s", "l", "g"}}, \
        {                                                                               \
            {16, 128},                                                                  \
            {                                                                           \
                s, 8, g                                                                 \
            }                                                                           \
        }                                                                               \
    }
#define DIVISION(n, m, s)                                                      \
    {                                                                          \
        {"division", "division-inverse"}, n, m, {{"s"}, {"s", "w", "l", "g"}}, \
        {                                                                      \
            {256},                                                             \
            {                                                                  \
                s, 1024, 8, 8                                                  \
            }                                                                  \
        }                                                                      \
    }
static const row rows[] = {PRODUCT(64, 64, 2),        PRODUCT(256, 256, 8),      PRODUCT(1024, 1024, 8),
                           PRODUCT(4000, 1024, 8),    PRODUCT(8000, 2048, 8),    DIVISION(128, 64, 33),
                           DIVISION(512, 256, 129),   DIVISION(2048, 1024, 256), DIVISION(8000, 4000, 512),
                           DIVISION(16384, 8192, 512)};
static const uint64_t primes[] = {2013265921, 1152921504606846883u}; /* the second is 2^60 - 93 */

static mmm_job *job_of(const row *r, int variant, uint64_t p, mmm_machine *cpu)
{
    mmm_job *job;
    must(mmm_job_new(r->variants[variant], &job));
    must(mmm_job_set(job, "n", r->n));
    must(mmm_job_set(job, "m", r->m));
    must(mmm_job_set(job, "p", (int64_t)p));
    for (int i = 0; i < CHOICES && r->choices[variant][i]; i++)
        must(mmm_job_set(job, r->choices[variant][i], r->values[variant][i]));
    must(mmm_job_run(job, cpu, NULL));
    must(mmm_job_check(job));
    return job;
}

static void print(const char *name, double *times, FILE *csv, const row *r, uint64_t p, double best)
{
    sort_times(times, ROUNDS);
    double median = times[ROUNDS / 2];
    printf("  %-20s %9.2f µs (%.2f to %.2f)  %5.2f\n", name, 1e6 * median, 1e6 * times[0], 1e6 * times[ROUNDS - 1],
           median / best);
    if (csv)
        fprintf(csv, "%s,%lld,%lld,%llu,%s,%.9f,%.9f,%.9f\n", r->variants[1], (long long)r->n, (long long)r->m,
                (unsigned long long)p, name, median, times[0], times[ROUNDS - 1]);
}

/* FLINT's time for random operands; short ones repeatedly. */
static double time_peer(const peer *f, const row *r, bool division, nmod_t mod, mp_srcptr a, mp_srcptr b, mp_ptr x,
                        mp_ptr y)
{
    int times = r->n < 1000 ? 20 : 1;
    double start = mmm_now();
    for (int i = 0; i < times; i++)
        if (division)
            f->divide(x, y, a, r->n, b, r->m, mod);
        else
            f->multiply(x, a, r->n, b, r->m, mod);
    return (mmm_now() - start) / times;
}

static void bench(const row *r, uint64_t p, mmm_machine *cpu, FILE *csv)
{
    static double times[VARIANTS + PEERS][ROUNDS];
    bool division = strncmp(r->variants[0], "division", 8) == 0;
    mmm_job *jobs[VARIANTS];
    nmod_t mod;
    size_t room = (size_t)(r->n + r->m);
    mp_ptr words = malloc(4 * room * sizeof *words);
    if (!words) exit(1);
    nmod_init(&mod, p);
    for (size_t i = 0; i < 4 * room; i++)
        words[i] = (0x9e3779b97f4a7c15u * (i + 1) ^ i << 29) % (p - 1) + 1;
    for (int v = 0; v < VARIANTS; v++)
        jobs[v] = job_of(r, v, p, cpu);
    for (int i = 0; i < ROUNDS; i++) {
        for (int v = 0; v < VARIANTS; v++)
            must(mmm_job_run(jobs[v], cpu, &times[v][i]));
        for (int k = 0; k < PEERS && peers[k].name; k++)
            times[VARIANTS + k][i] =
                time_peer(&peers[k], r, division, mod, words, words + room, words + 2 * room, words + 3 * room);
    }
    printf("%s %lld, %lld, p = %llu\n", division ? "division" : "multiplication", (long long)r->n, (long long)r->m,
           (unsigned long long)p);
    sort_times(times[1], ROUNDS);
    double best = times[1][ROUNDS / 2];
    for (int v = 0; v < VARIANTS; v++) {
        print(r->variants[v], times[v], csv, r, p, best);
        mmm_job_free(jobs[v]);
    }
    for (int k = 0; k < PEERS && peers[k].name; k++)
        print(peers[k].name, times[VARIANTS + k], csv, r, p, best);
    free(words);
}

static void add_other_flint(void)
{
    const char *path = getenv("MMM_BENCH_FLINT");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (!path) return;
    if (!library) {
        fprintf(stderr, "products: %s\n", dlerror());
        exit(1);
    }
    peers[2].multiply = (multiplier)dlsym(library, "_nmod_poly_mul");
    peers[2].divide = (divider)dlsym(library, "_nmod_poly_divrem");
    peers[3].multiply = (multiplier)dlsym(library, "_nmod_poly_mul_classical");
    peers[3].divide = peers[2].divide; /* its classical division wants other arguments in each version */
    peers[2].name = peers[2].multiply && peers[2].divide ? "other FLINT" : NULL;
    peers[3].name = peers[2].name && peers[3].multiply ? "other, classical *" : NULL;
}

int main(int count, char **words)
{
    mmm_machine *cpu;
    FILE *csv = count > 1 ? fopen(words[1], "w") : NULL;
    must(mmm_machine_open("cpu", &cpu));
    add_other_flint();
    printf(
        "medians of %d runs with smallest and largest, and their ratio to the faster variant's; %s for mmm, 1 core for "
        "FLINT\n",
        ROUNDS, mmm_machine_description(cpu));
    if (csv) fprintf(csv, "operation,n,m,p,who,median,least,most\n");
    for (size_t k = 0; k < sizeof primes / sizeof *primes; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            bench(&rows[i], primes[k], cpu, csv);
    if (csv && fclose(csv) != 0) return 1;
    mmm_machine_free(cpu);
    return 0;
}
