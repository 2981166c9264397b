/* SPDX-License-Identifier: Apache-2.0 */
/* Every exported function with NULL for each pointer in turn, and with numbers, names and structs that nobody should
 * hand over: each call in a child of its own, which must end with the status and the one-line message that are due, and
 * not by a signal.  tests/checks/nonsense.sh sees that no function is missing here. */
#include "testing.h"

#include "mmm/app.h"
#include "mmm/formula.h"
#include "mmm/engine.h"
#include "mmm/integer.h"
#include "mmm/kernel.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- Cases by number: listed first, then called, each in a child ---------------------------------------------------
 */

enum { CASES_MOST = 4096, SECONDS = 120 };

static const char *cases[CASES_MOST];
static int count, turn; /* turn: the case to call, -1: list all */

static bool is_turn(const char *text)
{
    if (turn < 0) cases[count] = text;
    return count++ == turn;
}

#define SILENT "nothing was said"

/* In the child: what is wrong with the outcome goes to standard error, and makes it end with 1. */
static void require(bool right, const char *text, const char *what, int status)
{
    const char *message = mmm_message();
    if (right && !strchr(message, '\n')) return;
    fprintf(stderr, "%s: %s (%d, \"%s\")\n", text, what, status, message);
    _exit(1);
}

static void judge(const char *text, mmm_status status, bool only_invalid)
{
    require(strcmp(mmm_message(), SILENT) != 0 && *mmm_message(), text, "no message", (int)status);
    if (only_invalid)
        require(status == MMM_INVALID, text, "MMM_INVALID is due", (int)status);
    else
        require(status == MMM_INVALID || status == MMM_TOO_LARGE || status == MMM_IO, text, "a refusal is due",
                (int)status);
}

