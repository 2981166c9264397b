/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a built-in application in a folder is the same in everything. */
#include "folders.h"
#include "study/study.h"

#include "mmm/formula.h"
#include "mmm/study.h"

enum { COPIES = 2, TRIALS = 3 };

static mmm_job *job_of(const char *app, int64_t s)
{
    mmm_job *job;
    assert_ok(mmm_job_new(app, &job));
    assert_ok(mmm_job_set(job, "n", 130));
    assert_ok(mmm_job_set(job, "m", 90));
    if (s) assert_ok(mmm_job_set(job, "s", s));
    return job;
}

static void compare_runs(const char *const *apps)
{
    static const char *const names[] = {"cpu", "abstract", "opencl:0"};
    for (int m = 0; m < 3; m++)
        for (int64_t s = 5; s <= 16; s += 11) {
            mmm_job *jobs[COPIES];
            mmm_machine *machines[COPIES];
            const uint64_t *results[COPIES];
            int64_t counts[COPIES];
            mmm_shape shapes[COPIES];
            mmm_measures measures[COPIES];
            memset(shapes, 0, sizeof shapes);
            memset(measures, 0, sizeof measures);
            if (mmm_machine_open(names[m], &machines[0]) != MMM_OK) continue;
            assert_ok(mmm_machine_open(names[m], &machines[1]));
            for (int i = 0; i < COPIES; i++) {
                jobs[i] = job_of(apps[i], s);
                assert_ok(mmm_job_run(jobs[i], machines[i], NULL));
                assert_ok(mmm_job_check(jobs[i]));
                results[i] = mmm_job_result(jobs[i], 0, &counts[i]);
                assert_ok(mmm_program_shape(mmm_job_program(jobs[i]), &shapes[i]));
            }
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(results[0], results[1], (size_t)counts[0] * sizeof(uint64_t));
            assert_memory_equal(&shapes[0], &shapes[1], sizeof shapes[0]);
            const mmm_counts *x = mmm_machine_counts(machines[0]), *y = mmm_machine_counts(machines[1]);
            if (x) {
                assert_int_equal(x->violation_count, 0);
                assert_int_equal(y->violation_count, 0);
                assert_int_equal(x->arithmetic, y->arithmetic);
                assert_int_equal(x->local_accesses, y->local_accesses);
                assert_int_equal(x->global_reads, y->global_reads);
                assert_int_equal(x->global_writes, y->global_writes);
                assert_int_equal(x->local_words, y->local_words);
                for (int i = 0; i < COPIES; i++)
                    assert_ok(mmm_program_measures(mmm_job_program(jobs[i]), mmm_parameters_builtin(), &measures[i]));
                assert_memory_equal(&measures[0], &measures[1], sizeof measures[0]);
                assert_true(measures[0].work > 0);
            }
            for (int i = 0; i < COPIES; i++) {
                mmm_job_free(jobs[i]);
                mmm_machine_free(machines[i]);
            }
        }
}

static void compare_tuning(const char *const *apps)
{
    mmm_parameters parameters;
    mmm_tuning tunings[COPIES];
    mmm_machine *machine;
    assert_ok(
        mmm_parameters_read("U=10,Z=2000,P=2,lanes=8,threads=1024,operation=1e-9,barrier=5,launch=100", &parameters));
    assert_ok(mmm_machine_open("cpu", &machine));
    for (int i = 0; i < COPIES; i++) {
        mmm_job *job = job_of(apps[i], 0);
        assert_ok(mmm_tune(job, machine, &parameters, &(mmm_tune_options){.dry_run = 1}, &tunings[i]));
        mmm_job_free(job);
    }
    assert_int_equal(tunings[0].count, tunings[1].count);
    assert_int_equal(tunings[0].chosen, tunings[1].chosen);
    assert_true(tunings[0].count > 10);
    for (int k = 0; k < tunings[0].count; k++) {
        const mmm_candidate *x = &tunings[0].candidates[k], *y = &tunings[1].candidates[k];
        assert_memory_equal(x->values, y->values, sizeof x->values);
        assert_string_equal(x->reason, y->reason);
        assert_true(x->prediction.plain == y->prediction.plain);
        assert_true(x->prediction.extended == y->prediction.extended);
        assert_true(x->prediction.estimate == y->prediction.estimate);
        assert_true(x->prediction.measures.work == y->prediction.measures.work &&
                    x->prediction.measures.span == y->prediction.measures.span);
        assert_true(x->prediction.measures.overhead == y->prediction.measures.overhead &&
                    x->prediction.measures.C == y->prediction.measures.C);
    }
    for (int i = 0; i < COPIES; i++)
        mmm_tuning_free(&tunings[i]);
    mmm_machine_free(machine);
}

