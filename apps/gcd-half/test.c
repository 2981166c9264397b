/* SPDX-License-Identifier: Apache-2.0 */
/* The half-GCD against FLINT, by identities: every kind of degree drop, in leaves of one jump and of several. */
#include "pairs.h"

/* What a run may choose: steps of a jump, jumps of a leaf, threads of a head and of an update, steps at once; levels
 * and columns of kernels of butterflies; whether stages are decided on; large primes. */
typedef struct setting {
    int64_t s, j, h, l, k, e, c, u, large;
} setting;

static mmm_job *job_of(setting x)
{
    mmm_job *job;
    assert_ok(mmm_job_new("gcd-half", &job));
    assert_ok(mmm_job_set(job, "s", x.s));
    assert_ok(mmm_job_set(job, "j", x.j));
    assert_ok(mmm_job_set(job, "h", x.h));
    assert_ok(mmm_job_set(job, "l", x.l));
    assert_ok(mmm_job_set(job, "k", x.k));
    assert_ok(mmm_job_set(job, "e", x.e));
    assert_ok(mmm_job_set(job, "c", x.c));
    assert_ok(mmm_job_set(job, "u", x.u));
    assert_ok(mmm_job_set(job, "large", x.large));
    return job;
}

static void test_on_cpu(void **state)
{
    (void)state;
    const setting settings[] = {
        {1, 1, 1, 8, 1, 8, 16, 0, 0},   {7, 1, 3, 4, 1, 4, 4, 0, 0},
        {60, 1, 1, 8, 1, 8, 16, 0, 0},  {13, 3, 9, 5, 1, 8, 32, 0, 0},
        {30, 2, 33, 16, 2, 8, 1, 0, 0}, {60, 1, 64, 8, 2, 12, 16, 0, 0},
        {7, 1, 3, 4, 1, 4, 4, 1, 0},    {13, 3, 9, 5, 1, 8, 32, 1, 0},
        {4, 2, 1, 32, 1, 8, 16, 0, 0}, /* l above 3 s j + 2 */
        {7, 1, 3, 4, 1, 4, 4, 0, 1},    {13, 3, 9, 5, 1, 8, 32, 1, 1},
    };
    CHECK(settings, open_cpu(), 1, 2, 100);
}

/* Several levels of transforms, several stages. */
static void test_larger_on_cpu(void **state)
{
    (void)state;
    const setting settings[] = {{63, 1, 1, 8, 1, 8, 16, 0, 0},    {255, 1, 1, 8, 1, 6, 8, 0, 0},
                                {60, 4, 64, 16, 2, 12, 32, 0, 0}, {63, 1, 1, 8, 1, 8, 16, 1, 0},
                                {63, 1, 1, 8, 1, 8, 16, 0, 1},    {255, 1, 1, 8, 1, 11, 64, 0, 1}};
    CHECK(settings, open_cpu(), 2, 2, 3000);
}

static void test_no_violation(void **state)
{
    (void)state;
    const setting settings[] = {{20, 1, 3, 8, 1, 8, 16, 0, 0},  {10, 3, 4, 3, 1, 8, 4, 0, 0},
                                {30, 2, 40, 8, 2, 8, 16, 0, 0}, {10, 1, 4, 3, 1, 8, 4, 1, 0},
                                {4, 2, 1, 32, 1, 8, 16, 0, 0},  {10, 3, 4, 3, 1, 8, 4, 0, 1}};
    for (uint64_t seed = 1; seed <= 2; seed++)
        CHECK(settings, open_abstract(seed), 10 + seed, 1, 60);
}

