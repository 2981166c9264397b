/* SPDX-License-Identifier: Apache-2.0 */
/* An application that is linked to the program: registered by its record, then like any other. */
#include "job/job.h"
#include "testing.h"

#include "types/kernels.h"

#include "mmm/study.h"

/* b is the transpose of a, rows x columns, in tiles of width x height. */
static mmm_status build(mmm_job *job, mmm_program *program)
{
    int64_t rows = mmm_job_get(job, "rows"), columns = mmm_job_get(job, "columns");
    int64_t width = mmm_job_get(job, "width"), height = mmm_job_get(job, "height");
    mmm_f32_array a, b;
    MMM_TRY(mmm_job_input(job, 0, 0, rows * columns, MMM_IN, &a));
    MMM_TRY(mmm_job_array(job, "b", rows * columns, MMM_OUT, &b));
    MMM_TRY(mmm_job_output(job, 0, b, 0, rows * columns));
    return launch_transpose(program, (columns + width - 1) / width, (rows + height - 1) / height, width, height, a, b,
                            rows, columns, width, height);
}

static mmm_status check(const mmm_job *job, double *seconds)
{
    int64_t rows = mmm_job_get(job, "rows"), columns = mmm_job_get(job, "columns");
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_result(job, 0, NULL);
    *seconds = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            if (b[j * rows + i] != a[i * columns + j])
                return mmm_fail(MMM_WRONG, "row %lld, column %lld differs", (long long)i, (long long)j);
    return MMM_OK;
}

static const mmm_app turned = {
    .name = "turned",
    .summary = "transpose of a matrix",
    .parameters = {{"rows", "the number of rows", MMM_SIZE, 1, 1000, 30},
                   {"columns", "the number of columns", MMM_SIZE, 1, 1000, 40},
                   {"width", "columns of a tile", MMM_CHOICE, 1, 64, 8, "4,8,16,32", "min(width, columns)"},
                   {"height", "rows of a tile", MMM_CHOICE, 1, 64, 4, "1-4"},
                   {"seed", "the seed of random inputs", MMM_SEED, 0, INT64_MAX, 1}},
    .constraints = "width*height <= threads; height*(width + 1) <= Z; height <= width",
    .inputs = {{"a", MMM_F32, "rows, columns"}},
    .outputs = {{"b", MMM_F32, "columns, rows"}},
    .build = build,
    .check = check,
};

static void test_run(void **state)
{
    static const char *const names[] = {"cpu", "abstract", "opencl:0"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int64_t rows = 1; rows < 40; rows += 18) {
            mmm_machine *machine;
            mmm_job *job;
            int64_t count;
            if (mmm_machine_open(names[m], &machine) != MMM_OK) continue;
            assert_ok(mmm_job_new("turned", &job));
            assert_string_equal(mmm_job_app(job)->summary, "transpose of a matrix");
            assert_ok(mmm_job_set(job, "rows", rows));
            assert_ok(mmm_job_run(job, machine, NULL));
            assert_ok(mmm_job_check(job));
            assert_non_null(mmm_job_result(job, 0, &count));
            assert_int_equal(count, rows * 40);
            const mmm_counts *counts = mmm_machine_counts(machine);
            if (counts) assert_int_equal(counts->violation_count, 0);
            mmm_job_free(job);
            mmm_machine_free(machine);
        }
}

