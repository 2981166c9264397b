/* SPDX-License-Identifier: Apache-2.0 */
/* Short of memory, or of threads: runs of applications, functions, reports, tuning. */
#include "short.h"

#include <sys/resource.h>

static mmm_status run_on(const char *app, const char *name)
{
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    mmm_status result = MMM_OK;
    double seconds;
    TRY(mmm_machine_open(name, &machine));
    TRY(mmm_job_new(app, &job));
    TRY(mmm_job_set(job, "n", 60));
    TRY(mmm_job_run(job, machine, &seconds));
    TRY(mmm_job_check(job));
done:
    mmm_job_free(job);
    mmm_machine_free(machine);
    return result;
}

static mmm_status run_division(void)
{
    return run_on("division", "cpu");
}

static mmm_status run_gcd(void)
{
    return run_on("gcd", "abstract");
}

static mmm_status run_sort(void)
{
    return run_on("radix-sort", "cpu");
}

static mmm_status run_newton(void)
{
    return run_on("division-newton", "abstract");
}

static mmm_status run_half(void)
{
    return run_on("gcd-half", "cpu");
}

static mmm_status run_ring(void)
{
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    mmm_status result = MMM_OK;
    TRY(mmm_machine_open("cpu", &machine));
    TRY(mmm_job_new("multiplication-ring", &job));
    TRY(mmm_job_set(job, "n", 64));
    TRY(mmm_job_set(job, "p", 101));
    TRY(mmm_job_run(job, machine, NULL));
    TRY(mmm_job_check(job));
done:
    mmm_job_free(job);
    mmm_machine_free(machine);
    return result;
}

/* Functions whose plans the machine keeps, single and many at once, and a plan of one's own; what fails leaves the
 * machine as it was: the last call is made again with enough memory. */
static mmm_status calls(void)
{
    enum { N = 40, M = 30, BATCH = 3 };
    static uint64_t a[BATCH * N], b[BATCH * M], f[BATCH * (N + M)], q[BATCH * N], r[BATCH * M], g[BATCH * N];
    static uint32_t keys[BATCH * N];
    int64_t f_terms[BATCH], q_terms[BATCH], r_terms[BATCH], g_terms[BATCH];
    const uint64_t p = 2013265921;
    mmm_machine *machine = NULL;
    mmm_plan *plan = NULL;
    mmm_status result = MMM_OK;
    for (int i = 0; i < BATCH * N; i++)
        a[i] = (uint64_t)(i + 1), keys[i] = (uint32_t)(1000 - i);
    for (int i = 0; i < BATCH * M; i++)
        b[i] = (uint64_t)(2 * i + 1);
    TRY(mmm_machine_open("cpu", &machine));
    for (int again = 0; again < 2; again++) {
        TRY(mmm_multiply(machine, p, a, N, b, M, f, f_terms));
        TRY(mmm_divide(machine, p, a, N, b, M, q, q_terms, r, r_terms));
        TRY(mmm_gcd(machine, p, a, N, b, M, g, g_terms));
        assert_int_equal(f[0], 1);
        assert_int_equal(f_terms[0], N + M - 1);
        TRY(mmm_multiply_many(machine, p, BATCH, a, N, b, M, f, f_terms));
        TRY(mmm_divide_many(machine, p, BATCH, a, N, b, M, q, q_terms, r, r_terms));
        TRY(mmm_gcd_many(machine, p, BATCH, a, N, b, M, g, g_terms));
        assert_int_equal(f[N + M - 1], a[N] * b[M]);
        TRY(mmm_sort_many_u32(machine, BATCH, keys, NULL, N));
        assert_true(keys[0] <= keys[1] && keys[N] <= keys[N + 1]);
    }
    TRY(mmm_plan_multiply(machine, p, N, M, BATCH, &plan));
    TRY(mmm_plan_run(plan, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){f_terms}));
    assert_int_equal(f[N + M - 1], a[N] * b[M]);
done:
    if (result != MMM_OK && machine && last < LONG_MAX) {
        last = -1;
        assert_ok(mmm_multiply(machine, p, a, N, b, M, f, f_terms));
        assert_int_equal(f[0], 1);
        mmm_fail(result, "once");
    }
    mmm_plan_free(plan);
    mmm_machine_free(machine);
    return result;
}

/* Polynomials that are large enough for FLINT's quick algorithms. */
static mmm_status arrays(void)
{
    mmm_machine *machine = NULL;
    mmm_array *a = NULL, *f = NULL, *q = NULL, *r = NULL;
    static uint64_t coefficients[3000];
    mmm_status result = MMM_OK;
    for (int i = 0; i < 3000; i++)
        coefficients[i] = (uint64_t)i * 77 % 1009;
    TRY(mmm_machine_open("cpu", &machine));
    TRY(mmm_array_new(machine, 1009, coefficients, 3000, &a));
    TRY(mmm_array_multiply(a, a, &f));
    TRY(mmm_array_divide(f, a, &q, &r));
    TRY(mmm_array_read(q, coefficients));
    assert_int_equal(coefficients[1], 77);
done:
    mmm_array_free(a);
    mmm_array_free(f);
    mmm_array_free(q);
    mmm_array_free(r);
    mmm_machine_free(machine);
    return result;
}

