/* SPDX-License-Identifier: Apache-2.0 */
/* Products, divisions and gcds on the CPU, each by the algorithm that the library takes, on one thread and on all,
 * beside FLINT's default functions and its classical ones, NTL where it was found, and another FLINT where
 * MMM_BENCH_FLINT names its libflint.so: in one run and in turns.  Times are of the kernels.  Use: rows [FILE.csv] */
#include "bench.h"
#include "mmm/study.h"

#include <dlfcn.h>
#include <flint/nmod_poly.h>
#include <stdbool.h>

enum { ROUNDS = 9, RUNS = 6, CLASSICAL_MOST = 20000 };
enum { ONE, ALL, FLINT, CLASSICAL, OTHER, NTL };
static const char *const runs[RUNS] = {"mmm", "mmm, all threads", "FLINT", "FLINT, classical", "other FLINT", "NTL"};

typedef enum operation { MULTIPLY, DIVIDE, GCD } operation;
static const char *const names[] = {"multiplication", "division", "gcd"};

static const struct row {
    operation what;
    int64_t n, m;
} rows[] = {{MULTIPLY, 64, 64},         {MULTIPLY, 256, 256},     {MULTIPLY, 1024, 1024}, {MULTIPLY, 4096, 4096},
            {MULTIPLY, 8000, 8000},     {MULTIPLY, 65536, 65536}, {DIVIDE, 128, 64},      {DIVIDE, 512, 256},
            {DIVIDE, 2048, 1024},       {DIVIDE, 16384, 8192},    {GCD, 64, 64},          {GCD, 256, 256},
            {GCD, 1000, 1000},          {GCD, 4000, 4000},        {GCD, 10000, 9000},     {MULTIPLY, 1 << 20, 1 << 20},
            {DIVIDE, 1 << 20, 1 << 19}, {GCD, 100000, 100000}};
static const uint64_t primes[] = {2013265921, 1152921504606846883u}; /* the second is 2^60 - 93 */

#if defined(BENCH_NTL)
double bench_ntl(int what, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m, uint64_t p);
#endif