/* Matrices that are given, from memory and from files, settle the sizes; the result is a matrix, too. */
static void test_data(void **state)
{
    static const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 4, 2, 5, 3, 6};
    static const float many[3 * 1001];
    const int64_t shape[] = {2, 3, 1};
    char path[64], text[512];
    mmm_machine *machine;
    mmm_job *job, *other;
    (void)state;
    snprintf(path, sizeof path, "build/test-%d.npy", (int)getpid());
    assert_ok(mmm_machine_open("cpu", &machine));
    assert_ok(mmm_job_new("turned", &job));
    assert_fails(mmm_job_give(job, 0, a, shape, 1), MMM_INVALID, "a has 1 dimension, its shape is rows, columns");
    assert_fails(mmm_job_give(job, 0, a, shape, 3), MMM_INVALID, "a has 3 dimensions, its shape is rows, columns");
    assert_fails(mmm_job_give(job, 0, a, (int64_t[]){-2, 3}, 2), MMM_INVALID, "-2");
    assert_fails(mmm_job_give(job, 0, many, (int64_t[]){1001, 3}, 2), MMM_TOO_LARGE, "1001");
    assert_fails(mmm_job_give(job, 0, NULL, shape, 2), MMM_INVALID, "NULL");
    assert_fails(mmm_job_give(job, 1, a, shape, 2), MMM_INVALID, "has 1 input");
    assert_fails(mmm_job_polynomial(job, 0, 7, (uint64_t[]){1}, 1), MMM_INVALID, "an array of f32, not a polynomial");
    assert_ok(mmm_job_give(job, 0, a, shape, 2));
    assert_int_equal(mmm_job_get(job, "rows"), 2);
    assert_int_equal(mmm_job_get(job, "columns"), 3);
    assert_ok(mmm_job_set(job, "rows", 2)); /* what it is */
    assert_fails(mmm_job_set(job, "columns", 4), MMM_INVALID, "known from the input a");
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_job_check(job));
    assert_memory_equal(mmm_job_result(job, 0, NULL), b, sizeof b);
    assert_ok(mmm_job_write(job, 0, path));
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[size] = 0;
    assert_non_null(strstr(text + 10, "'descr': '<f4'"));
    assert_non_null(strstr(text + 10, "'shape': (3, 2)"));
    assert_ok(mmm_job_new("turned", &other)); /* and back */
    assert_ok(mmm_job_read(other, 0, path));
    assert_int_equal(mmm_job_get(other, "rows"), 3);
    assert_ok(mmm_job_run(other, machine, NULL));
    assert_memory_equal(mmm_job_result(other, 0, NULL), a, sizeof a);
    unlink(path);
    mmm_job_free(job);
    mmm_job_free(other);
    mmm_machine_free(machine);
}

/* Choices are tuned by their record: two of them, with trials, constraints and what is the same. */
static void test_tuning(void **state)
{
    mmm_parameters parameters;
    mmm_tuning t;
    mmm_machine *machine;
    mmm_job *job;
    int valid = 0, same = 0;
    (void)state;
    assert_ok(mmm_parameters_read("U=10,Z=60,P=2,lanes=8,threads=64,operation=1e-9,barrier=5,launch=100", &parameters));
    assert_ok(mmm_machine_open("cpu", &machine));
    assert_ok(mmm_job_new("turned", &job));
    assert_ok(mmm_job_set(job, "columns", 16));
    assert_ok(mmm_tune(job, machine, &parameters, &(mmm_tune_options){.dry_run = 1}, &t));
    assert_int_equal(t.count, 4 * 4);
    for (int i = 0; i < t.count; i++) {
        const mmm_candidate *c = &t.candidates[i];
        int64_t width = c->values[0], height = c->values[1];
        bool fits = width * height <= 64 && height * (width + 1) <= 60 && height <= width;
        bool useless = width == 32;
        assert_int_equal(!c->reason[0], fits && !useless);
        valid += !c->reason[0];
        if (useless) assert_non_null(strstr(c->reason, "width=32 does what width=16 does"));
        same += useless;
    }
    assert_true(valid > 3);
    assert_int_equal(same, 4);
    assert_int_equal(mmm_job_get(job, "width"), t.candidates[0].values[0]);
    mmm_tuning_free(&t);
    assert_ok(mmm_tune_choose(job, machine, NULL));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_ok(mmm_job_check(job));
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static void test_records(void **state)
{
    const mmm_app *app, *again;
    (void)state;
    assert_ok(mmm_app_open("turned", &app));
    assert_ok(mmm_app_register(&turned)); /* a second time is nothing new */
    assert_ok(mmm_app_open("turned", &again));
    assert_ptr_equal(app, again);
    assert_null(mmm_app_folder(app));
    mmm_formula *formula;
    assert_ok(mmm_app_formula(app, &formula));
    assert_null(formula);
    assert_fails(mmm_app_register(NULL), MMM_INVALID, "NULL");
    mmm_app bad = turned;
    bad.name = NULL;
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "no name");
    bad.name = "bad one";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "'bad one' is no name");
    bad.name = "bad";
    bad.build = NULL;
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "application 'bad': it has no build function");
    bad = turned;
    bad.name = "bad";
    bad.constraints = "rows > 0; lines > 0";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "no parameter 'lines'");
    bad.constraints = "rows / (columns - 1) > 0"; /* no number is known yet: no fault */
    bad.inputs[0].when = "rows +";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "expected");
    bad.inputs[0].when = NULL;
    bad.parameters[2].same = "min(q, 1)";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "no parameter 'q'");
    bad.parameters[2].same = NULL;
    bad.inputs[0].shape = "rows, lines";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "no parameter 'lines'");
    bad.inputs[0].shape = "rows, 1, 1, 1, columns";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "5 dimensions: 4 are possible");
    bad.inputs[0].shape = "rows, max(columns, 1)";
    bad.outputs[0].shape = "";
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "expected");
    bad.outputs[0].shape = "rows";
    bad.parameters[2].role = (mmm_role)17;
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "role");
    bad.parameters[2].role = MMM_CHOICE;
    for (int i = 0; i < MMM_DATA_MOST; i++)
        bad.outputs[i] = turned.outputs[0];
    assert_fails(mmm_app_register(&bad), MMM_INVALID, "more than");
    assert_fails(mmm_app_open("bad", &app), MMM_INVALID, "unknown application 'bad'");
    assert_ok(mmm_app_register(&(mmm_app){.name = "least", .build = build}));
    assert_ok(mmm_app_open("least", &app));
    assert_string_equal(app->summary, "");
    /* A built-in application's name may be taken: what is registered comes first. */
    assert_ok(mmm_app_open("gcd", &again));
    mmm_app mine = turned;
    mine.name = "gcd";
    assert_ok(mmm_app_register(&mine));
    assert_ok(mmm_app_open("gcd", &app));
    assert_ptr_not_equal(app, again);
    assert_string_equal(app->summary, turned.summary);
}