static mmm_status report(void)
{
    mmm_study *study = NULL;
    mmm_job *job = NULL;
    const mmm_trial *trials;
    char page[64];
    int number;
    mmm_status result = MMM_OK;
    mmm_parameters machine = {.name = "test", .U = 8, .Z = 65536, .P = 2, .operation = 1e-9};
    snprintf(page, sizeof page, "build/test-%d.html", (int)getpid());
    TRY(mmm_study_new(&(mmm_study_options){.parameters = &machine, .count = 1, .predict = 1}, &study));
    TRY(mmm_job_new("division", &job));
    TRY(mmm_job_set(job, "n", 60));
    TRY(mmm_job_set(job, "m", 30));
    mmm_job *taken = job;
    job = NULL;
    TRY(mmm_study_add(study, taken, NULL));
    trials = mmm_study_trials(study, &number);
    TRY(mmm_report_html(&(mmm_report_input){.app = mmm_job_app(trials[0].job),
                                            .job = trials[0].job,
                                            .parameter = "s",
                                            .machine = machine,
                                            .trials = trials,
                                            .count = number},
                        page));
    TRY(mmm_report_json(trials[0].analysis, 1, 0, page));
    assert_int_equal(remove(page), 0);
done:
    mmm_job_free(job);
    mmm_study_free(study);
    return result;
}

static mmm_status tune(void)
{
    mmm_job *job = NULL;
    mmm_machine *machine = NULL;
    mmm_tuning tuning = {0};
    mmm_parameters parameters;
    char results[64];
    mmm_status result = MMM_OK;
    snprintf(results, sizeof results, "build/test-%d.t4", (int)getpid());
    TRY(mmm_parameters_read("cpu-epyc", &parameters));
    TRY(mmm_machine_open("cpu", &machine));
    TRY(mmm_job_new("gcd", &job));
    TRY(mmm_job_set(job, "n", 60));
    TRY(mmm_job_set(job, "m", 30));
    TRY(mmm_tune(job, machine, &parameters, &(mmm_tune_options){.dry_run = 1, .results = results}, &tuning));
done:
    mmm_tuning_free(&tuning);
    mmm_job_free(job);
    mmm_machine_free(machine);
    return result;
}

TEST_SWEEP(run_division)
TEST_SWEEP(run_gcd)
TEST_SWEEP(run_sort)
TEST_SWEEP(arrays)
TEST_SWEEP(report)
TEST_SWEEP(tune)
TEST_SWEEP(run_newton)
TEST_SWEEP(run_half)
TEST_SWEEP(run_ring)
TEST_SWEEP(calls)

/* The child of a process that computed computes too. */
static void test_fork(void **state)
{
    mmm_machine *machine;
    uint64_t a[500], f[999];
    int64_t terms;
    int status = 1;
    (void)state;
    for (int i = 0; i < 500; i++)
        a[i] = (uint64_t)i + 1;
    assert_ok(mmm_machine_open("cpu", &machine));
    assert_ok(mmm_multiply(machine, 2013265921, a, 500, a, 500, f, &terms));
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        status = mmm_multiply(machine, 2013265921, a, 500, a, 500, f, &terms);
        mmm_machine_free(machine);
        _exit(status != MMM_OK || f[998] != 250000);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_ok(mmm_multiply(machine, 2013265921, a, 500, a, 500, f, &terms));
    mmm_machine_free(machine);
}

/* Without any thread of its own, and with a wish for too many. */
static void test_no_threads(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        struct rlimit none = {0, 0};
        setenv("OMP_NUM_THREADS", "100000", 1);
        if (run_sort() != MMM_OK) _exit(1);
        if (setrlimit(RLIMIT_NPROC, &none) != 0 || setuid(65534) != 0) _exit(geteuid() == 0 ? 2 : 0);
        if (run_sort() != MMM_OK) _exit(3);
        mmm_status status = ask_number();
        _exit(status == MMM_OK || (status == MMM_MEMORY && strstr(mmm_message(), "thread")) ? 0 : 4);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("the child ends with %x", status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork),     cmocka_unit_test(test_no_threads), cmocka_unit_test(test_run_division),
        cmocka_unit_test(test_run_gcd),  cmocka_unit_test(test_run_sort),   cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_report),   cmocka_unit_test(test_tune),       cmocka_unit_test(test_run_newton),
        cmocka_unit_test(test_run_half), cmocka_unit_test(test_run_ring),   cmocka_unit_test(test_calls),
    };
    mkdir("build", 0777);
    json_set_alloc_funcs(__wrap_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