/* FLINT's functions, as every version since 2.9 has them. */
typedef struct flint {
    void (*multiply)(nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    void (*divide)(nmod_poly_t, nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    void (*gcd)(nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    void (*init)(nmod_poly_t, mp_limb_t);
    void (*set)(nmod_poly_t, mp_limb_signed_t, mp_limb_t);
    void (*clear)(nmod_poly_t);
} flint;

static flint flints[RUNS] = {
    [FLINT] = {nmod_poly_mul, nmod_poly_divrem, nmod_poly_gcd, nmod_poly_init, nmod_poly_set_coeff_ui, nmod_poly_clear},
    [CLASSICAL] = {nmod_poly_mul_classical, nmod_poly_divrem_basecase, nmod_poly_gcd_euclidean, nmod_poly_init,
                   nmod_poly_set_coeff_ui, nmod_poly_clear}};

static void add_other_flint(void)
{
    const char *path = getenv("MMM_BENCH_FLINT");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (library)
        flints[OTHER] = (flint){dlsym(library, "nmod_poly_mul"),          dlsym(library, "nmod_poly_divrem"),
                                dlsym(library, "nmod_poly_gcd"),          dlsym(library, "nmod_poly_init"),
                                dlsym(library, "nmod_poly_set_coeff_ui"), dlsym(library, "nmod_poly_clear")};
    if (path && (!library || !flints[OTHER].multiply || !flints[OTHER].divide || !flints[OTHER].gcd)) {
        fprintf(stderr, "rows: MMM_BENCH_FLINT=%s is no library of FLINT\n", path);
        exit(1);
    }
}

/* The seconds of one call of FLINT, of `calls` that follow each other. */
static double time_flint(const flint *f, operation what, nmod_poly_t *x, int calls)
{
    double start = mmm_now();
    for (int i = 0; i < calls; i++)
        switch (what) {
        case MULTIPLY: f->multiply(x[2], x[0], x[1]); break;
        case DIVIDE: f->divide(x[2], x[3], x[0], x[1]); break;
        case GCD: f->gcd(x[2], x[0], x[1]); break;
        }
    return (mmm_now() - start) / calls;
}

static mmm_job *job_of(mmm_machine *machine, const struct row *r, uint64_t p)
{
    mmm_job *job;
    const char *app = mmm_fastest(machine, names[r->what], p, r->n, r->m);
    must(app ? mmm_job_new(app, &job) : MMM_INVALID);
    must(mmm_job_set(job, "n", r->n));
    must(mmm_job_set(job, "m", r->m));
    must(mmm_job_set(job, "p", (int64_t)p));
    must(mmm_job_usual(job, machine));
    must(mmm_job_run(job, machine, NULL));
    must(mmm_job_check(job));
    return job;
}

static double time_job(mmm_job *job, mmm_machine *machine, int calls)
{
    double sum = 0, seconds;
    for (int i = 0; i < calls; i++) {
        must(mmm_job_run(job, machine, &seconds));
        sum += seconds;
    }
    return sum / calls;
}

static void bench(const struct row *r, uint64_t p, mmm_machine *machines[2], FILE *csv)
{
    static double times[RUNS][ROUNDS];
    const int calls = r->n <= 300 ? 100 : r->n <= 5000 ? 10 : 1, rounds = r->n >= 100000 ? 5 : ROUNDS;
    nmod_poly_t polynomials[RUNS][4];
    bool run[RUNS] = {[ONE] = true,
                      [ALL] = machines[ALL] && r->n >= 4000,
                      [FLINT] = true,
                      [CLASSICAL] = r->n <= CLASSICAL_MOST,
                      [OTHER] = flints[OTHER].multiply};
    mmm_job *job = job_of(machines[ONE], r, p);
    int64_t n, m;
    const uint64_t *a = mmm_job_given(job, 0, &n), *b = mmm_job_given(job, 1, &m);
    for (int k = FLINT; k <= OTHER; k++) {
        if (!run[k]) continue;
        for (int i = 0; i < 4; i++)
            flints[k].init(polynomials[k][i], p);
        for (int64_t i = n; i-- > 0;)
            flints[k].set(polynomials[k][0], i, a[i]);
        for (int64_t i = m; i-- > 0;)
            flints[k].set(polynomials[k][1], i, b[i]);
    }
#if defined(BENCH_NTL)
    run[NTL] = true;
#endif
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < RUNS; k++)
            if (run[k] && k <= ALL)
                times[k][i] = time_job(job, machines[k], calls);
            else if (run[k] && k <= OTHER)
                times[k][i] = time_flint(&flints[k], r->what, polynomials[k], calls);
#if defined(BENCH_NTL)
            else if (run[k])
                times[k][i] = bench_ntl((int)r->what, a, n, b, m, p);
#endif
    printf("%s %lld, %lld modulo %llu, by %s\n", names[r->what], (long long)r->n, (long long)r->m,
           (unsigned long long)p, mmm_job_app(job)->name);
    for (int k = 0; k < RUNS; k++)
        if (run[k]) print_run(csv, names[r->what], r->n, r->m, p, runs[k], times[k], times[ONE], rounds);
    fflush(stdout);
    for (int k = FLINT; k <= OTHER; k++)
        for (int i = 0; run[k] && i < 4; i++)
            flints[k].clear(polynomials[k][i]);
    mmm_job_free(job);
}

int main(int count, char **words)
{
    mmm_machine *machines[2] = {NULL, NULL};
    FILE *csv = count > 1 ? open_csv(words[1]) : NULL;
    must(mmm_machine_open("cpu", &machines[ALL]));
    setenv("OMP_NUM_THREADS", "1", 1);
    must(mmm_machine_open("cpu", &machines[ONE]));
    add_other_flint();
    printf(
        "medians of rounds in turns, with least and most, and how many times that of mmm on one thread they are, with\n"
        "the middle half of the rounds; mmm on %s and %s\n",
        mmm_machine_description(machines[ONE]), mmm_machine_description(machines[ALL]));
    for (size_t k = 0; k < sizeof primes / sizeof *primes; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            bench(&rows[i], primes[k], machines, csv);
    if (csv && fclose(csv) != 0) return 1;
    mmm_machine_free(machines[ONE]);
    mmm_machine_free(machines[ALL]);
    return 0;
}
