/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of blocks against the abstract machine's counts, the extended bound, and what is said of bad machines. */
#include "study/constants.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

static void measure(mmm_job *job, const mmm_parameters *machine, mmm_shape *shape, mmm_measures *measures)
{
    assert_ok(mmm_program_shape(mmm_job_program(job), shape));
    assert_ok(mmm_program_measures(mmm_job_program(job), machine, measures));
}

static void set_costs(mmm_program *program, const mmm_profiles *p)
{
    for (int64_t k = 0; k < p->kernels; k++) {
        mmm_cost costs[256];
        int64_t count;
        const mmm_profile *groups = mmm_profiles_of(p, k, &count);
        assert_true(count > 0 && count <= 256);
        for (int64_t g = 0; g < count; g++)
            costs[g] = groups[g].cost;
        assert_ok(mmm_program_set_costs(program, (int)k, costs, (int)count));
    }
}

/* With a large budget every block is counted, with none as few as possible: the measures are the same.  Only the gcd,
 * whose cost depends on the degrees that a run finds, and the overhead of radix sort are estimates: near. */
static void test_equal_counts(void **state)
{
    (void)state;
    mmm_parameters machine = *mmm_parameters_builtin();
    machine.lanes = 8;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++)
        for (int64_t budget = 0; budget <= 1 << 30; budget += 1 << 30) {
            mmm_job *job = job_of(&grid[i]);
            mmm_machine *abstract;
            mmm_shape shape, shape2;
            mmm_measures full, sampled;
            mmm_profiles profiles;
            assert_ok(mmm_machine_open_abstract(&machine, 1, &abstract));
            assert_ok(mmm_job_run(job, abstract, NULL));
            measure(job, &machine, &shape, &full);
            assert_ok(mmm_profile_job(job, &machine, budget, &profiles));
            assert_int_equal(profiles.exact, budget > 0);
            set_costs(mmm_job_program(job), &profiles);
            measure(job, &machine, &shape2, &sampled);
            assert_int_equal(shape.N, shape2.N);
            assert_int_equal(shape.L, shape2.L);
            if (budget == 0 && strncmp(grid[i].app, "gcd", 3) == 0) {
                assert_true(fabs((double)sampled.work / (double)full.work - 1) < 0.15);
                assert_true(fabs(sampled.overhead / full.overhead - 1) < 0.3);
            } else {
                if (sampled.work != full.work)
                    fail_msg("%s n=%d: work %lld, counted %lld", grid[i].app, (int)grid[i].n, (long long)sampled.work,
                             (long long)full.work);
                assert_int_equal(sampled.span, full.span);
                bool scans =
                    strcmp(grid[i].app, "radix-sort") == 0 && budget == 0; /* of different lengths: one is counted */
                if (fabs(sampled.overhead / full.overhead - 1) > (scans ? 0.02 : 0))
                    fail_msg("%s n=%d s=%d: overhead %lld, counted %lld", grid[i].app, (int)grid[i].n, (int)grid[i].s,
                             (long long)sampled.overhead_words, (long long)full.overhead_words);
                assert_true(scans || sampled.C == full.C);
            }
            mmm_profiles_free(&profiles);
            mmm_machine_free(abstract);
            mmm_job_free(job);
        }
}

/* One lane: a region takes what all its threads do together; unlimited lanes: what the slowest does. */
static void test_lanes(void **state)
{
    (void)state;
    mmm_parameters machine = *mmm_parameters_builtin();
    mmm_job *job = job_of(&grid[1]);
    mmm_profiles one, all;
    machine.lanes = 1;
    assert_ok(mmm_profile_job(job, &machine, 1 << 30, &one));
    machine.lanes = 0;
    assert_ok(mmm_profile_job(job, &machine, 1 << 30, &all));
    for (int64_t g = 0; g < one.group_count; g++)
        assert_int_equal(one.groups[g].lane_operations, one.groups[g].cost.work);
    for (int64_t g = 0; g < all.group_count; g++)
        assert_int_equal(all.groups[g].lane_operations, all.groups[g].cost.span);
    mmm_profiles_free(&one);
    mmm_profiles_free(&all);
    mmm_job_free(job);
}

