/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm in jumps against FLINT, by identities. */
#include "pairs.h"

#include <mmm/app.h>

/* What a run may choose: steps of a jump, threads of a head and of an update, coefficients of a thread, steps at once.
 */
typedef struct setting {
    int64_t s, h, l, r, k;
} setting;

static mmm_job *job_of(setting x)
{
    mmm_job *job;
    assert_ok(mmm_job_new("gcd-jump", &job));
    assert_ok(mmm_job_set(job, "s", x.s));
    assert_ok(mmm_job_set(job, "h", x.h));
    assert_ok(mmm_job_set(job, "l", x.l));
    assert_ok(mmm_job_set(job, "r", x.r));
    assert_ok(mmm_job_set(job, "k", x.k));
    return job;
}

static void test_on_cpu(void **state)
{
    (void)state;
    const setting settings[] = {{0, 1, 8, 8, 1},   {0, 40, 8, 8, 2},  {1, 1, 8, 8, 1},    {7, 1, 4, 8, 1},
                                {60, 1, 8, 1, 1},  {61, 9, 5, 1, 1},  {60, 32, 16, 1, 2}, {100, 96, 8, 8, 2},
                                {30, 32, 1, 0, 2}, {90, 64, 40, 0, 2}};
    CHECK(settings, open_cpu(), 1, 2, 150);
}

static void test_larger_on_cpu(void **state)
{
    (void)state;
    const setting settings[] = {{240, 1, 8, 8, 1}, {240, 64, 16, 1, 2}, {180, 64, 80, 0, 2}};
    CHECK(settings, open_cpu(), 2, 1, 1500);
}

static void test_no_violation(void **state)
{
    (void)state;
    const setting settings[] = {{0, 33, 8, 8, 2},   {5, 3, 3, 8, 1},     {31, 40, 2, 8, 1}, {30, 33, 4, 1, 2},
                                {30, 33, 16, 0, 2}, {60, 100, 16, 8, 2}, {60, 250, 7, 0, 2}};
    for (uint64_t seed = 1; seed <= 2; seed++)
        CHECK(settings, open_abstract(seed), 10 + seed, 1, 80);
}

enum { STATE = 4 }; /* the array of degrees */

/* All forms of the head make the same steps: the degrees they leave are the same, whatever drops. */
static void test_heads_agree(void **state)
{
    (void)state;
    mmm_random random = {7};
    mmm_machine *machine = open_cpu();
    enum { FORMS = 3 };
    mmm_job *jobs[FORMS];
    for (int i = 0; i < FORMS; i++) {
        assert_ok(mmm_job_new("gcd-jump", &jobs[i]));
        assert_ok(mmm_job_set(jobs[i], "s", 90));
        assert_ok(mmm_job_set(jobs[i], "k", i ? 2 : 1));
        assert_ok(mmm_job_set(jobs[i], "r", i < 2));
    }
    for (int round = 0; round < 20 * PRIMES; round++) {
        nmod_poly_t a, b;
        const int32_t *degrees[FORMS];
        nmod_poly_init(a, primes[round % PRIMES]);
        nmod_poly_init(b, primes[round % PRIMES]);
        make_pair(&random, round % KINDS, 300, a, b);
        for (int i = 0; i < FORMS; i++) {
            check_pair(jobs[i], machine, a, b);
            degrees[i] = mmm_job_memory(jobs[i], STATE);
        }
        const int64_t jumps = mmm_program_kernels(mmm_job_program(jobs[0])) / 3;
        for (int64_t j = 0; jumps > 0 && j <= jumps; j++) /* without any there are no degrees */
            for (int i = 0; i < 2; i++)
                for (int form = 1; form < FORMS; form++)
                    assert_int_equal(degrees[0][4 * j + i], degrees[form][4 * j + i]);
        nmod_poly_clear(a);
        nmod_poly_clear(b);
    }
    for (int i = 0; i < FORMS; i++)
        mmm_job_free(jobs[i]);
    mmm_machine_free(machine);
}

/* A head and an update wait for each other, the update of the rest for neither: the longest path has two kernels a
 * jump, of three. */