/* Degrees that drop by many at once, at any place: the quotients before and behind it are of low degree. */
static void test_drops(void **state)
{
    (void)state;
    mmm_random random = {6};
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of((setting){31, 1, 1, 8, 1, 8, 16, 0, 0});
    for (int round = 0; round < 40 * PRIMES; round++) {
        nmod_poly_t a, b, q;
        const uint64_t p = primes[round % PRIMES];
        int64_t drop = draw(&random, 2, 400);
        nmod_poly_init(a, p);
        nmod_poly_init(b, p);
        nmod_poly_init(q, p);
        random_polynomial(&random, a, draw(&random, 1, 30)); /* the gcd */
        for (int part = 0; part < 3; part++) {
            const int64_t steps = part == 1 ? 1 : draw(&random, 1, 60);
            for (int64_t i = 0; i < steps; i++) { /* (a, b) := (q a + b, a) */
                random_polynomial(&random, q, part == 1 ? drop : 2);
                nmod_poly_mul(q, q, a);
                nmod_poly_add(q, q, b);
                nmod_poly_swap(b, a);
                nmod_poly_swap(a, q);
            }
        }
        check_pair(job, machine, round % 2 ? a : b, round % 2 ? b : a);
        nmod_poly_clear(a);
        nmod_poly_clear(b);
        nmod_poly_clear(q);
    }
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Primes with some roots of unity, but not for all sizes. */
static void test_few_roots(void **state)
{
    (void)state;
    static const uint64_t rooted[] = {12289, 40961, 65537, 786433, 998244353};
    mmm_random random = {9};
    mmm_machine *machine = open_cpu();
    for (int round = 0; round < 15; round++) {
        mmm_job *job = job_of((setting){round % 2 ? 160 : 80, 1, 1, 8, 1, 8, 16, 0, round % 3 == 2});
        nmod_poly_t a, b;
        nmod_poly_init(a, rooted[round % 5]);
        nmod_poly_init(b, rooted[round % 5]);
        make_pair(&random, round % 3 ? COMMON : RANDOM, 500 << round / 3, a, b);
        check_pair(job, machine, a, b);
        nmod_poly_clear(a);
        nmod_poly_clear(b);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

/* The program depends on lengths alone, and a run on what is given: the same job with other polynomials. */
static void test_again(void **state)
{
    (void)state;
    mmm_random random = {8};
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of((setting){40, 1, 1, 8, 1, 8, 16, 0, 0});
    for (int kind = 0; kind < KINDS; kind++)
        for (int round = 0; round < 3; round++) {
            nmod_poly_t a, b;
            nmod_poly_init(a, 101);
            nmod_poly_init(b, 101);
            make_pair(&random, kind, 500, a, b);
            check_pair(job, machine, a, b);
            check_pair(job, machine, a, b);
            nmod_poly_clear(a);
            nmod_poly_clear(b);
        }
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Stages that are decided on are those that are needed: the higher the degree of the gcd, the fewer; as long as one is,
 * they are the same on every problem of a batch. */
static void test_decided(void **state)
{
    (void)state;
    enum { TERMS = 1500 };
    mmm_random random = {12};
    mmm_machine *machine = open_cpu();
    mmm_job *job = job_of((setting){20, 1, 1, 8, 1, 8, 16, 1, 0});
    int64_t before = 0;
    for (int64_t common = TERMS - 5; common > 0; common -= 373) {
        nmod_poly_t a, b, g;
        mmm_shape shape;
        nmod_poly_init(a, primes[0]);
        nmod_poly_init(b, primes[0]);
        nmod_poly_init(g, primes[0]);
        random_polynomial(&random, g, common);
        random_polynomial(&random, a, TERMS - common + 1);
        random_polynomial(&random, b, TERMS - common + 1);
        nmod_poly_mul(a, a, g);
        nmod_poly_mul(b, b, g);
        check_pair(job, machine, a, b);
        assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
        assert_true(shape.kernels > before); /* the known ones do for the first, and then there are more and more */
        assert_int_equal(shape.unfolded > 0, before > 0);
        before = shape.kernels;
        nmod_poly_clear(a);
        nmod_poly_clear(b);
        nmod_poly_clear(g);
    }
    mmm_job_free(job);
    job = job_of((setting){20, 1, 1, 8, 1, 8, 16, 1, 0});
    assert_ok(mmm_job_set(job, "n", 300));
    assert_ok(mmm_job_set(job, "m", 200));
    assert_ok(mmm_job_set_batch(job, 3));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_job_check(job));
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Two steps at once are done by 32 threads. */
static void test_few_threads(void **state)
{
    mmm_machine *machine = open_cpu();
    (void)state;
    mmm_job *job = job_of((setting){30, 1, 31, 8, 2, 8, 16, 0, 0});
    assert_ok(mmm_job_set(job, "n", 60));
    assert_ok(mmm_job_set(job, "m", 50));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "h=31: a head that does 2 steps at once (k=2) has 32");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Of heads and of updates; where these are short, transforms take more. */
static void test_room(void **state)
{
    const setting settings[] = {{240, 1, 1, 8, 1, 4, 4, 0, 0},
                                {240, 3, 64, 32, 2, 4, 4, 0, 0},
                                {7, 3, 32, 300, 2, 4, 4, 0, 0},
                                {50, 3, 1, 100, 1, 4, 4, 0, 0}};
    (void)state;
    CHECK_ROOM(settings, 900, 880);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),      cmocka_unit_test(test_larger_on_cpu), cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_drops),       cmocka_unit_test(test_again),         cmocka_unit_test(test_few_roots),
        cmocka_unit_test(test_few_threads), cmocka_unit_test(test_decided),       cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
