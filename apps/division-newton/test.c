/* SPDX-License-Identifier: Apache-2.0 */
/* Division with products by transforms: equal to FLINT on both machines, whatever sizes, slices and primes. */
#include "divisions.h"

static void divide(int64_t s, int64_t c, int64_t w, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b,
                   int64_t m)
{
    mmm_job *job;
    assert_ok(mmm_job_new("division-newton", &job));
    assert_ok(mmm_job_set(job, "s", s));
    assert_ok(mmm_job_set(job, "c", c));
    assert_ok(mmm_job_set(job, "w", w));
    assert_ok(mmm_job_polynomial(job, 0, p, a, n));
    assert_ok(mmm_job_polynomial(job, 1, p, b, m));
    check_job(job);
    mmm_job_free(job);
}

/* Slices of few quotients: as many as levels make them pay in time. */
static void divide_all(int64_t s, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m)
{
    divide(4 + s % 9, 16, n / 3 + s, p, a, n, b, m);
}

static uint64_t *random_words(mmm_random *random, uint64_t p, int64_t count)
{
    uint64_t *words = malloc((size_t)count * sizeof *words);
    assert_non_null(words);
    for (int64_t i = 0; i < count; i++)
        words[i] = mmm_random_below(random, p);
    words[count - 1] = 1 + mmm_random_below(random, p - 1);
    return words;
}

/* A division of n by m random terms; every third time all of a but the highest and the lowest term is 0. */
static void check_sizes(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t w, uint64_t seed)
{
    mmm_random random = {seed};
    uint64_t *a = random_words(&random, p, n), *b = random_words(&random, p, m);
    mmm_job *job;
    for (int64_t i = 1; seed % 3 == 0 && i < n - 1; i++)
        a[i] = 0;
    assert_ok(mmm_job_new("division-newton", &job));
    assert_ok(mmm_job_set(job, "s", draw(&random, 1, 12)));
    assert_ok(mmm_job_set(job, "c", (int64_t)1 << draw(&random, 0, 6)));
    assert_ok(mmm_job_set(job, "w", w));
    assert_ok(mmm_job_set(job, "large", draw(&random, 0, 1)));
    assert_ok(mmm_job_polynomial(job, 0, p, a, n));
    assert_ok(mmm_job_polynomial(job, 1, p, b, m));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_job_check(job));
    if (machine == machines[0]) assert_int_equal(mmm_machine_counts(machine)->violation_count, 0);
    mmm_job_free(job);
    free(a);
    free(b);
}

/* All sizes: quotients and divisors few and many, in one slice or several. */
static void test_sizes(void **state)
{
    mmm_random random = {5};
    (void)state;
    for (int round = 0; round < 12 * PRIMES; round++) {
        int64_t m = draw(&random, 1, round % 2 ? 20000 : 60), n = m + draw(&random, -1, round % 3 ? 20000 : 90);
        check_sizes(machines[1], primes[round % PRIMES], n > 0 ? n : 1, m,
                    round % 4 ? 1 << 23 : draw(&random, 500, 4000), (uint64_t)round);
    }
}

/* Quotients and divisors of about a power of two, where transforms grow and few quotients are apart. */
static void test_powers_of_two(void **state)
{
    (void)state;
    for (int64_t quotients = 1024; quotients <= 4096; quotients *= 2)
        for (int64_t few = -2; few <= 34; few = few < 3 ? few + 1 : few == 3 ? 31 : few + 1)
            for (int64_t m = 1023; m <= 1026; m++)
                check_sizes(machines[1], primes[(uint64_t)(few + m) % PRIMES], quotients + few + m - 1, m, 1 << 23,
                            (uint64_t)(few + 2));
}

/* Several levels of Newton's iteration by transforms on the abstract machine. */
static void test_no_violation(void **state)
{
    (void)state;
    for (int i = 0; i < PRIMES; i++) {
        check_sizes(machines[0], primes[i], 6000, 1500, i % 2 ? 1 << 23 : 1300, (uint64_t)i);
        check_sizes(machines[0], primes[i], 2100 + 35 * i, 1060, 1 << 23, (uint64_t)i + 1);
    }
}

/* Products whose residues are in two shares, and one quotient or two before the others. */
static void test_shares(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * PRIMES; i++) {
        mmm_random random = {(uint64_t)i};
        const uint64_t p = primes[i / 2];
        const int64_t m = 2300 + 1900 * (i % 2), n = m + 4096 + i % 3;
        uint64_t *a = random_words(&random, p, n), *b = random_words(&random, p, m);
        divide(8, 64, 1 << 23, p, a, n, b, m);
        free(a);
        free(b);
    }
}

static void test_errors(void **state)
{
    (void)state;
    check_errors("division-newton", "n, m, s, c, w, large, p, seed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_hostile),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_powers_of_two), cmocka_unit_test(test_no_violation), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