/* Without launches and barriers and with lanes for all, the extended bound of a chain is at most Theorem 1's. */
static void test_bound(void **state)
{
    (void)state;
    mmm_parameters machine;
    mmm_prediction p;
    assert_ok(mmm_parameters_read("U=100,Z=12288,P=4,operation=1", &machine));
    for (int i = 0; i < 5; i++) {
        mmm_job *job = job_of(&grid[i]);
        assert_ok(mmm_predict(job, &machine, &p));
        assert_true(p.extended <= p.plain * (1 + 1e-12) && p.estimate <= p.extended * (1 + 1e-12));
        mmm_parameters dear = machine;
        dear.launch = 1000;
        mmm_prediction q;
        assert_ok(mmm_predict(job, &dear, &q));
        assert_true(fabs(q.extended - p.extended - 1000.0 * mmm_program_kernels(mmm_job_program(job))) <
                    1e-6 * q.extended);
        mmm_job_free(job);
    }
}

/* No bound of ours lies below our own estimate, whatever rates were fitted. */
static void test_bound_and_estimate(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu-epyc", "h200", "U=10,Z=4000,operation=1e-9,launch=3,barrier=2,lanes=4"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        mmm_parameters machine;
        assert_ok(mmm_parameters_read(names[k], &machine));
        for (int i = 0; i < 5; i++) {
            mmm_job *job = job_of(&grid[i]);
            mmm_prediction p;
            assert_ok(mmm_predict(job, &machine, &p));
            assert_true(p.estimate > 0 && p.estimate <= p.extended * (1 + 1e-12));
            mmm_job_free(job);
        }
    }
}

/* Runs a job on the abstract machine, and predicts it from as few blocks as can be: how far its work and its span are
 * from those that were counted. */
static void guess(mmm_job *job, const mmm_parameters *machine, double *work, double *span)
{
    mmm_machine *abstract;
    mmm_shape shape;
    mmm_measures full, guessed;
    mmm_profiles profiles;
    assert_ok(mmm_machine_open_abstract(machine, 1, &abstract));
    assert_ok(mmm_job_run(job, abstract, NULL));
    measure(job, machine, &shape, &full);
    assert_ok(mmm_profile_job(job, machine, 0, &profiles));
    set_costs(mmm_job_program(job), &profiles);
    measure(job, machine, &shape, &guessed);
    *work = fabs((double)guessed.work / (double)full.work - 1);
    *span = fabs((double)guessed.span / (double)full.span - 1);
    mmm_profiles_free(&profiles);
    mmm_machine_free(abstract);
}

/* Large s is extrapolated from smaller ones. */
static void test_extrapolation(void **state)
{
    (void)state;
    mmm_parameters machine = *mmm_parameters_builtin();
    machine.lanes = 8;
    machine.Z = 1 << 20;
    shape_case large = {"division", 2400, 1200, 512, 0};
    mmm_job *job = job_of(&large);
    double work, span;
    guess(job, &machine, &work, &span);
    assert_true(work < 0.15);
    assert_true(span < 0.05);
    mmm_job_free(job);
}

/* Of many kernels like each other one of the middle stands for all: of jumps, not the first, which divides. */
static void test_typical(void **state)
{
    static const struct {
        const char *app, *names[8];
        int64_t values[8];
    } cases[] = {{"gcd-jump", {"n", "m", "s", "h", "l", "r", "k"}, {900, 800, 60, 64, 16, 1, 2}},
                 {"gcd-jump", {"n", "m", "s", "h", "l", "r", "k"}, {900, 800, 60, 64, 4, 8, 1}},
                 {"gcd-jump", {"n", "m", "s", "h", "l", "r", "k"}, {900, 800, 60, 64, 64, 0, 2}},
                 {"gcd-half", {"n", "m", "s", "h", "l", "j", "k"}, {1200, 1100, 60, 64, 16, 2, 1}},
                 {"sort", {"n", "s", "e", "method", "b"}, {20000, 8, 4096, 4, 16}},
                 {"sort", {"n", "s", "e", "method", "b", "values"}, {20000, 11, 4096, 4, 64, 1}}};
    (void)state;
    mmm_parameters machine = *mmm_parameters_builtin();
    machine.Z = 1 << 20;
    for (int i = 0; i < 6; i++) {
        mmm_job *job;
        double work, span;
        assert_ok(mmm_job_new(cases[i].app, &job));
        for (int j = 0; cases[i].names[j]; j++)
            assert_ok(mmm_job_set(job, cases[i].names[j], cases[i].values[j]));
        guess(job, &machine, &work, &span);
        assert_true(work < 0.3); /* of the first jump 0.6 to 1.3 */
        assert_true(span < 0.2);
        mmm_job_free(job);
    }
}

