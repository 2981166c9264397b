/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels on a GPU from times of whole programs: runs are estimated as jobs are predicted, factors that made
 * times are found again, and what is wrong with a file of times is said. */
#include "study/runs.h"
#include "jobs.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static mmm_parameters h200(void)
{
    mmm_parameters machine;
    assert_ok(mmm_parameters_read("h200", &machine));
    return machine;
}

static mmm_job *job_of(const char *app, const char *settings)
{
    const mmm_app *record;
    mmm_job *job, *sketch;
    bool exists;
    assert_ok(mmm_app_open(app, &record));
    assert_ok(mmm_calibration_job(record, settings, 0, 1, false, &job, &exists));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    mmm_job_free(job);
    return sketch;
}

static void add(mmm_runs *runs, const char *settings, int set, double seconds)
{
    mmm_job *job = job_of(runs->app, settings);
    assert_ok(mmm_runs_add(runs, job, set, seconds));
    mmm_job_free(job);
}

/* The factors that a machine has, by code. */
static void factors_of(const mmm_runs *runs, mmm_factors out[MMM_CODES_MOST])
{
    memset(out, 0, MMM_CODES_MOST * sizeof *out);
    for (int c = 0; c < runs->code_count; c++) {
        const mmm_factors *f = mmm_gpu_factors_of(&runs->machine[0], runs->app, runs->codes[c], runs->features[c]);
        if (f) out[c] = *f;
    }
}

/* A run is estimated as its job is predicted: chains and DAGs, with decisions, with words of 64 bits; where kernels
 * have many blocks some stand for others, of nearly as many. */
static void test_estimates(void **state)
{
    (void)state;
    static const struct {
        const char *app, *settings;
        double within;
    } cases[] = {{"division", "n=4000 m=2000 s=64", 1e-9},
                 {"gcd", "n=3000 m=2800 s=16", 1e-9},
                 {"gcd", "n=9000 m=8000 s=4", 0.01},
                 {"gcd", "n=3000 m=2800 s=16 p=1152921504606846883", 1e-9},
                 {"gcd-stop", "n=3000 m=2800 s=16 r=8", 1e-9},
                 {"multiplication-ntt", "n=30000 m=20000", 1e-9},
                 {"sort", "n=100000", 1e-9}};
    const mmm_parameters machine = h200();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_factors factors[MMM_CODES_MOST];
        mmm_prediction p;
        mmm_runs runs;
        double seconds;
        mmm_job *job = job_of(cases[i].app, cases[i].settings);
        mmm_runs_begin(&runs, cases[i].app, &machine);
        assert_ok(mmm_predict(job, &machine, &p));
        add(&runs, cases[i].settings, 0, 1);
        factors_of(&runs, factors);
        assert_ok(mmm_run_estimate(&runs, &runs.all[0], factors, &seconds));
        assert_true(fabs(seconds / p.estimate - 1) <= cases[i].within);
        mmm_runs_free(&runs);
        mmm_job_free(job);
    }
}

static const char *const sizes[] = {"n=4000 m=3600", "n=8000 m=7500", "n=16000 m=15000"};
static const int steps[] = {8, 16, 32, 64, 128, 256};
enum { SIZES = 3, STEPS = 6 };