/* A build that fails is the job's failure, and an output that was not said is found out. */
static mmm_status build_fails(mmm_job *job, mmm_program *program)
{
    (void)job, (void)program;
    return mmm_fail(MMM_TOO_LARGE, "not today");
}

static mmm_status build_without_output(mmm_job *job, mmm_program *program)
{
    mmm_f32_array a;
    (void)program;
    return mmm_job_input(job, 0, 0, mmm_job_length(job, 0), MMM_IN_OUT, &a);
}

static void test_builds(void **state)
{
    mmm_app app = turned;
    mmm_job *job;
    mmm_machine *machine;
    (void)state;
    assert_ok(mmm_machine_open("cpu", &machine));
    app.name = "fails";
    app.build = build_fails;
    assert_ok(mmm_app_register(&app));
    app.build = build_without_output;
    assert_fails(mmm_app_register(&app), MMM_INVALID, "another application is registered as 'fails'");
    assert_ok(mmm_job_new("fails", &job));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_TOO_LARGE, "not today");
    assert_no_result(job, 0, "not run");
    mmm_job_free(job);
    app.name = "forgets";
    assert_ok(mmm_app_register(&app));
    assert_ok(mmm_job_new("forgets", &job));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "b");
    mmm_job_free(job);
    assert_ok(mmm_job_new("turned", &job)); /* a constraint that does not hold */
    assert_ok(mmm_job_set(job, "height", 64));
    assert_fails(mmm_job_run(job, machine, NULL), MMM_INVALID, "width=8, height=64: turned needs height <= width");
    mmm_job_free(job);
    mmm_machine_free(machine);
}

static int begin(void **state)
{
    char path[64];
    (void)state;
    mkdir("build", 0777);
    snprintf(path, sizeof path, "build/test-wisdom-%d", (int)getpid());
    setenv("MMM_WISDOM", path, 1);
    return mmm_app_register(&turned) != MMM_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),     cmocka_unit_test(test_data),   cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_records), cmocka_unit_test(test_builds),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
