/* SPDX-License-Identifier: Apache-2.0 */
/* The library short of memory: whatever allocation fails, a call fails with a status and a message, leaks nothing (the
 * sanitizer looks), and works when it is made again.  The linker puts the functions below in place of malloc's for the
 * library's own code, where FLINT's and GMP's memory comes from, too; jansson takes them from here. */
#include "testing.h"

#include "base/json.h"
#include "kernel/generate.h"
#include "mmm/integer.h"
#include "mmm/study.h"

#include <flint/fmpz.h>
#include <flint/fmpq_poly.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static _Atomic long count, first = 0, last = -1;
static _Atomic size_t size_before;

/* Of some of one size in a row, as FLINT makes thousands for its store of numbers, the first counts. */
static bool is_short(size_t size)
{
    const bool counts = atomic_exchange(&size_before, size) != size;
    const long number = counts ? ++count : count;
    return (counts || last > number) && number >= first && number <= last;
}

void *__wrap_malloc(size_t size)
{
    return is_short(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t number, size_t size)
{
    return is_short(number * size) ? NULL : __real_calloc(number, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_short(size) ? NULL : __real_realloc(memory, size);
}

/* Calls `work` with each allocation failing, or, where there are many, `most` of them; then with all from there on. */
static void sweep_some(mmm_status (*work)(void), long most)
{
    mmm_random random = {.state = (uint64_t)time(NULL)};
    last = -1;
    assert_ok(work()); /* what is read once is read */
    count = 0;
    size_before = 0;
    assert_ok(work());
    const long all = count;
    for (long i = 1; i <= all && i <= most; i++)
        for (int persistent = 0; persistent < 2; persistent++) {
            long k = all <= most || i <= most / 4 ? i : 1 + (long)mmm_random_below(&random, (uint64_t)all);
            count = 0;
            size_before = 0;
            first = k;
            last = persistent ? LONG_MAX : k;
            mmm_status status = work();
            last = -1;
            if (status != MMM_OK && status != MMM_MEMORY)
                fail_msg("allocation %ld of %ld: %s: %s", k, all, mmm_status_name(status), mmm_message());
            if (status != MMM_OK && !*mmm_message()) fail_msg("allocation %ld of %ld: no message", k, all);
        }
    assert_ok(work());
}

static void sweep(mmm_status (*work)(void))
{
    sweep_some(work, 100);
}

static mmm_status ask(void)
{
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    const mmm_query query = {.expression = "T1/T > 1", .set = "l=Z/2,s=Z/7", .limit = "n", .solve = "Z"};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("division", &formula));
    TRY(mmm_formula_ask(formula, &query, &answer));
    assert_non_null(answer.text);
    assert_true(answer.decided);
done:
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
    return result;
}

/* Numbers of more than 62 bits: FLINT's store of mpz is used. */
static mmm_status ask_number(void)
{
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    const mmm_query query = {.expression = "(W(s=7)+2^300)/(3^100+log2(1000003))", .evaluate = "n=9973,m=9967,l=8"};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("division", &formula));
    TRY(mmm_formula_ask(formula, &query, &answer));
    assert_non_null(answer.text);
    assert_non_null(answer.decimal);
done:
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
    return result;
}

/* Over Q, where the ends of a call are in FLINT's memory. */
/* The machine stays, so that all is the function's own. */
static mmm_machine *standing;

static mmm_status divide_rationals(void)
{
    mmm_status result = MMM_OK;
    fmpq_poly_t a, b, q, r;
    fmpq_poly_init(a), fmpq_poly_init(b), fmpq_poly_init(q), fmpq_poly_init(r);
    assert_int_equal(fmpq_poly_set_str(a, "4  1/3 -7/5 123456789012345678901234567890 5/7"), 0);
    assert_int_equal(fmpq_poly_set_str(b, "2  98765432109876543210987654321/4 -3/2"), 0);
    TRY(mmm_rational_divide(standing, q, r, a, b, NULL));
    TRY(mmm_rational_multiply(standing, q, q, b, NULL));
    fmpq_poly_add(q, q, r);
    assert_true(fmpq_poly_equal(q, a));
done:
    fmpq_poly_clear(a), fmpq_poly_clear(b), fmpq_poly_clear(q), fmpq_poly_clear(r);
    return result;
}

/* Operands with contents, which are copied without them. */
static mmm_status gcd_integers(void)
{
    mmm_status result = MMM_OK;
    fmpz_poly_t a, b, g, expected;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g), fmpz_poly_init(expected);
    assert_int_equal(fmpz_poly_set_str(a, "3  123456789012345678901234567890 -7 5"), 0);
    assert_int_equal(fmpz_poly_set_str(b, "2  98765432109876543210987654321 -3"), 0);
    assert_int_equal(fmpz_poly_set_str(expected, "2  -35184372088832 6917529027641081856"), 0);
    fmpz_poly_mul(a, a, expected);
    fmpz_poly_scalar_mul_ui(a, a, 77);
    fmpz_poly_mul(b, b, expected);
    fmpz_poly_scalar_mul_ui(b, b, 30);
    fmpz_poly_gcd(expected, a, b);
    TRY(mmm_integer_gcd(standing, g, a, b, NULL));
    assert_true(fmpz_poly_equal(g, expected));
done:
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g), fmpz_poly_clear(expected);
    return result;
}

static mmm_status claims(void)
{
    mmm_formula *formula = NULL;
    mmm_claim *list = NULL;
    int number = 0;
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("radix-sort", &formula));
    TRY(mmm_formula_claims(formula, &list, &number));
    for (int i = 0; i < number; i++)
        assert_true(list[i].id && list[i].section && list[i].states && list[i].follows);
done:
    mmm_claims_free(list, number);
    mmm_formula_free(formula);
    return result;
}

