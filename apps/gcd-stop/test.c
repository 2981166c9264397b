/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm that stops when it is done, against FLINT; its DAG against that of `gcd`. */
#include "pairs.h"

#include <mmm/model.h>

static mmm_job *job_of(const char *app, int64_t s, int64_t r)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "s", s));
    if (r) assert_ok(mmm_job_set(job, "r", r));
    return job;
}

static void check_kinds(const int64_t (*settings)[2], mmm_machine *machine, uint64_t seed, int rounds, int64_t terms)
{
    mmm_random random = {seed};
    for (int i = 0; settings[i][0]; i++) {
        mmm_job *job = job_of("gcd-stop", settings[i][0], settings[i][1]);
        check_pairs(job, machine, &random, rounds, terms);
        mmm_job_free(job);
    }
    mmm_machine_free(machine);
}

static void test_on_cpu(void **state)
{
    (void)state;
    check_kinds((const int64_t[][2]){{1, 1}, {1, 7}, {2, 3}, {3, 1}, {7, 2}, {16, 1}, {64, 1}, {0, 0}}, open_cpu(), 1,
                2, 100);
    check_kinds((const int64_t[][2]){{16, 4}, {64, 2}, {0, 0}}, open_cpu(), 2, 1, 900);
}

static void test_no_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        check_kinds((const int64_t[][2]){{1, 2}, {3, 1}, {5, 3}, {16, 1}, {0, 0}}, open_abstract(seed), 10 + seed, 1,
                    60);
}

static mmm_analysis counted(mmm_machine *machine, const mmm_parameters *parameters, mmm_job *job, int64_t n, int64_t m)
{
    static const int64_t P[] = {1, 8, 132};
    mmm_analysis analysis;
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_job_check(job));
    assert_int_equal(mmm_machine_counts(machine)->violation_count, 0);
    assert_ok(mmm_analysis_make(&analysis, mmm_job_program(job), parameters, P, 3, 1));
    return analysis;
}

/* Without a common factor the DAG that came out is that of `gcd`, kernel by kernel, and each r of its calls were
 * decided on; that is what it costs. */
static void test_counts(void **state)
{
    (void)state;
    mmm_parameters machine = {.name = "x", .U = 100, .Z = 12288, .threads = 1024, .decide = 700};
    mmm_machine *abstract;
    assert_ok(mmm_machine_open_abstract(&machine, 1, &abstract));
    for (int64_t r = 1; r <= 8; r *= 2)
        for (int64_t n = 200; n <= 300; n += 50) {
            const int64_t m = 200, s = 10, calls = (n + m - 2 - (n - m + 1) / s * s + s - 1) / s;
            mmm_job *plain = job_of("gcd", s, 0), *stop = job_of("gcd-stop", s, r);
            const mmm_analysis a = counted(abstract, &machine, plain, n, m),
                               b = counted(abstract, &machine, stop, n, m);
            assert_int_equal(a.shape.N, b.shape.N);
            assert_int_equal(a.shape.L, b.shape.L);
            assert_int_equal(a.shape.K, b.shape.K);
            assert_int_equal(a.measures.work, b.measures.work);
            assert_int_equal(a.measures.span, b.measures.span);
            assert_int_equal(a.measures.overhead_words, b.measures.overhead_words);
            assert_true(a.measures.C == b.measures.C);
            assert_int_equal(b.shape.unfolded, calls - r);
            assert_int_equal(b.shape.decisions, (calls - 1) / r);
            const double more = machine.decide * (double)b.shape.decisions;
            assert_true(b.measures.burdened_span == (double)a.measures.span + more);
            for (int i = 0; i < 3; i++)
                assert_true(b.bounds[i].bound == a.bounds[i].bound + more);
            mmm_job_free(plain);
            mmm_job_free(stop);
        }
    mmm_machine_free(abstract);
}

/* With a common factor of d terms one polynomial is 0 after n + m - 2 d steps: s of its zeros are seen in the kernel
 * behind, and at most r - 1 more kernels run before that is looked at. */
static void test_stops(void **state)
{
    (void)state;
    enum { TERMS = 600, S = 10 };
    mmm_machine *machine = open_cpu();
    for (int64_t r = 1; r <= 4; r++)
        for (int64_t d = 2; d <= TERMS; d += 99) {
            mmm_job *job = job_of("gcd-stop", S, r);
            assert_ok(mmm_job_set(job, "n", TERMS));
            assert_ok(mmm_job_set(job, "m", TERMS));
            assert_ok(mmm_job_set(job, "d", d));
            assert_ok(mmm_job_run(job, machine, NULL));
            assert_ok(mmm_job_check(job));
            const int64_t most = (2 * TERMS - 2 * d) / S + 3 + r, all = (2 * TERMS - 2) / S + 2;
            const int kernels = mmm_program_kernels(mmm_job_program(job));
            if (kernels > most + 1 && kernels > all) fail_msg("d=%d r=%d: %d kernels", (int)d, (int)r, kernels);
            if (d > TERMS / 2) assert_true(kernels <= most + 1);
            mmm_job_free(job);
        }
    mmm_machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_cpu),
        cmocka_unit_test(test_no_violation),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