static void test_two_branches(void **state)
{
    (void)state;
    for (int64_t s = 30; s <= 120; s *= 2) {
        mmm_job *job;
        mmm_shape shape;
        mmm_machine *machine = open_abstract(1);
        int64_t jumps = (200 + 150 - 2 + s) / s;
        assert_ok(mmm_job_new("gcd-jump", &job));
        assert_ok(mmm_job_set(job, "n", 200));
        assert_ok(mmm_job_set(job, "m", 150));
        assert_ok(mmm_job_set(job, "s", s));
        run_checked(job, machine);
        assert_int_equal(mmm_program_kernels(mmm_job_program(job)), 3 * jumps + 2);
        assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
        assert_int_equal(shape.L, 2 * jumps + 2);
        assert_ok(mmm_job_set(job, "r", 0)); /* a chain of heads, each as many blocks as there are tiles */
        run_checked(job, machine);
        assert_int_equal(mmm_program_kernels(mmm_job_program(job)), jumps + 2);
        assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
        assert_int_equal(shape.L, jumps + 2);
        mmm_job_free(job);
        mmm_machine_free(machine);
    }
}

/* Two steps at once are done by 32 threads. */
static void test_few_threads(void **state)
{
    mmm_job *job;
    mmm_machine *machine = open_cpu();
    (void)state;
    assert_ok(mmm_job_new("gcd-jump", &job));
    assert_ok(mmm_job_set(job, "n", 60));
    assert_ok(mmm_job_set(job, "m", 50));
    assert_ok(mmm_job_set(job, "s", 30));
    assert_ok(mmm_job_set(job, "h", 31));
    assert_ok(mmm_job_set(job, "k", 2));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "h=31: a head that does 2 steps at once (k=2) has 32");
    assert_ok(mmm_job_set(job, "k", 1));
    run_checked(job, machine);
    assert_ok(mmm_job_set(job, "r", 0));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "r=0: only heads that do 2 steps at once (k=2)");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* Without updates, where l divides s/2, which divides n+1, and 60 divides s, at most 180: the forms of docs/paper.md.
 */
static void test_without_updates(void **state)
{
    static const int64_t cases[][3] = {{239, 60, 15}, {209, 60, 30}, {359, 120, 20}, {299, 120, 60}, {539, 180, 45}};
    mmm_machine *machine = open_abstract(1);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i][0], s = cases[i][1], l = cases[i][2], jumps = 2 * (n + 1) / s;
        mmm_job *job;
        mmm_shape shape;
        mmm_measures measures;
        assert_ok(mmm_job_new("gcd-jump", &job));
        assert_ok(mmm_job_set(job, "n", n));
        assert_ok(mmm_job_set(job, "m", n));
        assert_ok(mmm_job_set(job, "s", s));
        assert_ok(mmm_job_set(job, "l", l));
        assert_ok(mmm_job_set(job, "r", 0));
        assert_ok(mmm_job_run(job, machine, NULL));
        assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
        assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &measures));
        assert_int_equal(shape.L, jumps + 2);
        assert_int_equal(shape.K, (n + 1) / l);
        assert_int_equal(shape.N, jumps * (n + 1) / l + 2);
        assert_int_equal(measures.span, jumps * (304 * s / 30 - 94) + 155);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

/* Every kernel that takes most in some setting. */
static void test_room(void **state)
{
    const setting settings[] = {{0, 1, 8, 1, 1},     {240, 64, 8, 1, 2}, {1, 64, 8, 8, 2}, {100, 1, 8, 1, 1},
                                {240, 64, 32, 0, 2}, {7, 64, 16, 0, 2},  {7, 1, 32, 1, 1}, {1, 32, 112, 1, 2},
                                {8, 1, 32, 8, 1},    {120, 32, 64, 8, 2}};
    (void)state;
    CHECK_ROOM(settings, 300, 280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),          cmocka_unit_test(test_larger_on_cpu),
        cmocka_unit_test(test_no_violation),    cmocka_unit_test(test_heads_agree),
        cmocka_unit_test(test_two_branches),    cmocka_unit_test(test_few_threads),
        cmocka_unit_test(test_without_updates), cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
