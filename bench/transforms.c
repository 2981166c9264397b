/* SPDX-License-Identifier: Apache-2.0 */
/* Products by transforms on the CPU beside FLINT's own choice of algorithm, both measured in one run, in turns: medians
 * with smallest and largest.  OMP_NUM_THREADS=1 for one core. */
#include "bench.h"
#include "mmm/study.h"

#include <flint/nmod_poly.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15 };

static double summary(double *values)
{
    sort_times(values, ROUNDS);
    printf("%10.4f ms (%.4f to %.4f)", values[ROUNDS / 2] * 1e3, values[0] * 1e3, values[ROUNDS - 1] * 1e3);
    return values[ROUNDS / 2];
}

static void bench_product(mmm_machine *machine, int64_t n, int64_t s, int64_t c, uint64_t p)
{
    mmm_job *job;
    double ours[ROUNDS], theirs[ROUNDS];
    must(mmm_job_new("multiplication-ntt", &job));
    must(mmm_job_set(job, "n", n));
    must(mmm_job_set(job, "m", n));
    must(mmm_job_set(job, "s", s));
    must(mmm_job_set(job, "c", c));
    must(mmm_job_set(job, "p", (int64_t)p));
    must(mmm_job_run(job, machine, NULL));
    must(mmm_job_check(job));
    nmod_poly_t a, b, f;
    flint_rand_t state;
    flint_randinit(state);
    nmod_poly_init(a, p);
    nmod_poly_init(b, p);
    nmod_poly_init(f, p);
    nmod_poly_randtest_monic(a, state, n);
    nmod_poly_randtest_monic(b, state, n);
    for (int i = 0; i < ROUNDS; i++) {
        must(mmm_job_run(job, machine, &ours[i]));
        double start = mmm_now();
        nmod_poly_mul(f, a, b);
        theirs[i] = mmm_now() - start;
    }
    printf("multiplication-ntt %7lld^2 s=%-2lld c=%-3lld p=%-20llu", (long long)n, (long long)s, (long long)c,
           (unsigned long long)p);
    double x = summary(ours);
    printf("  FLINT");
    double y = summary(theirs);
    printf("  ratio %.2f\n", y / x);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    nmod_poly_clear(f);
    flint_randclear(state);
    mmm_job_free(job);
}

int main(void)
{
    static const uint64_t primes[] = {2013265921, 2147483647, 1152921504606846883u};
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine));
    for (int i = 0; i < 3; i++) {
        bench_product(machine, 1024, 12, 32, primes[i]);
        bench_product(machine, 4096, 12, 32, primes[i]);
        bench_product(machine, 65536, 8, 64, primes[i]);
        bench_product(machine, 1 << 20, 9, 16, primes[i]);
    }
    mmm_machine_free(machine);
    return 0;
}
