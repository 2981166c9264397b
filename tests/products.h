/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of products share: `make` gives a job of any sizes, whose inputs are given then. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include "jobs.h"

/* A product with 0. */
static inline void check_zero(mmm_job *(*make)(mmm_random *random))
{
    mmm_random random = {1};
    mmm_machine *machines[] = {open_cpu(), open_abstract(3)};
    const uint64_t one[] = {1, 2, 3};
    for (int i = 0; i < 6; i++) {
        const uint64_t *words;
        int64_t count;
        mmm_job *job = make(&random);
        assert_ok(mmm_job_polynomial(job, 0, 101, one, i % 3 == 0 ? 3 : 0));
        assert_ok(mmm_job_polynomial(job, 1, 101, one, i % 3 == 1 ? 3 : 0));
        run_checked(job, machines[i / 3]);
        words = mmm_job_result(job, 0, &count);
        assert_non_null(words);
        assert_int_equal(count, 0);
        mmm_job_free(job);
    }
    mmm_machine_free(machines[0]);
    mmm_machine_free(machines[1]);
}

/* f(x) = a(x) b(x) at random points. */
static inline void check_evaluation(mmm_job *(*make)(mmm_random *random))
{
    mmm_random random = {41};
    mmm_machine *machine = open_cpu();
    for (int i = 0; i < 4 * PRIMES; i++) {
        nmod_poly_t a, b, f;
        mmm_job *job = make(&random);
        nmod_poly_init(a, primes[i % PRIMES]);
        nmod_poly_init(b, primes[i % PRIMES]);
        nmod_poly_init(f, primes[i % PRIMES]);
        random_polynomial(&random, a, draw(&random, 1, 300));
        random_polynomial(&random, b, draw(&random, 1, 300));
        give(job, 0, a);
        give(job, 1, b);
        run_checked(job, machine);
        take(job, f);
        for (int j = 0; j < 5; j++) {
            uint64_t x = mmm_random_below(&random, primes[i % PRIMES]);
            assert_int_equal(nmod_poly_evaluate_nmod(f, x),
                             nmod_mul(nmod_poly_evaluate_nmod(a, x), nmod_poly_evaluate_nmod(b, x), f->mod));
        }
        nmod_poly_clear(a);
        nmod_poly_clear(b);
        nmod_poly_clear(f);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

#endif