static mmm_status optimize(void)
{
    mmm_formula *formula = NULL;
    mmm_strategy s = {0};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("radix-sort", &formula));
    TRY(mmm_formula_optimize(formula, NULL, NULL, &s));
    assert_true(s.parameter && s.range && s.work && s.overhead && s.best && s.time && s.assumptions && s.verdict);
done:
    mmm_strategy_clear(&s);
    mmm_formula_free(formula);
    return result;
}

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

static mmm_status derive(void)
{
    mmm_derivation derived = {0};
    mmm_status result = mmm_derive("division-naive", NULL, NULL, &derived);
    mmm_derivation_clear(&derived);
    return result;
}

static mmm_status import(void)
{
    mmm_program *p = NULL;
    mmm_status result = mmm_program_import("tests/model/profiles/ncu-raw.csv", &p);
    mmm_program_free(p);
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

static mmm_status generate(void)
{
    mmm_generated out = {0};
    mmm_status result = mmm_generate("apps/radix-sort/kernels.c", NULL, "radix-sort", &out);
    mmm_generated_clear(&out);
    return result;
}

static mmm_status program(void)
{
    mmm_program *p = NULL;
    mmm_shape shape;
    mmm_status result = MMM_OK;
    double makespan;
    char path[64];
    snprintf(path, sizeof path, "build/test-%d-program.json", (int)getpid());
    TRY(mmm_program_read(path, &p));
    TRY(mmm_program_shape(p, &shape));
    TRY(mmm_program_schedule(p, mmm_parameters_builtin(), 2, 1, NULL, NULL, &makespan));
    TRY(mmm_program_write(p, path));
done:
    mmm_program_free(p);
    return result;
}

/* jansson's buffer for a text grows as it reads, again and again; what is read is all of it. */
static mmm_status read_text(void)
{
    static const int length = 20000;
    json_t *root = NULL;
    mmm_status result = MMM_OK;
    char *line = calloc(1, (size_t)length + 16);
    if (!line) return mmm_fail(MMM_MEMORY, "no memory for a text");
    memset(line, 'x', (size_t)length + 2);
    line[0] = line[length + 1] = '"';
    TRY(mmm_json_read("a text", line, length + 2, JSON_DECODE_ANY, &root));
    assert_int_equal(json_string_length(root), length);
done:
    json_decref(root);
    free(line);
    return result;
}

#define TEST_SWEEP(work)                  \
    static void test_##work(void **state) \
    {                                     \
        (void)state;                      \
        sweep(work);                      \
    }
TEST_SWEEP(ask)
TEST_SWEEP(ask_number)
TEST_SWEEP(claims)
TEST_SWEEP(optimize)
TEST_SWEEP(run_division)
TEST_SWEEP(run_gcd)
TEST_SWEEP(run_sort)
TEST_SWEEP(arrays)
TEST_SWEEP(report)
TEST_SWEEP(tune)
TEST_SWEEP(generate)
TEST_SWEEP(run_newton)
TEST_SWEEP(run_half)
TEST_SWEEP(run_ring)
TEST_SWEEP(calls)
TEST_SWEEP(import)
TEST_SWEEP(read_text)

static void sweep_standing(mmm_status (*work)(void))
{
    assert_ok(mmm_machine_open("cpu", &standing));
    sweep_some(work, 500);
    mmm_machine_free(standing);
}

static void test_divide_rationals(void **state)
{
    (void)state;
    sweep_standing(divide_rationals);
}

static void test_gcd_integers(void **state)
{
    (void)state;
    sweep_standing(gcd_integers);
}

static void test_derive(void **state)
{
    (void)state;
    sweep_some(derive, 6);
}

static void test_program(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "build/test-%d-program.json", (int)getpid());
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs("{\"kernels\":[{\"name\":\"A\",\"blocks\":4,\"threads\":32,\"work\":640,\"span\":20,\"overhead_words\":5},"
          "{\"name\":\"B\",\"blocks\":2,\"threads\":32,\"work\":64,\"span\":2,\"overhead_words\":1}],"
          "\"edges\":[[\"A\",\"B\"]]}",
          stream);
    assert_int_equal(fclose(stream), 0);
    sweep(program);
    assert_int_equal(remove(path), 0);
}

/* A program that uses FLINT itself is not in the way, and its numbers are not touched. */
static void test_callers_own(void **state)
{
    fmpz_t before, after;
    (void)state;
    fmpz_init(before);
    fmpz_set_ui(before, 3);
    fmpz_pow_ui(before, before, 1000);
    sweep(ask_number);
    fmpz_init(after);
    fmpz_set_ui(after, 3);
    fmpz_pow_ui(after, after, 1000);
    assert_true(fmpz_equal(before, after));
    fmpz_clear(before);
    fmpz_clear(after);
    flint_cleanup();
}

static void *ask_often(void *context)
{
    _Atomic int *failed = context;
    for (int i = 0; i < 20; i++)
        if (ask_number() != MMM_OK) ++*failed;
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    _Atomic int failed = 0;
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &failed), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failed, 0);
}

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
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_ask),
        cmocka_unit_test(test_ask_number),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_optimize),
        cmocka_unit_test(test_run_division),
        cmocka_unit_test(test_run_gcd),
        cmocka_unit_test(test_run_sort),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_tune),
        cmocka_unit_test(test_generate),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_callers_own),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_run_newton),
        cmocka_unit_test(test_run_half),
        cmocka_unit_test(test_run_ring),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_read_text),
        cmocka_unit_test(test_derive),
        cmocka_unit_test(test_divide_rationals),
        cmocka_unit_test(test_gcd_integers),
    };
    mkdir("build", 0777);
    json_set_alloc_funcs(__wrap_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