/* Kernels that each do a little less than the one before, in as many blocks: those that stand for others are in the
 * middle of these. */
static void test_falling(void **state)
{
    (void)state;
    mmm_parameters machine = *mmm_parameters_builtin();
    machine.Z = 1 << 20;
    for (int64_t l = 128; l <= 1024; l *= 2) {
        mmm_job *job;
        double work, span;
        assert_ok(mmm_job_new("gcd-naive", &job));
        assert_ok(mmm_job_set(job, "n", 1350));
        assert_ok(mmm_job_set(job, "m", 1250));
        assert_ok(mmm_job_set(job, "l", l));
        guess(job, &machine, &work, &span);
        assert_true(work < 0.2); /* by the first of those that one stands for up to 0.67 */
        mmm_job_free(job);
    }
}

/* A sketch of a job has few of its elements, and costs what the job does. */
static void test_sketch(void **state)
{
    static const struct {
        const char *app, *more;
        int64_t n, value;
    } cases[] = {{"ntt", "s", 1 << 18, 7}, {"multiplication-ntt", "m", 150000, 140000}, {"radix-sort", "s", 200000, 6}};
    (void)state;
    mmm_parameters machines[2];
    assert_ok(mmm_parameters_read("cpu-epyc", &machines[0]));
    assert_ok(mmm_parameters_read("h200", &machines[1]));
    for (int i = 0; i < 6; i++) {
        const mmm_parameters *machine = &machines[i % 2];
        mmm_job *job, *sketch;
        mmm_profiles full, little;
        assert_ok(mmm_job_new(cases[i / 2].app, &job));
        assert_ok(mmm_job_set(job, "n", cases[i / 2].n));
        assert_ok(mmm_job_set(job, cases[i / 2].more, cases[i / 2].value));
        assert_ok(mmm_job_sketch_of(job, &sketch));
        assert_int_equal(mmm_job_sketch(sketch), MMM_SKETCH);
        assert_ok(mmm_job_plan(job));
        assert_ok(mmm_profile_job(job, machine, MMM_PROFILE_BUDGET, &full));
        assert_ok(mmm_job_plan(sketch));
        assert_ok(mmm_profile_job(sketch, machine, MMM_PROFILE_BUDGET, &little));
        assert_int_equal(little.kernels, full.kernels);
        assert_true(little.work > 0);
        for (int64_t k = 0; k < full.kernels; k++) {
            double sums[2][2] = {{0}};
            const mmm_profiles *both[2] = {&full, &little};
            for (int j = 0; j < 2; j++) {
                int64_t groups;
                const mmm_profile *all = mmm_profiles_of(both[j], k, &groups);
                for (const mmm_profile *p = all; p < all + groups; p++) {
                    sums[j][0] += (double)p->cost.blocks * (double)p->cost.work;
                    sums[j][1] +=
                        (double)p->cost.blocks * (double)(i % 2 ? p->at_once[0][MMM_LIMIT_LATENCY] : p->accesses);
                }
            }
            for (int j = 0; j < 2; j++) /* keys are others */
                assert_true(fabs(sums[1][j] - sums[0][j]) <= (i < 4 ? 0 : 0.02) * sums[0][j]);
        }
        mmm_profiles_free(&full);
        mmm_profiles_free(&little);
        mmm_job_free(sketch);
        mmm_job_free(job);
    }
}

/* A program that unfolds runs with all of its data, as transforms without their factors decide on anything. */
static void test_sketch_unfolds(void **state)
{
    static const struct {
        const char *name;
        int64_t value;
    } settings[] = {{"n", 900}, {"m", 800}, {"s", 60}, {"j", 16}, {"h", 1}, {"l", 32}, {"u", 1}};
    (void)state;
    mmm_parameters machine;
    mmm_machine *host;
    mmm_job *job, *sketch;
    mmm_profiles profiles;
    assert_ok(mmm_parameters_read("cpu-epyc", &machine));
    assert_ok(mmm_job_new("gcd-half", &job));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_ok(mmm_job_set(job, settings[i].name, settings[i].value));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    assert_ok(mmm_profile_job(sketch, &machine, MMM_PROFILE_BUDGET, &profiles));
    assert_ok(mmm_machine_open("cpu", &host));
    assert_ok(mmm_job_run(job, host, NULL));
    assert_int_equal(profiles.kernels, mmm_program_kernels(mmm_job_program(job)));
    mmm_profiles_free(&profiles);
    mmm_machine_free(host);
    mmm_job_free(sketch);
    mmm_job_free(job);
}

