/* SPDX-License-Identifier: Apache-2.0 */
/* Every exported function with NULL for each pointer in turn, and with numbers, names and structs that nobody should
 * hand over: each call in a child of its own, which must end with the status and the one-line message that are due, and
 * not by a signal.  tests/checks/nonsense.sh sees that no function is missing here. */
#include "nonsense.h"

#include <signal.h>
#include <sys/wait.h>

/* ---- Cases by number: listed first, then called, each in a child ---------------------------------------------------
 */

enum { CASES_MOST = 4096, SECONDS = 120 };

static const char *cases[CASES_MOST];
static int count, turn; /* turn: the case to call, -1: list all */

bool is_turn(const char *text)
{
    if (turn < 0) cases[count] = text;
    return count++ == turn;
}

#define SILENT "nothing was said"

void require(bool right, const char *text, const char *what, int status)
{
    const char *message = mmm_message();
    if (right && !strchr(message, '\n')) return;
    fprintf(stderr, "%s: %s (%d, \"%s\")\n", text, what, status, message);
    _exit(1);
}

void judge(const char *text, mmm_status status, bool only_invalid)
{
    require(strcmp(mmm_message(), SILENT) != 0 && *mmm_message(), text, "no message", (int)status);
    if (only_invalid)
        require(status == MMM_INVALID, text, "MMM_INVALID is due", (int)status);
    else
        require(status == MMM_INVALID || status == MMM_TOO_LARGE || status == MMM_IO, text, "a refusal is due",
                (int)status);
}

/* ---- What is right, so that one thing at a time is wrong ------------------------------------------------------------
 */

mmm_machine *machine, *cpu;
mmm_job *job, *fresh, *sort;
mmm_program *program, *data, *out_program;
mmm_formula *formula;
mmm_parameters good;
mmm_analysis analysis;
mmm_study *study;
mmm_array *x, *y;
char *endless;
const char *volatile no;
char path[64];

uint64_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[4] = {1, 2, 3, 4}, f[16], g[16];
int64_t terms, other_terms, both_terms[2], other_both[2], lengths[4] = {4, 1, 1, 1}, sms[MMM_BOUNDS_MOST] = {4};
uint32_t keys[4] = {4, 3, 2, 1};
mmm_parameters bad[24];
static mmm_factors wrong_factors[3];
int bad_count;

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

int endless_progress(void *context, double done)
{
    (void)context;
    return done > 2;
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