/* Times that factors have made: they are found again, so that a size that the fit has not seen is predicted, too. */
static void test_found_again(void **state)
{
    (void)state;
    const mmm_parameters machine = h200();
    mmm_factors made[MMM_CODES_MOST], found[MMM_CODES_MOST];
    mmm_runs runs;
    mmm_runs_begin(&runs, "gcd", &machine);
    for (int i = 0; i < SIZES * STEPS; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "%s s=%d", sizes[i / STEPS], steps[i % STEPS]);
        add(&runs, settings, i / STEPS, 1);
    }
    assert_int_equal(runs.count, SIZES * STEPS);
    factors_of(&runs, made);
    for (int c = 0; c < runs.code_count; c++)
        for (int i = 0; i < MMM_LIMITS; i++)
            made[c].factors[i] = i % 2 ? 1.4 : 0.9;
    for (int i = 0; i < SIZES * STEPS; i++)
        assert_ok(mmm_run_estimate(&runs, &runs.all[i], made, &runs.all[i].seconds));
    for (int without = -1; without < SIZES; without++) {
        mmm_runs_verdict verdict;
        assert_ok(mmm_runs_fit(&runs, without, &mmm_freedom_usual, found));
        for (int i = 0; i < SIZES * STEPS; i++) {
            double seconds;
            assert_ok(mmm_run_estimate(&runs, &runs.all[i], found, &seconds));
            assert_true(fabs(seconds / runs.all[i].seconds - 1) < 0.05);
        }
        assert_ok(mmm_runs_judge(&runs, found, &verdict));
        assert_true(verdict.chosen >= 0 && verdict.chosen < 0.03 && verdict.error < 0.03);
    }
    /* What made the times is better than any fit: it stays. */
    mmm_parameters other = machine;
    mmm_factors table[MMM_FACTORS_MOST];
    for (int c = 0; c < runs.code_count; c++)
        made[c].error = 0.125;
    runs.machine[0].factors = made;
    runs.machine[0].factor_count = runs.code_count;
    assert_ok(mmm_runs_learn(&runs, &other, table));
    assert_int_equal(other.factor_count, machine.factor_count);
    for (int c = 0; c < runs.code_count; c++)
        assert_memory_equal(mmm_factors_of(&other, "gcd", runs.codes[c]), &made[c], sizeof made[c]);
    mmm_runs_free(&runs);
}