/* What an application foresees of a program that unfolds is what a run makes of it, with and without a common factor;
 * where data are given it foresees nothing, and what is small enough to be counted in full is run. */
static void test_foreseen(void **state)
{
    (void)state;
    static const int64_t cases[][5] = {{900, 800, 16, 2, 1},  {900, 800, 16, 2, 300}, {500, 500, 1, 3, 40},
                                       {700, 300, 7, 1, 300}, {640, 600, 64, 1, 77},  {400, 399, 3, 5, 2}};
    static const char *const names[] = {"n", "m", "s", "r", "d"};
    const uint64_t a[] = {1, 2, 3};
    mmm_parameters machine;
    mmm_profiles profiles;
    mmm_machine *host;
    mmm_job *job, *sketch;
    assert_ok(mmm_parameters_read("h200", &machine));
    assert_ok(mmm_machine_open("cpu", &host));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_ok(mmm_job_new("gcd-stop", &job));
        for (int i = 0; i < 5; i++)
            assert_ok(mmm_job_set(job, names[i], cases[c][i]));
        assert_ok(mmm_job_sketch_of(job, &sketch));
        assert_ok(mmm_job_plan(sketch));
        assert_true(mmm_job_foresees(sketch));
        assert_ok(mmm_job_foresee(sketch));
        assert_ok(mmm_job_run(job, host, NULL));
        const mmm_digest foreseen = mmm_program_digest(mmm_job_program(sketch)),
                         ran = mmm_program_digest(mmm_job_program(job));
        assert_int_equal(mmm_program_kernels(mmm_job_program(sketch)), mmm_program_kernels(mmm_job_program(job)));
        assert_memory_equal(&foreseen, &ran, sizeof ran);
        mmm_job_free(sketch);
        mmm_job_free(job);
    }
    assert_ok(mmm_job_new("gcd-stop", &job));
    assert_ok(mmm_job_set(job, "n", 30));
    assert_ok(mmm_job_set(job, "m", 20));
    assert_ok(mmm_job_set(job, "s", 2));
    assert_ok(mmm_job_set(job, "r", 1));
    assert_ok(mmm_profile_job(job, &machine, MMM_PROFILE_BUDGET, &profiles));
    assert_true(profiles.exact);
    mmm_profiles_free(&profiles);
    assert_ok(mmm_job_polynomial(job, 1, 2013265921, a, 3));
    assert_false(mmm_job_foresees(job));
    mmm_job_free(job);
    mmm_machine_free(host);
}

/* What is given, or many problems, is counted as it is. */
static void test_no_sketch(void **state)
{
    (void)state;
    const uint64_t a[] = {1, 2, 3};
    mmm_job *job = job_of(&grid[0]), *sketch;
    assert_ok(mmm_job_set_batch(job, 2));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    assert_null(sketch);
    mmm_job_free(job);
    assert_ok(mmm_job_new("division", &job));
    assert_ok(mmm_job_polynomial(job, 1, 2013265921, a, 3));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    assert_null(sketch);
    mmm_job_free(job);
}

static void test_not_calibrated(void **state)
{
    (void)state;
    mmm_job *job = job_of(&grid[0]);
    mmm_prediction p;
    mmm_parameters slow = *mmm_parameters_builtin();
    assert_fails(mmm_predict(job, mmm_parameters_builtin(), &p), MMM_INVALID, "machine abstract is not calibrated");
    slow.operation = slow.launch = 1e300;
    assert_fails(mmm_predict(job, &slow, &p), MMM_TOO_LARGE, "takes longer on machine abstract than a number can hold");
    mmm_job_free(job);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_counts),   cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_bound),          cmocka_unit_test(test_bound_and_estimate),
        cmocka_unit_test(test_extrapolation),  cmocka_unit_test(test_typical),
        cmocka_unit_test(test_falling),        cmocka_unit_test(test_sketch),
        cmocka_unit_test(test_sketch_unfolds), cmocka_unit_test(test_foreseen),
        cmocka_unit_test(test_no_sketch),      cmocka_unit_test(test_not_calibrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