/* The data of a report as text. */
static char *report_of(const char *app)
{
    mmm_job *jobs[TRIALS];
    mmm_machine *machines[TRIALS];
    mmm_analysis analyses[TRIALS];
    mmm_trial trials[TRIALS];
    mmm_parameters machine;
    char path[4300], *text = NULL;
    int64_t size;
    memset(analyses, 0, sizeof analyses);
    assert_ok(mmm_parameters_read("U=10,Z=8192,P=4,operation=1e-6,launch=100", &machine));
    for (int i = 0; i < TRIALS; i++) {
        jobs[i] = job_of(app, 8 << i);
        assert_ok(mmm_machine_open_abstract(&machine, 1, &machines[i]));
        assert_ok(mmm_job_run(jobs[i], machines[i], NULL));
        assert_ok(mmm_analysis_make(&analyses[i], mmm_job_program(jobs[i]), &machine, NULL, 0, 1));
        analyses[i].app = mmm_job_app(jobs[i])->name;
        analyses[i].job = jobs[i];
        analyses[i].counts = mmm_machine_counts(machines[i]);
        trials[i] = (mmm_trial){.value = 8 << i, .analysis = &analyses[i], .runs = 1, .median = 0.1 * (i + 1)};
    }
    mmm_report_input input = {.app = mmm_job_app(jobs[0]),
                              .job = jobs[0],
                              .parameter = "s",
                              .trials = trials,
                              .count = TRIALS,
                              .chosen = -1,
                              .machine = machine,
                              .device = "cpu",
                              .seed = 1,
                              .date = 86400};
    snprintf(path, sizeof path, "%s/report.json", base);
    assert_ok(mmm_report_data(&input, path));
    assert_ok(mmm_file_read(path, 1 << 24, &text, &size));
    snprintf(path, sizeof path, "%s/report.html", base);
    assert_ok(mmm_report_html(&input, path));
    char *page = NULL;
    assert_ok(mmm_file_read(path, 1 << 24, &page, &size));
    char *both = calloc(strlen(text) + strlen(page) + 1, 1);
    sprintf(both, "%s%s", text, page);
    free(text);
    free(page);
    for (int i = 0; i < TRIALS; i++) {
        mmm_job_free(jobs[i]);
        mmm_machine_free(machines[i]);
    }
    return both;
}

static void test_copy(void **state)
{
    char *folder = strdup(copy_gcd("gcd"));
    const char *const apps[COPIES] = {"gcd", folder};
    const mmm_app *app, *again, *built_in;
    char path[4300];
    (void)state;
    assert_ok(mmm_app_open(folder, &app));
    assert_string_equal(app->name, "gcd");
    assert_string_equal(mmm_app_folder(app), folder);
    snprintf(path, sizeof path, "%s/../gcd/.", folder); /* by whatever path, it is opened once */
    assert_ok(mmm_app_open(path, &again));
    assert_ptr_equal(app, again);
    assert_ok(mmm_app_open("gcd", &built_in));
    assert_ptr_not_equal(app, built_in);
    assert_null(mmm_app_folder(built_in));
    compare_runs(apps);
    compare_tuning(apps);
    char *reports[COPIES] = {report_of("gcd"), report_of(folder)};
    assert_true(strlen(reports[0]) > 1000);
    assert_string_equal(reports[0], reports[1]);
    for (int i = 0; i < COPIES; i++)
        free(reports[i]);
    /* Its analysis is the one in the folder. */
    mmm_formula *formula;
    assert_ok(mmm_app_formula(app, &formula));
    assert_non_null(formula);
    mmm_formula_free(formula);
    write_text(folder, "formulas.txt",
               "title Mine\nsize n terms\nparameter s steps\nchoose s\nwhere s >= 1\nW = n*s\n");
    assert_ok(mmm_app_formula(app, &formula));
    assert_string_equal(mmm_formula_title(formula), "Mine");
    mmm_formula_free(formula);
    snprintf(path, sizeof path, "%s/formulas.txt", folder);
    assert_int_equal(unlink(path), 0);
    assert_ok(mmm_app_formula(app, &formula));
    assert_null(formula);
    free(folder);
}

/* An application of more than one file, in another dimension, of several inputs. */
static void test_included(void **state)
{
    (void)state;
    const char *folder = small_app("included",
                                   "#include \"more.h\"\n"
                                   "KERNEL void twice(GLOBAL const float *a, GLOBAL float *b, int n)\n{\n"
                                   "    THREADS (t) {\n        int i = block * block_size + t;\n"
                                   "        if (i < n) b[i] = half_of(FOUR * a[i]);\n        OPS(1);\n    }\n}\n",
                                   plain_app);
    write_text(folder, "more.h", "#define FOUR 4\nfloat half_of(float x) { return x / 2; }\n");
    mmm_job *job;
    mmm_machine *machine;
    int64_t count;
    assert_ok(mmm_job_new(folder, &job));
    assert_ok(mmm_machine_open("cpu", &machine));
    assert_ok(mmm_job_run(job, machine, NULL));
    const float *a = mmm_job_given(job, 0, NULL), *b = mmm_job_result(job, 0, &count);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; i++)
        assert_true(b[i] == 2 * a[i]);
    mmm_job_free(job);
    mmm_machine_free(machine);
}

/* What `mmm new` writes works as it is. */
static void test_new(void **state)
{
    mmm_job *job;
    mmm_machine *machine;
    (void)state;
    assert_ok(mmm_app_create(place_of("fresh")));
    assert_fails(mmm_app_create(place_of("fresh")), MMM_INVALID, "fresh");
    assert_fails(mmm_app_create(place_of("two words")), MMM_INVALID, "'two words' is no name for an application");
    assert_fails(mmm_app_create(place_of("gcd/")), MMM_INVALID, "'gcd' is the name of an application that is built in");
    assert_ok(mmm_job_new(place_of("fresh"), &job));
    assert_ok(mmm_machine_open("abstract", &machine));
    assert_ok(mmm_job_run(job, machine, NULL));
    assert_int_equal(mmm_machine_counts(machine)->violation_count, 0);
    assert_ok(mmm_job_check(job));
    mmm_job_free(job);
    mmm_machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_included),
        cmocka_unit_test(test_new),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