/* A program under two names is one run, of the lesser time. */
static void test_same_program(void **state)
{
    (void)state;
    const mmm_parameters machine = h200();
    mmm_runs runs;
    mmm_runs_begin(&runs, "gcd", &machine);
    add(&runs, "n=400 m=300 s=8", 0, 2);
    add(&runs, "n=400 m=300 s=8", 0, 1);
    add(&runs, "n=400 m=300 s=8", 1, 3);
    assert_int_equal(runs.count, 2);
    assert_true(runs.all[0].seconds == 1 && runs.all[1].seconds == 3);
    mmm_runs_free(&runs);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Times in a file, three times what is predicted, make predictions that are as long; factors of other applications
 * stay as they are. */
static void test_from_file(void **state)
{
    (void)state;
    const mmm_parameters machine = h200();
    mmm_parameters out, read;
    char folder[] = "/tmp/mmm-runs-XXXXXX", times[64], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(times, sizeof times, "%s/times.csv", folder);
    snprintf(path, sizeof path, "%s/machine.json", folder);
    FILE *file = fopen(times, "w");
    assert_non_null(file);
    fputs("app,size,choice,seconds\n", file);
    for (int i = 0; i < STEPS; i++) {
        char settings[64];
        mmm_prediction p;
        snprintf(settings, sizeof settings, "n=4000 m=3600 s=%d", steps[i]);
        mmm_job *job = job_of("gcd", settings);
        assert_ok(mmm_predict(job, &machine, &p));
        fprintf(file, "gcd,n=4000 m=3600,s=%d,%.9g,more,that is not looked at\n", steps[i], 3 * p.estimate);
        mmm_job_free(job);
    }
    assert_int_equal(fclose(file), 0);
    assert_ok(mmm_calibrate_from("h200", times, NULL, NULL, NULL, path, &out));
    assert_ok(mmm_parameters_read(path, &read));
    assert_int_equal(read.factor_count, machine.factor_count);
    assert_true(read.unfold == machine.unfold && read.gpu_64[0] == machine.gpu_64[0]);
    for (int i = 0; i < STEPS; i++) {
        char settings[64];
        mmm_prediction before, after;
        snprintf(settings, sizeof settings, "n=4000 m=3600 s=%d", steps[i]);
        mmm_job *job = job_of("gcd", settings), *other = job_of("division", settings);
        assert_ok(mmm_predict(job, &machine, &before));
        assert_ok(mmm_predict(job, &read, &after));
        assert_true(fabs(after.estimate / (3 * before.estimate) - 1) < 0.15);
        assert_ok(mmm_predict(other, &machine, &before));
        assert_ok(mmm_predict(other, &read, &after));
        assert_true(fabs(after.estimate / before.estimate - 1) < 1e-5); /* six digits of a number are kept */
        mmm_job_free(job);
        mmm_job_free(other);
    }
    static const struct {
        const char *text, *app;
        const char *message;
    } wrong[] = {{"app,size,choice,seconds\ngcd,n=40 m=30,s=8\n", NULL, "line 2: an application, a size"},
                 {"app,size,choice,seconds\ngcd,n=40 m=30,s=8,soon\n", NULL, "line 2: 'soon' are no seconds"},
                 {"app,size,choice,seconds\ngcd,n=40 m=30,s=8,-1\n", NULL, "line 2: '-1' are no seconds"},
                 {"app,size,choice,seconds\ngcd,n=40 m=30,x=8,1\n", NULL, "line 2: "},
                 {"app,size,choice,seconds\nnone,n=40 m=30,s=8,1\n", NULL, "none"},
                 {"app,size,choice,seconds\n", NULL, "has no times of any application"},
                 {"app,size,choice,seconds\ngcd,n=40 m=30,s=8,1\n", "sort", "has no times of sort"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text(times, wrong[i].text);
        assert_fails(mmm_calibrate_from("h200", times, wrong[i].app, NULL, NULL, path, &out), MMM_INVALID,
                     wrong[i].message);
    }
    assert_fails(mmm_calibrate_from("abstract", times, NULL, NULL, NULL, path, &out), MMM_INVALID,
                 "has no constants of a GPU");
    unlink(times);
    unlink(path);
    rmdir(folder);
}

/* Without decisions gcd-stop does what gcd does, though call i finds what only call i - 1 writes. */
static void test_stop(void **state)
{
    (void)state;
    mmm_parameters machine = h200();
    machine.factor_count = 0;
    for (int i = 0; i < STEPS; i++) {
        char settings[64];
        mmm_prediction plain, stops, decides, unfolds;
        snprintf(settings, sizeof settings, "n=5000 m=4500 s=%d", steps[i]);
        mmm_job *job = job_of("gcd", settings);
        assert_ok(mmm_predict(job, &machine, &plain));
        mmm_job_free(job);
        snprintf(settings, sizeof settings, "n=5000 m=4500 r=100000 s=%d", steps[i]);
        job = job_of("gcd-stop", settings);
        assert_ok(mmm_predict(job, &machine, &stops));
        mmm_job_free(job);
        assert_true(fabs(stops.estimate / plain.estimate - 1) < 0.03);
        /* and what decisions add is theirs, and that of the kernels that they add */
        snprintf(settings, sizeof settings, "n=5000 m=4500 r=4 s=%d", steps[i]);
        job = job_of("gcd-stop", settings);
        mmm_shape shape;
        assert_ok(mmm_job_plan(job)); /* its own program is counted, and unfolds */
        machine.unfold = 0;
        assert_ok(mmm_predict(job, &machine, &decides));
        assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
        machine.unfold = 1000;
        assert_ok(mmm_predict(job, &machine, &unfolds));
        machine.unfold = 0;
        const double added = (double)(shape.unfolded - shape.decisions) * 1000 * machine.operation;
        assert_true(shape.unfolded > shape.decisions && shape.decisions > 0);
        assert_true(fabs((unfolds.estimate - decides.estimate) / added - 1) < 1e-6);
        mmm_job_free(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates), cmocka_unit_test(test_found_again), cmocka_unit_test(test_same_program),
        cmocka_unit_test(test_from_file), cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