#define INVALID(call) \
    if (is_turn(#call)) judge(#call, (call), true)
#define REFUSED(call) \
    if (is_turn(#call)) judge(#call, (call), false)
#define WORKS(call) \
    if (is_turn(#call)) require((call) == MMM_OK, #call, "MMM_OK is due", 0)
#define SURVIVES(call) \
    if (is_turn(#call)) (void)(call)
#define IS(test) \
    if (is_turn(#test)) require((test), #test, "does not hold", 0)
#define DOES(call) \
    if (is_turn(#call)) call

/* ---- What is right, so that one thing at a time is wrong ------------------------------------------------------------
 */

static mmm_machine *machine, *cpu;
static mmm_job *job, *fresh, *sort;
static mmm_program *program, *data, *out_program;
static mmm_formula *formula;
static mmm_parameters good;
static mmm_analysis analysis;
static mmm_study *study;
static mmm_array *x, *y;
static char *endless;           /* 100 KB */
static const char *volatile no; /* NULL that no compiler sees */
static char path[64];

static uint64_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[4] = {1, 2, 3, 4}, f[16], g[16];
static int64_t terms, other_terms, both_terms[2], other_both[2], lengths[4] = {4, 1, 1, 1}, sms[MMM_BOUNDS_MOST] = {4};
static uint32_t keys[4] = {4, 3, 2, 1};
static mmm_parameters bad[24];
static mmm_factors wrong_factors[3];
static int bad_count;

static const enum { LOW = INT32_MIN, HIGH = INT32_MAX } numbers[] = {LOW, -1, HIGH};
enum { NUMBERS = 3 };

static mmm_parameters *make_bad(void)
{
    assert_true(bad_count < (int)(sizeof bad / sizeof *bad));
    bad[bad_count] = good;
    return &bad[bad_count++];
}

static void make_parameters(void)
{
    good = *mmm_parameters_builtin();
    good.operation = 1e-9;
    make_bad()->U = NAN;
    make_bad()->U = INFINITY;
    make_bad()->U = -1;
    make_bad()->U = 0;
    make_bad()->Z = -5;
    make_bad()->Z = 0;
    make_bad()->P = -1;
    make_bad()->threads = INT64_MIN;
    make_bad()->lanes = -3;
    make_bad()->launch = NAN;
    make_bad()->barrier = -1;
    make_bad()->operation = INFINITY;
    memset(make_bad()->name, 'x', sizeof good.name);
    strcpy(make_bad()->rates[0].app, "division");
    bad[bad_count - 1].rates[0].word = NAN;
    make_bad()->constants[MMM_CONSTANT_STEP] = 1e-8; /* and no others */
    make_bad()->constants[MMM_CONSTANT_PART] = -1;
    memset(wrong_factors[0].app, 'x', sizeof wrong_factors[0].app);
    strcpy(wrong_factors[1].app, "division");
    wrong_factors[1].factors[0] = NAN;
    strcpy(wrong_factors[2].app, "division");
    wrong_factors[2].features = 99;
    for (int i = 0; i < 3; i++) {
        make_bad()->factors = &wrong_factors[i];
        bad[bad_count - 1].factor_count = 1;
    }
    make_bad()->factor_count = 1; /* and none there */
    make_bad()->factor_count = INT32_MIN;
    memset(make_bad()->rates[0].app, 'x', sizeof good.rates[0].app);
    make_bad()->gpu[MMM_GPU_LAUNCH] = 500; /* and no others */
    make_bad()->gpu[MMM_GPU_CACHE] = NAN;
}

static void make_fixtures(void)
{
    const mmm_cost cost = {.blocks = 4, .work = 40, .span = 10, .span_thread = 10, .reads = 2, .writes = 1};
    make_parameters();
    assert_ok(mmm_machine_open_abstract(&good, 1, &machine));
    assert_ok(mmm_machine_open("cpu", &cpu));
    assert_ok(mmm_job_new("division", &job));
    assert_ok(mmm_job_set(job, "n", 40));
    assert_ok(mmm_job_set(job, "m", 20));
    assert_ok(mmm_job_set(job, "s", 4));
    assert_ok(mmm_job_run(job, machine, NULL));
    program = mmm_job_program(job);
    assert_ok(mmm_job_new("division", &fresh));
    assert_ok(mmm_job_new("radix-sort", &sort));
    assert_ok(mmm_program_new(&data));
    assert_ok(mmm_program_add(data, "k", 4, 2, NULL));
    assert_ok(mmm_program_add(data, "l", 4, 2, NULL));
    assert_ok(mmm_program_depend(data, 0, 1));
    assert_ok(mmm_program_set_costs(data, 0, &cost, 1));
    assert_ok(mmm_program_set_costs(data, 1, &cost, 1));
    assert_ok(mmm_formula_open("division", &formula));
    assert_ok(mmm_analysis_make(&analysis, data, &good, sms, 1, 1));
    analysis.app = "k";
    assert_ok(mmm_study_new(&(mmm_study_options){0}, &study));
    assert_ok(mmm_array_new(machine, 101, a, 8, &x));
    assert_ok(mmm_array_new(machine, 101, b, 4, &y));
    endless = malloc(100001);
    assert_non_null(endless);
    memset(endless, 'x', 100000);
    endless[100000] = 0;
    snprintf(path, sizeof path, "build/nonsense-%d", (int)getpid());
}

static void free_fixtures(void)
{
    mmm_array_free(x);
    mmm_array_free(y);
    mmm_study_free(study);
    mmm_formula_free(formula);
    mmm_program_free(data);
    mmm_job_free(sort);
    mmm_job_free(fresh);
    mmm_job_free(job);
    mmm_machine_free(cpu);
    mmm_machine_free(machine);
    free(endless);
    unlink(path);
}

static int endless_progress(void *context, double done)
{
    (void)context;
    return done > 2;
}

/* ---- mmm.h ----------------------------------------------------------------------------------------------------------
 */

static void status_cases(void)
{
    IS(*mmm_version());
    IS(mmm_message() != NULL);
    IS(strcmp(mmm_status_name((mmm_status)-1), "unknown") == 0);
    IS(strcmp(mmm_status_name((mmm_status)LOW), "unknown") == 0);
    IS(strcmp(mmm_status_name((mmm_status)1000), "unknown") == 0);
    IS(mmm_fail(MMM_INVALID, no) == MMM_INVALID);
    IS(mmm_fail((mmm_status)77, "%s", endless) == (mmm_status)77);
}

static void machine_cases(void)
{
    mmm_machine *out;
    int64_t in = 1, back = 1;
    INVALID(mmm_machine_open(NULL, &out));
    INVALID(mmm_machine_open("cpu", NULL));
    INVALID(mmm_machine_open("", &out));
    INVALID(mmm_machine_open(endless, &out));
    INVALID(mmm_machine_open("cuda:-1", &out));
    INVALID(mmm_machine_open("cuda:99999999999999999999", &out));
    DOES(mmm_machine_free(NULL));
    IS(*mmm_machine_description(NULL) == 0);
    IS(mmm_machine_has_time(NULL) == 0);
    DOES(mmm_machine_list(NULL, NULL));
    DOES(mmm_machine_set_time_limit(NULL, 1));
    DOES(mmm_machine_set_time_limit(machine, NAN));
    DOES(mmm_machine_set_time_limit(machine, -1));
    INVALID(mmm_machine_set_launches(NULL, 1));
    INVALID(mmm_machine_set_launches(machine, 0));
    INVALID(mmm_machine_set_launches(machine, -1));
    INVALID(mmm_machine_set_launches(machine, 1001));
    INVALID(mmm_machine_set_launches(machine, 2)); /* no CUDA device */
    WORKS(mmm_machine_set_launches(machine, 1));
    IS((mmm_machine_transferred(NULL, &in, &back), in == 0 && back == 0));
    DOES(mmm_machine_transferred(machine, NULL, NULL));
    DOES(mmm_machine_on_progress(NULL, endless_progress, NULL));
    WORKS((mmm_machine_on_progress(machine, NULL, NULL), mmm_job_run(job, machine, NULL)));
    IS(mmm_machine_counts(NULL) == NULL);
    INVALID(mmm_machine_open_abstract(NULL, 1, &out));
    INVALID(mmm_machine_open_abstract(&good, 1, NULL));
    for (int i = 0; i < bad_count; i++)
        INVALID(mmm_machine_open_abstract(&bad[i], 1, &out));
    INVALID(mmm_machine_run(NULL, program, NULL));
    INVALID(mmm_machine_run(machine, NULL, NULL));
    INVALID(mmm_machine_run(machine, data, NULL)); /* has no code */
    INVALID(mmm_machine_fetch(NULL, program, 0, 0, 1));
    INVALID(mmm_machine_fetch(machine, NULL, 0, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, -1, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, 1000, 0, 1));
    INVALID(mmm_machine_fetch(machine, program, 0, -1, 1));
    INVALID(mmm_machine_fetch(machine, program, 0, 1, INT64_MAX));
    INVALID(mmm_machine_fetch(machine, program, 0, INT64_MAX, INT64_MAX));
}

static void function_cases(void)
{
    assert_null(mmm_fastest(NULL, "gcd", 101, 8, 4));
    assert_null(mmm_fastest(machine, NULL, 101, 8, 4));
    assert_null(mmm_fastest(machine, "sort", 101, 8, 4));
    assert_non_null(mmm_fastest(machine, "gcd", 0, INT64_MIN, INT64_MAX));
    assert_non_null(mmm_fastest(machine, "division", UINT64_MAX, INT64_MIN, INT64_MAX));
    INVALID(mmm_job_usual(NULL, machine));
    INVALID(mmm_multiply(NULL, 101, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, NULL, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, NULL, 4, f, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, b, 4, NULL, &terms));
    INVALID(mmm_multiply(machine, 101, a, 8, b, 4, f, NULL));
    INVALID(mmm_multiply(machine, 100, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 0, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, UINT64_MAX, a, 8, b, 4, f, &terms));
    INVALID(mmm_multiply(machine, 2, a, 8, b, 4, f, &terms)); /* coefficients are not below p */
    INVALID(mmm_multiply(machine, 101, a, -1, b, 4, f, &terms));
    REFUSED(mmm_multiply(machine, 101, a, INT64_MAX, b, 4, f, &terms));
    REFUSED(mmm_multiply(machine, 101, a, 8, b, INT64_MAX, f, &terms));
    WORKS(mmm_multiply(machine, 101, NULL, 0, b, 4, NULL, &terms));
    INVALID(mmm_divide(NULL, 101, a, 8, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, NULL, 8, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, NULL, 4, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, NULL, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, NULL, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, &terms, NULL, &other_terms));
    INVALID(mmm_divide(machine, 101, a, 8, b, 4, f, &terms, g, NULL));
    INVALID(mmm_divide(machine, 101, a, 8, b, 0, f, &terms, g, &other_terms));
    INVALID(mmm_divide(machine, 101, a, INT64_MIN, b, 4, f, &terms, g, &other_terms));
    REFUSED(mmm_divide(machine, 101, a, INT64_MAX, b, 4, f, &terms, g, &other_terms));
    INVALID(mmm_gcd(NULL, 101, a, 8, b, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, NULL, 8, b, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, NULL, 4, f, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, b, 4, NULL, &terms));
    INVALID(mmm_gcd(machine, 101, a, 8, b, 4, f, NULL));
    INVALID(mmm_gcd(machine, 101, a, 8, b, -4, f, &terms));
    REFUSED(mmm_gcd(machine, 101, a, 8, b, INT64_MAX, f, &terms));
    WORKS(mmm_gcd(machine, 101, NULL, 0, NULL, 0, NULL, &terms));
    INVALID(mmm_sort_u32(NULL, keys, NULL, 4));
    INVALID(mmm_sort_u32(machine, NULL, NULL, 4));
    INVALID(mmm_sort_u32(machine, keys, NULL, -1));
    REFUSED(mmm_sort_u32(machine, keys, NULL, INT64_MAX));
    INVALID(mmm_sort_u64(NULL, a, b, 4));
    INVALID(mmm_sort_u64(machine, NULL, b, 4));
    INVALID(mmm_sort_u64(machine, a, b, INT64_MIN));
    REFUSED(mmm_sort_u64(machine, a, b, INT64_MAX / 8));
    WORKS(mmm_sort_u64(machine, NULL, NULL, 0));
}

static void many_cases(void)
{
    INVALID(mmm_multiply_many(NULL, 101, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 100, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, -1, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, INT64_MAX, a, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, NULL, 4, b, 2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, -2, f, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms));
    INVALID(mmm_multiply_many(machine, 101, 2, a, 4, b, 2, f, NULL));
    WORKS(mmm_multiply_many(machine, 101, 0, NULL, 4, NULL, 2, NULL, NULL));
    WORKS(mmm_multiply_many(machine, 101, 2, NULL, 0, b, 2, NULL, both_terms));
    INVALID(mmm_divide_many(NULL, 101, 2, a, 4, b, 2, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, NULL, 2, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 0, f, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms, g, other_both));
    INVALID(mmm_divide_many(machine, 101, 2, a, 4, b, 2, f, both_terms, g, NULL));
    WORKS(mmm_divide_many(machine, 101, 2, NULL, 0, b, 2, NULL, both_terms, g, other_both));
    INVALID(mmm_gcd_many(NULL, 101, 2, a, 4, b, 2, f, both_terms));
    INVALID(mmm_gcd_many(machine, 101, INT64_MIN, a, 4, b, 2, f, both_terms));
    INVALID(mmm_gcd_many(machine, 101, 2, a, 4, b, 2, NULL, both_terms));
    WORKS(mmm_gcd_many(machine, 101, 2, NULL, 0, b, 2, f, both_terms));
    INVALID(mmm_sort_many_u32(NULL, 2, keys, NULL, 2));
    INVALID(mmm_sort_many_u32(machine, -2, keys, NULL, 2));
    INVALID(mmm_sort_many_u32(machine, 2, NULL, NULL, 2));
    INVALID(mmm_sort_many_u64(machine, 2, a, b, -1));
    WORKS(mmm_sort_many_u64(machine, 2, NULL, NULL, 0));
}

static void plan_cases(void)
{
    const void *const inputs[] = {a, b}, *const nothing[] = {NULL, NULL};
    void *const outputs[] = {f};
    static mmm_plan *plan;
    mmm_plan *out;
    mmm_job *given;
    INVALID(mmm_plan_multiply(NULL, 101, 4, 2, 1, &out));
    INVALID(mmm_plan_multiply(machine, 101, 4, 2, 1, NULL));
    INVALID(mmm_plan_multiply(machine, 101, 0, 2, 1, &out));
    INVALID(mmm_plan_multiply(machine, 101, 4, 2, INT64_MAX, &out));
    INVALID(mmm_plan_divide(machine, 1, 4, 2, 1, &out));
    INVALID(mmm_plan_gcd(machine, 101, 4, INT64_MAX, 1, &out));
    INVALID(mmm_plan_sort(machine, 4, 33, 0, 1, &out));
    INVALID(mmm_plan_sort(machine, -1, 32, 0, 1, &out));
    INVALID(mmm_plan_take(NULL, machine, &out));
    INVALID((mmm_job_new("gcd-jump", &given), mmm_plan_take(given, NULL, &out)));
    INVALID((mmm_job_new("gcd-jump", &given), mmm_plan_take(given, machine, NULL)));
    if (!plan) assert_ok(mmm_plan_multiply(machine, 101, 4, 2, 1, &plan));
    INVALID(mmm_plan_run(NULL, inputs, outputs, NULL));
    INVALID(mmm_plan_run(plan, NULL, outputs, NULL));
    INVALID(mmm_plan_run(plan, inputs, NULL, NULL));
    INVALID(mmm_plan_run(plan, nothing, outputs, NULL));
    WORKS(mmm_plan_run(plan, inputs, outputs, NULL));
    IS(mmm_plan_room(plan, 0) == 5);
    IS(mmm_plan_room(plan, -1) == 0);
    IS(mmm_plan_room(NULL, 0) == 0);
    IS(mmm_plan_seconds(NULL) == 0);
    DOES(mmm_plan_free(NULL));
    mmm_plan_free(plan);
    plan = NULL;
}

static void integer_cases(void)
{
    static fmpz_poly_struct u, v, w, zero;
    static mmm_integer_facts facts;
    if (!u.length) {
        fmpz_poly_set_str(&u, "3  -1 0 1");
        fmpz_poly_set_str(&v, "2  1 1");
    }
    INVALID(mmm_integer_multiply(NULL, &w, &u, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, NULL, &u, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, &w, NULL, &v, &facts));
    INVALID(mmm_integer_multiply(cpu, &w, &u, NULL, &facts));
    WORKS(mmm_integer_multiply(cpu, &w, &u, &v, NULL));
    INVALID(mmm_integer_gcd(NULL, &w, &u, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, NULL, &u, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, &w, NULL, &v, &facts));
    INVALID(mmm_integer_gcd(cpu, &w, &u, NULL, &facts));
    WORKS(mmm_integer_gcd(cpu, &w, &u, &v, NULL));
    INVALID(mmm_integer_divide(NULL, &w, NULL, &u, &v, &facts));
    INVALID(mmm_integer_divide(cpu, NULL, NULL, &u, &v, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, NULL, &v, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, &u, NULL, &facts));
    INVALID(mmm_integer_divide(cpu, &w, NULL, &u, &zero, &facts));
    WORKS(mmm_integer_divide(cpu, &w, NULL, &u, &v, NULL));
    INVALID(mmm_integer_read(no, &w));
    INVALID(mmm_integer_read("/dev/null", NULL));
    REFUSED(mmm_integer_read("/dev/null/a.poly", &w));
    fmpz_poly_struct *rows;
    int64_t row_count;
    INVALID(mmm_integer_read_rows(no, &rows, &row_count));
    INVALID(mmm_integer_read_rows("/dev/null", NULL, &row_count));
    INVALID(mmm_integer_read_rows("/dev/null", &rows, NULL));
    INVALID(mmm_integer_read_rows("/dev/null", &rows, &row_count));
    REFUSED(mmm_integer_read_rows("/dev/null/a.poly", &rows, &row_count));
    mmm_integer_rows_free(NULL, 3);
    INVALID(mmm_integer_write(NULL, "/dev/null"));
    INVALID(mmm_integer_write(&u, no));
    REFUSED(mmm_integer_write(&u, "/dev/null/a.poly"));
    INVALID(mmm_integer_check(NULL, &u, &v, &w, NULL, NULL));
    INVALID(mmm_integer_check("sum", &u, &v, &w, NULL, NULL));
    INVALID(mmm_integer_check("division", &u, &zero, &w, NULL, NULL));
    INVALID(mmm_integer_check("gcd", &u, &v, NULL, NULL, NULL));
    WORKS(mmm_integer_check("gcd", &u, &v, &v, NULL, NULL));
    INVALID(mmm_integer_check_resultant(&u, -1, &v, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(NULL, 1, &v, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(&u, 1, NULL, 1, &w, NULL));
    INVALID(mmm_integer_check_resultant(&u, 1, &v, 1, NULL, NULL));
    WORKS(mmm_integer_check_resultant(NULL, 0, &v, 1, &zero, NULL));
    static fmpq_poly_struct half, third, nothing;
    if (!half.length) {
        fmpq_poly_init(&half), fmpq_poly_init(&third), fmpq_poly_init(&nothing);
        fmpq_poly_set_str(&half, "3  -1/2 0 1");
        fmpq_poly_set_str(&third, "2  1 1/3");
    }
    INVALID(mmm_integer_resultant(NULL, &w, &u, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, NULL, &u, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, NULL, 1, &v, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, &u, 1, NULL, 1, &facts));
    INVALID(mmm_integer_resultant(cpu, &w, &u, -1, &v, 1, &facts));
    WORKS(mmm_integer_resultant(cpu, &w, &u, 1, &v, 1, NULL));
    INVALID(mmm_rational_multiply(NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, NULL, &half, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, &third, NULL, &half, &facts));
    INVALID(mmm_rational_multiply(cpu, &third, &half, NULL, &facts));
    INVALID(mmm_rational_gcd(NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, NULL, &half, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, &third, NULL, &half, &facts));
    INVALID(mmm_rational_gcd(cpu, &third, &half, NULL, &facts));
    INVALID(mmm_rational_divide(NULL, &half, &third, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, NULL, &third, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, NULL, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &half, &half, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, NULL, &half, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, &half, NULL, &facts));
    INVALID(mmm_rational_divide(cpu, &half, &third, &half, &nothing, &facts));
    WORKS(mmm_rational_multiply(cpu, &nothing, &nothing, &third, NULL));
    IS(!*mmm_proof_name((mmm_proof)LOW));
    IS(!*mmm_proof_name((mmm_proof)HIGH));
}

static void engine_cases(void)
{
    static const mmm_engine_plugin empty, old = {.version = -1};
    mmm_engine *out = NULL;
    mmm_engine_place where;
    INVALID(mmm_engine_open(no, "cpu", &out));
    INVALID(mmm_engine_open("starpu", NULL, &out));
    INVALID(mmm_engine_open("starpu", "cpu", NULL));
    INVALID(mmm_engine_open("", "cpu", &out));
    INVALID(mmm_engine_open("../starpu", "cpu", &out));
    INVALID(mmm_engine_open("an-engine-whose-name-is-longer-than-any", "cpu", &out));
    INVALID(mmm_engine_open("none", "cpu", &out));
    INVALID(mmm_engine_new(NULL, "cpu", &out));
    INVALID(mmm_engine_new(&empty, "cpu", &out));
    INVALID(mmm_engine_new(&old, "cpu", &out));
    DOES(mmm_engine_free(NULL));
    IS(mmm_engine_rank(NULL) == -1);
    IS(mmm_engine_ranks(NULL) == -1);
    IS(mmm_engine_workers(NULL) == -1);
    INVALID(mmm_engine_worker(NULL, 0, &where));
    INVALID(mmm_engine_serve(NULL));
    INVALID(mmm_machine_engage(NULL, NULL));
    WORKS(mmm_machine_engage(cpu, NULL));
    INVALID(mmm_tune_kinds(NULL, "gcd", NULL, NULL, NULL, NULL));
}

static void array_cases(void)
{
    mmm_array *out, *rest;
    INVALID(mmm_array_wrap(NULL, 101, keys, 4, &out));
    INVALID(mmm_array_wrap(machine, 101, NULL, 4, &out));
    INVALID(mmm_array_wrap(machine, 100, keys, 4, &out));
    INVALID(mmm_array_wrap(machine, 101, keys, -4, &out));
    INVALID(mmm_array_wrap(machine, 101, keys, 4, NULL));
    IS(mmm_array_memory(NULL) == NULL);
    INVALID(mmm_array_new(NULL, 101, a, 8, &out));
    INVALID(mmm_array_new(machine, 101, NULL, 8, &out));
    INVALID(mmm_array_new(machine, 101, a, 8, NULL));
    INVALID(mmm_array_new(machine, 4, a, 8, &out));
    INVALID(mmm_array_new(machine, 101, a, -8, &out));
    REFUSED(mmm_array_new(machine, 101, a, INT64_MAX, &out));
    DOES(mmm_array_free(NULL));
    IS(mmm_array_terms(NULL) == 0);
    INVALID(mmm_array_read(NULL, f));
    INVALID(mmm_array_read(x, NULL));
    INVALID(mmm_array_multiply(NULL, y, &out));
    INVALID(mmm_array_multiply(x, NULL, &out));
    INVALID(mmm_array_multiply(x, y, NULL));
    INVALID(mmm_array_divide(NULL, y, &out, &rest));
    INVALID(mmm_array_divide(x, NULL, &out, &rest));
    INVALID(mmm_array_divide(x, y, NULL, &rest));
    INVALID(mmm_array_divide(x, y, &out, NULL));
    INVALID(mmm_array_gcd(NULL, y, &out));
    INVALID(mmm_array_gcd(x, NULL, &out));
    INVALID(mmm_array_gcd(x, y, NULL));
    WORKS(mmm_array_gcd(x, x, &out));
}

static void job_cases(void)
{
    const mmm_app *app;
    mmm_job *out;
    const int64_t huge[4] = {INT64_MAX, INT64_MAX, 2, 2}, long_one[1] = {INT64_MAX}, negative[1] = {-1};
    int64_t many = 1;
    double seconds;
    IS(mmm_app_list() != NULL);
    INVALID(mmm_app_open(NULL, &app));
    INVALID(mmm_app_open("division", NULL));
    INVALID(mmm_app_open("", &app));
    INVALID(mmm_app_open(endless, &app));
    INVALID(mmm_app_open("./no/such/folder", &app));
    IS(*mmm_app_warnings(NULL) == 0);
    INVALID(mmm_app_compile(NULL, "x.o"));
    INVALID(mmm_app_compile("no such folder", "x.o"));
    INVALID(mmm_app_compile("tests", NULL));
    REFUSED(mmm_app_compile("tests", "x.o"));
    REFUSED(mmm_app_compile(endless, "x.o"));
    INVALID(mmm_app_create(NULL));
    INVALID(mmm_app_create(""));
    REFUSED(mmm_app_create(endless));
    INVALID(mmm_job_new(NULL, &out));
    INVALID(mmm_job_new("division", NULL));
    INVALID(mmm_job_new(endless, &out));
    DOES(mmm_job_free(NULL));
    IS(mmm_job_app(NULL) == NULL);
    INVALID(mmm_job_set_batch(NULL, 1));
    INVALID(mmm_job_set_batch(fresh, 0));
    INVALID(mmm_job_set_batch(fresh, INT64_MAX));
    INVALID(mmm_job_select(NULL, 0));
    INVALID(mmm_job_select(fresh, 1));
    INVALID(mmm_job_select(fresh, -1));
    INVALID(mmm_job_set(NULL, "n", 1));
    INVALID(mmm_job_set(fresh, NULL, 1));
    INVALID(mmm_job_set(fresh, endless, 1));
    INVALID(mmm_job_set(fresh, "n", -1));
    INVALID(mmm_job_set(fresh, "n", INT64_MAX));
    INVALID(mmm_job_set(fresh, "p", INT64_MIN));
    INVALID(mmm_job_set(fresh, "p", 4));
    IS(mmm_job_get(NULL, "n") == 0);
    IS(mmm_job_get(fresh, NULL) == 0);
    IS(mmm_job_get(fresh, endless) == 0);
    INVALID(mmm_job_read(NULL, 0, path));
    INVALID(mmm_job_read(fresh, 0, NULL));
    REFUSED(mmm_job_read(fresh, 0, "build/no-such-file"));
    REFUSED(mmm_job_read(fresh, 0, endless));
    INVALID(mmm_job_polynomial(NULL, 0, 101, a, 8));
    INVALID(mmm_job_polynomial(fresh, 0, 101, NULL, 8));
    INVALID(mmm_job_polynomial(fresh, 0, 101, a, -8));
    INVALID(mmm_job_polynomial(fresh, 0, 1, a, 8));
    INVALID(mmm_job_polynomial(sort, 0, 101, a, 8));
    REFUSED(mmm_job_polynomial(fresh, 0, 101, a, INT64_MAX));
    INVALID(mmm_job_give(NULL, 0, a, lengths, 1));
    INVALID(mmm_job_give(sort, 0, NULL, lengths, 1));
    INVALID(mmm_job_give(sort, 0, a, NULL, 1));
    INVALID(mmm_job_give(sort, 0, a, lengths, 0));
    INVALID(mmm_job_give(sort, 0, a, lengths, 2));
    INVALID(mmm_job_give(sort, 0, a, lengths, LOW));
    INVALID(mmm_job_give(sort, 0, a, huge, 4));
    REFUSED(mmm_job_give(sort, 0, a, long_one, 1));
    INVALID(mmm_job_give(sort, 0, a, negative, 1));
    INVALID(mmm_job_give(fresh, 0, a, lengths, 1)); /* a polynomial */
    IS(mmm_job_result(NULL, 0, &many) == NULL && strstr(mmm_message(), "NULL"));
    IS(mmm_job_result(fresh, 0, &many) == NULL);
    IS(mmm_job_result(job, 0, NULL) != NULL);
    INVALID(mmm_job_prepare(NULL));
    IS(mmm_job_program(NULL) == NULL);
    IS(mmm_job_program(fresh) == NULL);
    INVALID(mmm_job_run(NULL, machine, &seconds));
    INVALID(mmm_job_run(fresh, NULL, &seconds));
    INVALID(mmm_job_check(NULL));
    INVALID(mmm_job_check(fresh));
    INVALID(mmm_job_check_timed(NULL, &seconds));
    INVALID(mmm_job_check_timed(fresh, &seconds));
    WORKS(mmm_job_check_timed(job, NULL));
    INVALID(mmm_job_write(NULL, 0, path));
    INVALID(mmm_job_write(job, 0, NULL));
    INVALID(mmm_job_write(fresh, 0, path));
    REFUSED(mmm_job_write(job, 0, endless));
    REFUSED(mmm_job_write(job, 0, ""));
    for (int i = 0; i < NUMBERS; i++) {
        INVALID(mmm_job_read(fresh, numbers[i], path));
        INVALID(mmm_job_polynomial(fresh, numbers[i], 101, a, 8));
        INVALID(mmm_job_give(sort, numbers[i], a, lengths, 1));
        INVALID(mmm_job_write(job, numbers[i], path));
        IS(mmm_job_result(job, numbers[i], &many) == NULL);
    }
}

/* ---- mmm/app.h ------------------------------------------------------------------------------------------------------
 */

static mmm_status build_nothing(mmm_job *of, mmm_program *to)
{
    (void)of, (void)to;
    return MMM_OK;
}

/* Does what an application should not do while it builds. */
static mmm_status build_wrongly(mmm_job *of, mmm_program *to)
{
    int number;
    (void)to;
    switch (mmm_job_get(of, "how")) {
    case 0: return mmm_job_add_array(of, NULL, MMM_WORD, 4, MMM_WORK, &number);
    case 1: return mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, NULL);
    case 2: return mmm_job_add_array(of, "a", (mmm_type)99, 4, MMM_WORK, &number);
    case 3: return mmm_job_add_array(of, "a", (mmm_type)LOW, 4, MMM_WORK, &number);
    case 4: return mmm_job_add_array(of, "a", MMM_POLYNOMIAL, 4, MMM_WORK, &number);
    case 5: return mmm_job_add_array(of, "a", MMM_WORD, -1, MMM_WORK, &number);
    case 6: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)99, &number);
    case 7: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)-1, &number);
    case 8: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)5, &number);
    case 9: return mmm_job_add_input(of, -1, MMM_WORD, 0, 4, MMM_IN, &number);
    case 10: return mmm_job_add_input(of, HIGH, MMM_WORD, 0, 4, MMM_IN, &number);
    case 11: return mmm_job_add_input(of, 0, MMM_F32, 0, 4, MMM_IN, &number);
    case 12: return mmm_job_add_input(of, 0, MMM_WORD, -1, 4, MMM_IN, &number);
    case 13: return mmm_job_add_input(of, 0, MMM_WORD, 0, INT64_MIN, MMM_IN, &number);
    case 14: return mmm_job_add_input(of, 0, MMM_WORD, 0, 4, MMM_IN, NULL);
    case 15: return mmm_job_set_output(of, 0, -1, 0, 4);
    case 16: return mmm_job_set_output(of, 0, 7, 0, 4);
    case 17: return mmm_job_set_output(of, HIGH, 0, 0, 4);
    case 18: return mmm_job_set_output_else(of, 0, HIGH, 0, 4);
    case 19:
        if (mmm_job_set_output_degrees(of, HIGH, 0, 0) != MMM_INVALID) return MMM_OK;
        if (mmm_job_set_output_degrees(of, 0, LOW, 0) != MMM_INVALID) return MMM_OK;
        if (mmm_job_set_output_degrees(of, 0, 0, INT64_MAX) != MMM_INVALID) return MMM_OK;
        return mmm_job_set_output_else(of, LOW, 0, 0, 4);
    case 20: return mmm_job_add_array(of, "a", MMM_WORD, INT64_MAX, MMM_WORK, &number);
    case 21: return mmm_job_add_array(of, "a", MMM_WORD, INT64_MAX / 4, MMM_WORK, &number);
    case 22: return mmm_job_add_input(of, 0, MMM_WORD, 0, INT64_MAX, MMM_IN, &number);
    case 23: return mmm_job_add_input(of, 0, MMM_WORD, INT64_MAX, INT64_MAX, MMM_IN, &number);
    case 24:
        for (int i = 0; i < 1000; i++)
            MMM_TRY(mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, &number));
        return MMM_OK;
    default:
        MMM_TRY(mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, &number));
        return mmm_job_set_output(of, 0, number, INT64_MAX, INT64_MAX);
    }
}
enum { WRONG_FIRST = 20, WRONGS = 26 }; /* from WRONG_FIRST on, too large */

static mmm_status register_wrong(const char *name, int how)
{
    static mmm_app app;
    const mmm_parameter no_meaning = {.name = "n"}, order = {.name = "n", .meaning = "n", .least = 3, .most = 1},
                        role = {.name = "n", .meaning = "n", .role = (mmm_role)99},
                        long_name = {.name = endless, .meaning = "n"},
                        expression = {.name = "n", .meaning = "n", .role = MMM_CHOICE, .same = "n +* 1"};
    app = (mmm_app){.name = name, .build = build_nothing};
    switch (how) {
    case 0: app.build = NULL; break;
    case 1: app.parameters[0] = no_meaning; break;
    case 2: app.parameters[0] = order; break;
    case 3: app.parameters[0] = role; break;
    case 4: app.parameters[0] = long_name; break;
    case 5: app.parameters[0] = expression; break;
    case 6: app.inputs[0] = (mmm_data){"a", (mmm_type)99, "1", NULL, 0, 0}; break;
    case 7: app.inputs[0] = (mmm_data){"a", MMM_WORD, NULL, NULL, 0, 0}; break;
    case 8: app.outputs[0] = (mmm_data){"a", MMM_WORD, "no_name", NULL, 0, 0}; break;
    case 9: app.outputs[0] = (mmm_data){"a", MMM_POLYNOMIAL, "1", NULL, 0, 0}; break;
    case 10: app.constraints = endless; break;
    case 11: app.word = "("; break;
    case 12: app.inputs[0] = (mmm_data){"a", MMM_WORD, "1, 1, 1, 1, 1, 1", NULL, 0, 0}; break;
    case 13:
        for (int i = 0; i < MMM_DATA_MOST; i++)
            app.inputs[i] = (mmm_data){"a", MMM_WORD, "1", NULL, 0, 0};
        break;
    default: app.name = name;
    }
    return mmm_app_register(&app);
}
enum { REGISTRATIONS = 14 };

static mmm_status prepare_wrongly(int how)
{
    static mmm_app app = {.name = "wrong",
                          .parameters = {{"how", "what goes wrong", MMM_OTHER, 0, 100, 0}},
                          .inputs = {{"a", MMM_WORD, "4", NULL, 0}},
                          .outputs = {{"b", MMM_WORD, "4", NULL, 0}},
                          .build = build_wrongly};
    mmm_job *of;
    MMM_TRY(mmm_app_register(&app));
    MMM_TRY(mmm_job_new("wrong", &of));
    MMM_TRY(mmm_job_set(of, "how", how));
    return mmm_job_prepare(of);
}

static void app_cases(void)
{
    int list[MMM_CHOICES_MOST], number = 0;
    const mmm_app *app = mmm_job_app(fresh);
    int64_t many = 1;
    double seconds;
    INVALID(mmm_app_register(NULL));
    INVALID(register_wrong(NULL, REGISTRATIONS));
    INVALID(register_wrong("", REGISTRATIONS));
    INVALID(register_wrong("a name with blanks", REGISTRATIONS));
    INVALID(register_wrong(endless, REGISTRATIONS));
    for (int i = 0; i < REGISTRATIONS; i++)
        INVALID(register_wrong("nonsense", i));
    IS(mmm_app_choices(NULL, list) == 0);
    IS(mmm_app_choices(app, NULL) == 0);
    IS(mmm_app_parameter(NULL, "n") == -1);
    IS(mmm_app_parameter(app, NULL) == -1);
    IS(mmm_app_parameter(app, endless) == -1);
    IS(mmm_app_role(NULL, MMM_SIZE) == -1);
    IS(mmm_app_role(app, (mmm_role)99) == -1);
    IS(mmm_job_length(NULL, 0) == 0);
    IS(mmm_job_modulus(NULL) != NULL && mmm_job_modulus(NULL)->p == 0);
    IS(mmm_job_moduli(NULL) == 1);
    IS(mmm_job_lead(NULL, 0) == 0);
    IS(mmm_job_lead(sort, 0) == 0);
    IS(mmm_job_inverse(NULL, 3) == 0);
    IS(mmm_job_inverse(fresh, 0) == 0);
    SURVIVES(mmm_job_inverse(job, UINT64_MAX));
    SURVIVES(mmm_job_residue(NULL, 3));
    SURVIVES(mmm_job_residue(job, UINT64_MAX));
    DOES(mmm_job_default(NULL, "n", 1));
    DOES(mmm_job_default(fresh, NULL, 1));
    IS(mmm_job_random(NULL) == 0);
    IS(mmm_job_sketch(NULL) == 0);
    IS(mmm_job_sketch(fresh) == 0);
    IS(mmm_job_memory(NULL, 0) == NULL);
    IS(mmm_job_given(NULL, 0, &many) == NULL && many == 0);
    IS(mmm_program_code(NULL, 0) == NULL);
    IS(mmm_program_argument(NULL, 0, 0).word == 0);
    for (int i = 0; i < NUMBERS; i++) {
        IS(mmm_job_length(job, numbers[i]) == 0);
        IS(mmm_job_lead(job, numbers[i]) == 0);
        IS(mmm_job_memory(job, numbers[i]) == NULL);
        IS(mmm_job_given(job, numbers[i], NULL) == NULL);
        IS(mmm_program_code(program, numbers[i]) == NULL);
        IS(mmm_program_argument(program, numbers[i], 0).word == 0);
        IS(mmm_program_argument(program, 0, numbers[i]).word == 0);
    }
    INVALID(mmm_job_add_array(NULL, "a", MMM_WORD, 4, MMM_WORK, &number));
    INVALID(mmm_job_add_array(fresh, "a", MMM_WORD, 4, MMM_WORK, &number)); /* is not being built */
    INVALID(mmm_job_add_input(NULL, 0, MMM_WORD, 0, 4, MMM_IN, &number));
    INVALID(mmm_job_add_input(fresh, 0, MMM_WORD, 0, 4, MMM_IN, &number));
    INVALID(mmm_job_set_output(NULL, 0, 0, 0, 4));
    INVALID(mmm_job_set_output(fresh, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_else(NULL, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_else(fresh, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_degrees(NULL, 0, 0, 0));
    INVALID(mmm_job_set_output_degrees(fresh, 0, 0, 0));
    for (int i = 0; i < WRONG_FIRST; i++)
        INVALID(prepare_wrongly(i));
    for (int i = WRONG_FIRST; i < WRONGS; i++)
        REFUSED(prepare_wrongly(i));
    INVALID(mmm_oracle_divide(NULL, &seconds));
    INVALID(mmm_oracle_divide(fresh, &seconds));
    INVALID(mmm_oracle_divide(sort, &seconds));
    WORKS(mmm_oracle_divide(job, NULL));
    INVALID(mmm_oracle_multiply(NULL, &seconds));
    INVALID(mmm_oracle_multiply(sort, &seconds));
    INVALID(mmm_oracle_gcd(NULL, &seconds));
    INVALID(mmm_oracle_gcd(fresh, &seconds));
    INVALID(mmm_oracle_sort(NULL, &seconds));
    INVALID(mmm_oracle_sort(sort, &seconds));
    INVALID(mmm_oracle_sort(job, &seconds));
    IS(mmm_now() > 0);
    IS(mmm_memory_available() > 0);
}

/* ---- mmm/kernel.h ---------------------------------------------------------------------------------------------------
 */

/* A call of a kernel of the job, whose record has one fault; on a machine where launching it is no mistake. */
static mmm_status launch_wrongly(int how, bool run, mmm_machine *on)
{
    mmm_kernel code = *mmm_program_code(program, 0);
    static mmm_kernel_parameter parameters[16];
    static mmm_entry *empty[16];
    mmm_value values[16];
    mmm_grid grid = {4, 1, 12, 1};
    mmm_local local = {28, 0};
    int number;
    static uint32_t memory[64];
    const mmm_value *arguments = values;
    memcpy(parameters, code.parameters, (size_t)code.parameter_count * sizeof *parameters);
    for (int i = 0; i < code.parameter_count; i++)
        values[i] = mmm_program_argument(program, 0, i);
    switch (how) {
    case 0: code.name = NULL; break;
    case 1: code.name = ""; break;
    case 2: code.file = NULL; break;
    case 3: code.parameters = NULL; break;
    case 4: code.parameter_count = -1; break;
    case 5: code.parameter_count = HIGH; break;
    case 6: code.parameters = parameters, parameters[0].name = NULL; break;
    case 7: code.parameters = parameters, parameters[0].kind = (mmm_parameter_kind)77; break;
    case 8: code.parameters = parameters, parameters[0].type = (mmm_type)-1; break;
    case 9: code.index = -1; break;
    case 10: arguments = NULL; break;
    case 11: grid.blocks_x = 0; break;
    case 12: grid.blocks_x = grid.blocks_y = -2; break;
    case 13: grid.threads_x = -1; break;
    case 14: values[0].number = -1; break;
    case 15: values[0].number = HIGH; break;
    case 16: grid.blocks_x = INT64_MAX; break;
    case 17: grid.threads_x = grid.threads_y = INT64_MAX; break;
    case 18: local.words = -1; break;
    case 19: local.bytes = INT64_MAX; break;
    case 20:
        code.counted[0] = code.counted[1] = NULL;
        for (int i = 0; i < MMM_ISAS; i++)
            code.compiled[0][i] = code.compiled[1][i] = NULL;
        break;
    case 21:
        code.counted[0] = code.counted[1] = empty;
        for (int i = 0; i < MMM_ISAS; i++)
            code.compiled[0][i] = code.compiled[1][i] = empty;
        code.index = 3;
        break;
    default: break;
    }
    MMM_TRY(mmm_program_new(&out_program));
    MMM_TRY(mmm_program_set_words(out_program, 32, mmm_job_modulus(job)));
    for (int i = 0; i < 3; i++) /* case 22: they have no memory */
        MMM_TRY(mmm_program_array(out_program, "a", MMM_WORD, 64, MMM_IN_OUT, how == 22 ? NULL : memory, &number));
    MMM_TRY(mmm_program_launch(out_program, &code, grid, local, arguments));
    return run ? mmm_machine_run(on, out_program, NULL) : MMM_OK;
}
enum { LAUNCHES_INVALID = 16, LAUNCHES = 20, RUNS = 23 };

static void kernel_cases(void)
{
    mmm_modulus modulus, none = {0}, wrong;
    int number;
    const mmm_kernel *code = mmm_program_code(program, 0);
    mmm_value values[16] = {{0}};
    assert_ok(mmm_modulus_read(101, &wrong));
    wrong.square++;
    INVALID(mmm_modulus_read(101, NULL));
    INVALID(mmm_modulus_read(0, &modulus));
    INVALID(mmm_modulus_read(1, &modulus));
    INVALID(mmm_modulus_read(UINT64_MAX, &modulus));
    IS(mmm_modulus_enter(NULL, 3) == 0);
    IS(mmm_modulus_leave(NULL, 3) == 0);
    SURVIVES(mmm_modulus_enter(&none, UINT64_MAX));
    none.shift = -7;
    SURVIVES(mmm_modulus_leave(&none, UINT64_MAX));
    IS(mmm_type_size((mmm_type)-1) == 0 && mmm_type_size((mmm_type)HIGH) == 0);
    IS(strcmp(mmm_type_name((mmm_type)LOW), "?") == 0);
    INVALID(mmm_program_set_batch(NULL, 1));
    INVALID(mmm_program_set_batch(data, 0));
    INVALID(mmm_program_set_batch(data, INT64_MAX));
    INVALID(mmm_program_set_words(NULL, 32, NULL));
    INVALID(mmm_program_set_words(data, 31, NULL));
    INVALID(mmm_program_set_words(data, 32, &none));
    INVALID(mmm_program_set_words(data, 32, &wrong));
    INVALID(mmm_program_set_words(program, 64, NULL)); /* has arrays */
    INVALID(mmm_program_array(NULL, "a", MMM_WORD, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, NULL, MMM_WORD, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, 4, MMM_WORK, f, NULL));
    INVALID(mmm_program_array(data, "a", (mmm_type)99, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, -4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, 4, (mmm_use)16, f, &number));
    REFUSED(mmm_program_array(data, "a", MMM_WORD, INT64_MAX, MMM_WORK, f, &number));
    INVALID(mmm_program_launch(NULL, code, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, values));
    INVALID(mmm_program_launch(data, NULL, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, values));
    INVALID(mmm_program_launch(data, code, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, NULL));
    for (int i = 0; i < LAUNCHES_INVALID; i++)
        INVALID(launch_wrongly(i, false, machine));
    for (int i = LAUNCHES_INVALID; i < LAUNCHES; i++)
        REFUSED(launch_wrongly(i, false, machine));
    for (int i = LAUNCHES; i < RUNS; i++) {
        INVALID(launch_wrongly(i, true, machine));
        INVALID(launch_wrongly(i, true, cpu));
    }
    INVALID(mmm_program_expect(NULL, 1));
    INVALID(mmm_program_expect(data, -1));
    REFUSED(mmm_program_expect(data, INT64_MAX));
    WORKS(mmm_program_expect(data, 0));
    DOES(mmm_program_chain(NULL, 1));
    DOES(mmm_program_hint(NULL, 1, 1));
    for (int i = 0; i < NUMBERS; i++)
        WORKS((mmm_program_hint(program, numbers[i], NAN), mmm_predict(job, &good, &(mmm_prediction){0})));
}

/* ---- mmm/model.h ----------------------------------------------------------------------------------------------------
 */

static mmm_status make_empty(mmm_program **out)
{
    return mmm_program_new(out);
}

static mmm_status no_more(mmm_program *unfolding, int kernel, const void *context)
{
    (void)unfolding, (void)kernel, (void)context;
    return MMM_OK;
}

static void program_cases(void)
{
    mmm_parameters parameters;
    mmm_program *out, *empty;
    mmm_shape shape = {0};
    mmm_measures measures = {0};
    mmm_kernel_info info;
    mmm_cost costs[2] = {{.blocks = INT64_MAX}, {.blocks = INT64_MAX}}, negative = {.blocks = 4, .work = -1};
    mmm_cost huge = {4, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    double makespan;
    assert_ok(make_empty(&empty));
    INVALID(mmm_parameters_read(NULL, &parameters));
    INVALID(mmm_parameters_read("U=100", NULL));
    INVALID(mmm_parameters_read("", &parameters));
    INVALID(mmm_parameters_read("U=nan", &parameters));
    INVALID(mmm_parameters_read("Z=-5", &parameters));
    INVALID(mmm_parameters_read("Z=99999999999999999999", &parameters));
    REFUSED(mmm_parameters_read(endless, &parameters));
    IS(mmm_parameters_builtin() != NULL);
    INVALID(mmm_program_new(NULL));
    DOES(mmm_program_free(NULL));
    INVALID(mmm_program_add(NULL, "k", 1, 1, NULL));
    INVALID(mmm_program_add(data, NULL, 1, 1, NULL));
    INVALID(mmm_program_add(data, "k", 0, 1, NULL));
    INVALID(mmm_program_add(data, "k", 1, INT64_MIN, NULL));
    WORKS(mmm_program_add(data, endless, INT64_MAX, INT64_MAX, NULL));
    INVALID(mmm_program_depend(NULL, 0, 1));
    INVALID(mmm_program_depend(data, 0, 0));
    INVALID(mmm_program_unfolds(NULL, 0, 1));
    INVALID(mmm_program_unfolds(data, 0, 0));
    INVALID(mmm_program_on_end(NULL, 0, no_more, NULL, 0));
    INVALID(mmm_program_on_end(program, 0, NULL, NULL, 0));
    INVALID(mmm_program_on_end(program, 0, no_more, NULL, 1));
    REFUSED(mmm_program_on_end(program, 0, no_more, &shape, SIZE_MAX));
    INVALID(mmm_program_look(NULL, 0, 0, 0, 1, &shape));
    INVALID(mmm_program_look(program, 0, 0, 0, 1, &shape)); /* nothing is decided on now */
    IS(mmm_program_batch(NULL) == 0);
    INVALID(mmm_program_read(NULL, &out));
    INVALID(mmm_program_read(path, NULL));
    REFUSED(mmm_program_read(endless, &out));
    INVALID(mmm_program_import(NULL, &out));
    INVALID(mmm_program_import(path, NULL));
    REFUSED(mmm_program_import(endless, &out));
    INVALID(mmm_program_write(NULL, path));
    INVALID(mmm_program_write(data, NULL));
    REFUSED(mmm_program_write(data, endless));
    SURVIVES(mmm_program_write(empty, path));
    IS(mmm_program_kernels(NULL) == 0);
    IS(mmm_program_kernel_name(NULL, 0) == NULL);
    INVALID(mmm_program_shape(NULL, &shape));
    INVALID(mmm_program_shape(data, NULL));
    WORKS(mmm_program_shape(empty, &shape));
    INVALID(mmm_program_set_costs(NULL, 0, costs, 1));
    INVALID(mmm_program_set_costs(data, 0, NULL, 1));
    INVALID(mmm_program_set_costs(data, 0, costs, 2));
    INVALID(mmm_program_set_costs(data, 0, costs, -1));
    INVALID(mmm_program_set_costs(data, 0, costs, 0));
    INVALID(mmm_program_set_costs(data, 0, &negative, 1));
    REFUSED((mmm_program_set_costs(data, 0, &huge, 1), mmm_program_measures(data, &good, &measures)));
    REFUSED((mmm_program_set_costs(data, 0, &huge, 1), mmm_program_kernel(data, 0, &info)));
    SURVIVES((mmm_program_set_costs(data, 0, &huge, 1),
              mmm_program_schedule(data, &good, INT64_MAX, 1, NULL, NULL, &makespan)));
    double cost;
    const mmm_trial no_trial = {0};
    IS(mmm_model_at(-1) == NULL);
    IS(mmm_model_at(HIGH) == NULL);
    INVALID(mmm_model_cost(0, NULL, &good, 1, &cost));
    INVALID(mmm_model_cost(0, &no_trial, NULL, 1, &cost));
    INVALID(mmm_model_cost(0, &no_trial, &good, 1, NULL));
    INVALID(mmm_model_cost(0, &no_trial, &good, 1, &cost));
    INVALID(mmm_model_cost(-1, &no_trial, &good, 1, &cost));
    SURVIVES(mmm_rank_correlation(NULL, NULL, HIGH) != 0);
    INVALID(mmm_compare_text(NULL, "-"));
    INVALID(mmm_compare_json(&(mmm_report_input){0}, "-"));
    INVALID(mmm_compare_html(&(mmm_report_input){0}, NULL));
    INVALID(mmm_compare_text(&(mmm_report_input){.parameter = "s", .count = 1}, NULL));
    mmm_traffic traffic;
    INVALID(mmm_program_traffic(NULL, 0, &traffic));
    INVALID(mmm_program_traffic(data, 0, NULL));
    INVALID(mmm_program_traffic(data, 0, &traffic));
    INVALID(mmm_machine_count_traffic(NULL, 1));
    IS(*mmm_operation_kind_name((mmm_operation_kind)-1) == 0);
    INVALID(mmm_program_kernel(NULL, 0, &info));
    INVALID(mmm_program_kernel(data, 0, NULL));
    INVALID(mmm_program_measures(NULL, &good, &measures));
    INVALID(mmm_program_measures(data, NULL, &measures));
    INVALID(mmm_program_measures(data, &good, NULL));
    WORKS(mmm_program_measures(empty, &good, &measures));
    IS(mmm_theorem1(NULL, &measures, 1) == 0);
    IS(mmm_theorem1(&shape, NULL, 1) == 0);
    SURVIVES(mmm_theorem1(&shape, &measures, INT64_MIN) >= 0);
    IS(mmm_corollary1(NULL, &measures) == 0);
    IS(mmm_corollary1(&shape, NULL) == 0);
    INVALID(mmm_program_schedule(NULL, &good, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, NULL, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, &good, 4, 1, NULL, NULL, NULL));
    INVALID(mmm_program_schedule(data, &good, 0, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, &good, INT64_MIN, 1, NULL, NULL, &makespan));
    WORKS(mmm_program_schedule(data, &good, INT64_MAX, 1, NULL, NULL, &makespan));
    WORKS(mmm_program_schedule(empty, &good, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_allow_races(NULL, "a"));
    INVALID(mmm_program_allow_races(program, NULL));
    INVALID(mmm_program_allow_races(program, endless));
    IS(strcmp(mmm_violation_name((mmm_violation_kind)-1), "unknown") == 0);
    IS(strcmp(mmm_violation_meaning((mmm_violation_kind)HIGH), "unknown") == 0);
    for (int i = 0; i < bad_count; i++) {
        INVALID(mmm_program_measures(data, &bad[i], &measures));
        INVALID(mmm_program_schedule(data, &bad[i], 4, 1, NULL, NULL, &makespan));
    }
    for (int i = 0; i < NUMBERS; i++) {
        INVALID(mmm_program_depend(data, 0, numbers[i]));
        INVALID(mmm_program_depend(data, numbers[i], 0));
        INVALID(mmm_program_unfolds(data, numbers[i], 0));
        INVALID(mmm_program_on_end(program, numbers[i], no_more, NULL, 0));
        INVALID(mmm_program_set_costs(data, numbers[i], costs, 1));
        INVALID(mmm_program_kernel(data, numbers[i], &info));
        INVALID(mmm_program_traffic(data, numbers[i], &traffic));
        IS(mmm_program_kernel_name(data, numbers[i]) == NULL);
    }
    mmm_program_free(empty);
}

static void analysis_cases(void)
{
    mmm_analysis out, wrong = analysis, nameless = analysis, damaged = analysis;
    mmm_counts counts = {.violation_count = 3};
    int64_t zero[1] = {0};
    wrong.bound_count = HIGH;
    nameless.app = NULL;
    damaged.counts = &counts;
    INVALID(mmm_analysis_make(NULL, data, &good, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, NULL, &good, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, data, NULL, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, data, &good, NULL, 1, 1));
    WORKS(mmm_analysis_make(&out, data, &good, NULL, 0, 1));
    INVALID(mmm_analysis_make(&out, data, &good, sms, -1, 1));
    INVALID(mmm_analysis_make(&out, data, &good, sms, HIGH, 1));
    INVALID(mmm_analysis_make(&out, data, &good, zero, 1, 1));
    INVALID(mmm_report_json(NULL, 1, 0, path));
    INVALID(mmm_report_json(&analysis, 1, 0, NULL));
    INVALID(mmm_report_json(&analysis, -1, 0, path));
    INVALID(mmm_report_json(&wrong, 1, 0, path));
    INVALID(mmm_report_json(&nameless, 1, 0, path));
    INVALID(mmm_report_json(&damaged, 1, 0, path));
    REFUSED(mmm_report_json(&analysis, 1, 0, endless));
    INVALID(mmm_report_text(NULL, 1, path));
    INVALID(mmm_report_text(&analysis, 1, NULL));
    INVALID(mmm_report_text(&analysis, LOW, path));
    INVALID(mmm_report_text(&wrong, 1, path));
    INVALID(mmm_report_text(&nameless, 1, path));
    INVALID(mmm_report_text(&damaged, 1, path));
    REFUSED(mmm_report_text(&analysis, 1, endless));
    INVALID(mmm_report_csv(NULL, 1, path));
    INVALID(mmm_report_csv(&analysis, 1, NULL));
    INVALID(mmm_report_csv(&nameless, 1, path));
    INVALID(mmm_report_csv(&analysis, -7, path));
    INVALID(mmm_report_dot(NULL, path));
    INVALID(mmm_report_dot(data, NULL));
    REFUSED(mmm_report_dot(data, endless));
    INVALID(mmm_report_trace(NULL, &good, 4, 1, path));
    INVALID(mmm_report_trace(data, NULL, 4, 1, path));
    INVALID(mmm_report_trace(data, &good, 4, 1, NULL));
    INVALID(mmm_report_trace(data, &good, -4, 1, path));
    REFUSED(mmm_report_trace(data, &good, INT64_MAX, 1, path));
    for (int i = 0; i < bad_count; i++) {
        wrong = analysis;
        wrong.machine = bad[i];
        INVALID(mmm_analysis_make(&out, data, &bad[i], sms, 1, 1));
        INVALID(mmm_report_json(&wrong, 1, 0, path));
        INVALID(mmm_report_text(&wrong, 1, path));
        INVALID(mmm_report_csv(&wrong, 1, path));
        INVALID(mmm_report_trace(data, &bad[i], 4, 1, path));
    }
}

/* ---- mmm/formula.h --------------------------------------------------------------------------------------------------
 */

static void formula_cases(void)
{
    mmm_formula *out;
    mmm_answer answer;
    mmm_claim *claims;
    mmm_strategy strategy;
    int many;
    mmm_query query = {.expression = "W"}, empty = {0}, long_one = {.expression = endless};
    mmm_query notation = {.expression = "W", .notation = (mmm_notation)99};
    mmm_query long_set = {.expression = "W", .set = endless, .assume = endless, .evaluate = endless};
    mmm_query all = {"W", "", "", "", "", "", "", MMM_TEXT, 0};
    mmm_app nameless = {0};
    INVALID(mmm_formula_open(NULL, &out));
    INVALID(mmm_formula_open("division", NULL));
    INVALID(mmm_formula_open(endless, &out));
    INVALID(mmm_app_formula(NULL, &out));
    INVALID(mmm_app_formula(mmm_job_app(job), NULL));
    INVALID(mmm_app_formula(&nameless, &out));
    INVALID(mmm_formula_read(NULL, "W = 1\n", &out));
    INVALID(mmm_formula_read("x", NULL, &out));
    INVALID(mmm_formula_read("x", "W = 1\n", NULL));
    INVALID(mmm_formula_read("x", "", &out));
    INVALID(mmm_formula_read(endless, endless, &out));
    DOES(mmm_formula_free(NULL));
    INVALID(mmm_doctor(0, NULL, NULL));
    INVALID(mmm_doctor(1, NULL, NULL));
    mmm_derivation derivation = {0};
    char text[] = "W = 1\n";
    mmm_agreement agreements[MMM_AGREEMENTS];
    INVALID(mmm_derive(NULL, NULL, NULL, &derivation));
    INVALID(mmm_derive("division", NULL, NULL, NULL));
    INVALID(mmm_derive("division", "q", NULL, &derivation));
    INVALID(mmm_derive("division", endless, NULL, &derivation));
    INVALID(mmm_derive("division", "n", "s=x", &derivation));
    INVALID(mmm_derive("division", "n", endless, &derivation));
    INVALID(mmm_derive(endless, NULL, NULL, &derivation));
    INVALID(mmm_derivation_write(NULL, "-"));
    INVALID(mmm_derivation_write(&derivation, "-")); /* which is empty */
    INVALID(mmm_derivation_write(&(mmm_derivation){.text = text}, NULL));
    REFUSED(mmm_derivation_write(&(mmm_derivation){.text = text}, "/dev/null/x"));
    DOES(mmm_derivation_clear(NULL));
    DOES(mmm_derivation_clear(&derivation));
    INVALID(mmm_formula_agrees(NULL, "division", agreements));
    assert_ok(mmm_formula_open("division", &out));
    INVALID(mmm_formula_agrees(out, NULL, agreements));
    INVALID(mmm_formula_agrees(out, "division", NULL));
    INVALID(mmm_formula_agrees(out, endless, agreements));
    mmm_formula_free(out);
    IS(mmm_formula_title(NULL) == NULL);
    IS(mmm_formula_program_parameter(NULL) == NULL);
    IS(mmm_formula_name(NULL, 0, NULL) == NULL);
    IS(mmm_formula_constraint(NULL, 0) == NULL);
    IS(mmm_formula_given(NULL, NULL, 0) == NULL);
    IS(mmm_formula_given(formula, endless, 0) == NULL);
    for (int i = 0; i < NUMBERS; i++) {
        IS(mmm_formula_builtin(numbers[i]) == NULL);
        IS(mmm_formula_name(formula, numbers[i], NULL) == NULL);
        IS(mmm_formula_constraint(formula, numbers[i]) == NULL);
        IS(mmm_formula_given(formula, NULL, numbers[i]) == NULL);
        IS(mmm_formula_given(formula, "W", numbers[i]) == NULL);
    }
    INVALID(mmm_formula_ask(NULL, &query, &answer));
    INVALID(mmm_formula_ask(formula, NULL, &answer));
    INVALID(mmm_formula_ask(formula, &query, NULL));
    INVALID(mmm_formula_ask(formula, &empty, &answer));
    REFUSED(mmm_formula_ask(formula, &long_one, &answer));
    INVALID(mmm_formula_ask(formula, &notation, &answer));
    REFUSED(mmm_formula_ask(formula, &long_set, &answer));
    SURVIVES(mmm_formula_ask(formula, &all, &answer));
    DOES(mmm_answer_clear(NULL));
    IS(mmm_formula_place(NULL) == -1);
    INVALID(mmm_formula_plot(NULL, &query, "s=1-4", path));
    INVALID(mmm_formula_plot(formula, NULL, "s=1-4", path));
    INVALID(mmm_formula_plot(formula, &query, NULL, path));
    INVALID(mmm_formula_plot(formula, &query, "s=1-4", NULL));
    INVALID(mmm_formula_plot(formula, &query, endless, path));
    INVALID(mmm_formula_plot(formula, &empty, "s=1-4", path));
    IS(strcmp(mmm_claim_verdict_name((mmm_claim_verdict)-1), "unknown") == 0);
    INVALID(mmm_formula_claims(NULL, &claims, &many));
    INVALID(mmm_formula_claims(formula, NULL, &many));
    INVALID(mmm_formula_claims(formula, &claims, NULL));
    DOES(mmm_claims_free(NULL, 7));
    DOES(mmm_claims_free(NULL, -7));
    INVALID(mmm_formula_optimize(NULL, "s", NULL, &strategy));
    INVALID(mmm_formula_optimize(formula, "s", NULL, NULL));
    INVALID(mmm_formula_optimize(formula, endless, NULL, &strategy));
    INVALID(mmm_formula_optimize(formula, "s", endless, &strategy));
    WORKS(mmm_formula_optimize(formula, NULL, NULL, &strategy));
    DOES(mmm_strategy_clear(NULL));
}

/* ---- mmm/study.h ----------------------------------------------------------------------------------------------------
 */

static void study_cases(void)
{
    mmm_prediction prediction;
    mmm_parameters out;
    mmm_tuning tuning;
    mmm_study *made;
    const mmm_trial *trial;
    int many = 1, own;
    mmm_origin origin;
    const mmm_tune_options usual = {.dry_run = 1};
    const mmm_tune_options wrong[] = {{.max_runs = -1}, {.time_limit = -1}, {.time_limit = NAN}, {.repeat = LOW},
                                      {.within = -1},   {.within = NAN},    {.results = endless}};
    const mmm_study_options bad_options[] = {{.P_count = -1},        {.P_count = HIGH, .P = sms},
                                             {.P_count = 1},         {.allowed_count = 1},
                                             {.allowed_count = LOW}, {.repeat = -1},
                                             {.repeat = HIGH},       {.total = -1},
                                             {.limit = NAN},         {.limit = -1}};
    const char *const nobody[] = {NULL}, *const unknown[] = {"no machine", NULL}, *const null_name[] = {NULL, NULL};
    INVALID(mmm_predict(NULL, &good, &prediction));
    INVALID(mmm_predict(job, NULL, &prediction));
    INVALID(mmm_predict(job, &good, NULL));
    INVALID(mmm_predict(job, mmm_parameters_builtin(), &prediction)); /* tells no times */
    mmm_kernel_limits kernels[2];
    INVALID(mmm_predict_limits(NULL, &good, &prediction, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, NULL, &prediction, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, &good, NULL, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, &good, &prediction, kernels, 2, NULL));
    WORKS(mmm_predict_limits(job, &good, &prediction, kernels, LOW, &many));
    WORKS(mmm_predict_limits(job, &good, &prediction, NULL, HIGH, &many));
    IS(mmm_limit_largest(NULL, NULL) == -1);
    IS(mmm_limit_largest((const double[MMM_LIMITS]){NAN, -1, INFINITY}, NULL) == 2);
    INVALID(mmm_path_check(NULL));
    REFUSED(mmm_path_check(endless));
    REFUSED(mmm_path_check("/"));
    REFUSED(mmm_path_check("/dev/null/file"));
    WORKS(mmm_path_check("-"));
    WORKS(mmm_path_check(path));
    INVALID(mmm_calibrate(NULL, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate(cpu, NULL, NULL, NULL, path, NULL));
    INVALID(mmm_calibrate(machine, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(NULL, "division", NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, endless, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, "division", NULL, NULL, path, NULL));
    INVALID(mmm_calibrate_app(cpu, "division", NULL, NULL, "machines/h200.json", &out)); /* has constants of a GPU */
    INVALID(mmm_calibrate_app(machine, "division", NULL, NULL, path, &out));
    INVALID(mmm_parameters_of(NULL, &out, &own));
    INVALID(mmm_parameters_of(cpu, NULL, &own));
    INVALID(mmm_parameters_of(machine, &out, &own));
    IS(strcmp(mmm_origin_name((mmm_origin)-1), "unknown") == 0);
    IS(!mmm_limit_name(-1) && !mmm_limit_name(MMM_LIMITS));
    IS(strcmp(mmm_invalidity_name((mmm_invalidity)HIGH), "unknown") == 0);
    IS(strcmp(mmm_tuning_end_name((mmm_tuning_end)LOW), "unknown") == 0);
    IS(mmm_wisdom_note() != NULL);
    INVALID(mmm_tune_choose(NULL, cpu, &origin));
    INVALID(mmm_tune_choose(job, NULL, &origin));
    WORKS(mmm_tune_choose(job, machine, NULL));
    INVALID(mmm_tune(NULL, cpu, &good, &usual, &tuning));
    INVALID(mmm_tune(job, NULL, &good, &usual, &tuning));
    INVALID(mmm_tune(job, cpu, NULL, &usual, &tuning));
    INVALID(mmm_tune(job, cpu, &good, NULL, &tuning));
    INVALID(mmm_tune(job, cpu, &good, &usual, NULL));
    INVALID(mmm_tune(job, machine, &good, &usual, &tuning));
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        REFUSED(mmm_tune(job, cpu, &good, &wrong[i], &tuning));
    DOES(mmm_tuning_free(NULL));
    INVALID(mmm_study_new(NULL, &made));
    INVALID(mmm_study_new(&(mmm_study_options){0}, NULL));
    for (int i = 0; i < (int)(sizeof bad_options / sizeof *bad_options); i++)
        INVALID(mmm_study_new(&bad_options[i], &made));
    DOES(mmm_study_free(NULL));
    INVALID(mmm_study_add(NULL, NULL, &trial));
    INVALID(mmm_study_add(NULL, fresh, &trial)); /* which is taken over */
    INVALID(mmm_study_add(study, NULL, &trial));
    INVALID(mmm_study_refuse(NULL, MMM_INVALID));
    INVALID(mmm_study_refuse(study, MMM_OK));
    INVALID(mmm_study_refuse(study, (mmm_status)99));
    INVALID(mmm_study_finish(NULL));
    assert_ok(mmm_study_finish(study)); /* with nothing to run */
    IS(mmm_study_trials(NULL, &many) == NULL && many == 0);
    SURVIVES(mmm_study_trials(study, NULL));
    INVALID(mmm_reproduce(NULL, nobody, 1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, NULL, 1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, NAN, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, -1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, 1, -1, NULL, NULL));
    REFUSED(mmm_reproduce(endless, nobody, 1, 0, NULL, NULL));
    REFUSED((rmdir(path), mmm_reproduce(path, unknown, 1, 0, NULL, NULL)));
    SURVIVES(mmm_reproduce(path, null_name, 1, 0, NULL, NULL));
    for (int i = 0; i < bad_count; i++) {
        const mmm_study_options options = {.parameters = &bad[i]};
        INVALID(mmm_predict(job, &bad[i], &prediction));
        INVALID(mmm_tune(job, cpu, &bad[i], &usual, &tuning));
        INVALID(mmm_study_new(&options, &made));
    }
}

static void report_cases(void)
{
    char text[1024];
    const mmm_trial trial = {.value = 4, .median = 1, .runs = 1};
    const mmm_report_input right = {
        .app = mmm_job_app(job), .job = job, .parameter = "s", .trials = &trial, .count = 1, .machine = good};
    mmm_report_input input;
    WORKS(mmm_report_html(&right, path));
    INVALID(mmm_report_html(NULL, path));
    INVALID(mmm_report_html(&right, NULL));
    REFUSED(mmm_report_html(&right, endless));
    INVALID(mmm_report_data(NULL, path));
    INVALID(mmm_report_data(&right, NULL));
    INVALID(mmm_report_verdict(NULL, text, sizeof text));
    INVALID(mmm_report_verdict(&right, NULL, sizeof text));
    INVALID(mmm_report_verdict(&right, text, 0));
    WORKS(mmm_report_verdict(&right, text, 1));
    for (int i = 0; i < 5 + bad_count; i++) {
        const mmm_app nameless = {0};
        input = right;
        if (i == 0) input.app = NULL;
        if (i == 1) input.app = &nameless;
        if (i == 2) input.parameter = NULL;
        if (i == 3) input.trials = NULL;
        if (i == 4) input.count = -1;
        if (i >= 5) input.machine = bad[i - 5];
        INVALID(mmm_report_html(&input, path));
        INVALID(mmm_report_data(&input, path));
        INVALID(mmm_report_verdict(&input, text, sizeof text));
    }
    input = right;
    input.job = NULL;
    input.chosen = LOW;
    input.date = INT64_MAX;
    WORKS(mmm_report_html(&input, path));
    WORKS(mmm_report_data(&input, path));
    input.P = INT64_MIN;
    INVALID(mmm_report_html(&input, path));
    input.P = INT64_MAX;
    SURVIVES(mmm_report_html(&input, path));
}

static void all_cases(void)
{
    count = 0;
    status_cases();
    machine_cases();
    function_cases();
    many_cases();
    plan_cases();
    integer_cases();
    engine_cases();
    array_cases();
    job_cases();
    app_cases();
    kernel_cases();
    program_cases();
    analysis_cases();
    formula_cases();
    study_cases();
    report_cases();
}

/* ---- The parent -----------------------------------------------------------------------------------------------------
 */

static int call_in_child(int number)
{
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS);
        turn = number;
        mmm_fail(MMM_OK, SILENT);
        all_cases();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_nonsense(void **state)
{
    int failed = 0;
    (void)state;
    make_fixtures();
    turn = -1;
    all_cases();
    assert_in_range(count, 500, CASES_MOST);
    const int all = count;
    for (int i = 0; i < all; i++) {
        int status = call_in_child(i);
        if (status == 0) continue;
        failed++;
        if (WIFSIGNALED(status))
            print_error("%s: ended by signal %d\n", cases[i], WTERMSIG(status));
        else
            print_error("%s: failed\n", cases[i]);
    }
    print_message("%d calls\n", all);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
    free_fixtures();
    assert_int_equal(failed, 0);
}

int main(void)
{
    setenv("MMM_WISDOM", "/nonexistent/wisdom.jsonl", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
