/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of blocks against the abstract machine's counts, the extended bound, and what is said of bad machines. */
#include "study/constants.h"
#include "jobs.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *app;
    int64_t n, m, s, l;
} shape_case;

static const shape_case grid[] = {
    {"division", 100, 50, 1, 0},
    {"division", 257, 100, 8, 0},
    {"division", 300, 299, 16, 0},
    {"division", 400, 10, 32, 0},
    {"division", 513, 257, 64, 0},
    {"division-naive", 120, 50, 0, 16},
    {"gcd", 60, 50, 4, 0},
    {"gcd", 200, 170, 16, 0},
    {"gcd", 300, 300, 32, 0},
    {"gcd-naive", 60, 40, 0, 8},
    {"multiplication", 100, 60, 4, 8},
    {"multiplication", 333, 100, 8, 16},
    {"multiplication", 50, 7, 1, 32},
    {"radix-sort", 1000, 0, 4, 16},
    {"radix-sort", 777, 0, 8, 32},
};

static mmm_job *job_of(const shape_case *c)
{
    mmm_job *job;
    assert_ok(mmm_job_new(c->app, &job));
    assert_ok(mmm_job_set(job, "n", c->n));
    if (c->m) assert_ok(mmm_job_set(job, "m", c->m));
    if (c->s) assert_ok(mmm_job_set(job, "s", c->s));
    if (c->l) assert_ok(mmm_job_set(job, "l", c->l));
    return job;
}

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

static mmm_job *sort_of(int64_t n, int64_t s, int64_t l, int64_t e, int64_t method, int64_t b)
{
    static const char *const names[] = {"n", "s", "l", "e", "method", "b", "values"};
    const int64_t values[] = {n, s, l, e, method, b, 1};
    mmm_job *job, *sketch;
    assert_ok(mmm_job_new("sort", &job));
    for (int i = 0; i < 7; i++)
        assert_ok(mmm_job_set(job, names[i], values[i]));
    assert_ok(mmm_job_sketch_of(job, &sketch));
    mmm_job_free(job);
    assert_ok(mmm_job_plan(sketch));
    return sketch;
}

/* A block that grows with the size is found from smaller sizes, and one that makes many accesses is not counted to its
 * end: a prediction of 10^8 keys counts about as much as one of 10^6. */
static void test_large_blocks(void **state)
{
    static const int64_t choices[][5] = {{8, 256, 16, 1, 1}, {8, 256, 16, 2, 1}, {8, 128, 4, 3, 1}};
    (void)state;
    mmm_parameters machines[2];
    assert_ok(mmm_parameters_read("cpu-epyc", &machines[0]));
    assert_ok(mmm_parameters_read("h200", &machines[1]));
    for (int i = 0; i < 3; i++) {
        const int64_t *c = choices[i];
        mmm_job *job = sort_of(100000000, c[0], c[1], c[2], c[3], c[4]);
        mmm_prediction p;
        int64_t work;
        assert_ok(mmm_predict_each(job, &machines[1], &p, NULL, &work));
        assert_true(work < 8 << 20 && p.estimate > 0.002);
        mmm_job_free(job);
    }
    for (int i = 0; i < 2; i++) { /* scatter is the second of its kernels */
        mmm_job *job = sort_of(1 << 21, 8, 256, 8, 2, 1);
        mmm_sampler *sampler;
        mmm_profile all, found;
        bool is_found;
        int64_t work = 0;
        assert_ok(mmm_job_load(job));
        assert_ok(mmm_sampler_new(job->program, &machines[i], &sampler));
        assert_ok(mmm_sampler_block(sampler, 1, 1, &all));
        assert_ok(mmm_block_from_smaller(job, &machines[i], 1, 1 << 17, &found, &is_found, &work));
        assert_true(is_found && work < 1 << 19);
        assert_true(llabs(found.cost.work - all.cost.work) < all.cost.work / 100);
        assert_true(llabs(found.accesses - all.accesses) < all.accesses / 100);
        mmm_sampler_limit(sampler, all.accesses / 2, false);
        assert_int_equal(mmm_sampler_block(sampler, 1, 1, &found), MMM_TOO_LARGE);
        mmm_sampler_limit(sampler, all.accesses, false); /* the one that was left does not count */
        assert_ok(mmm_sampler_block(sampler, 1, 1, &found));
        assert_int_equal(found.cost.work, all.cost.work);
        assert_int_equal(found.requests, all.requests);
        mmm_sampler_limit(sampler, all.accesses, true); /* nor is one given up that will not make more */
        assert_ok(mmm_sampler_block(sampler, 1, 1, &found));
        work = mmm_sampler_work(sampler);
        mmm_sampler_limit(sampler, all.accesses / 2, true);
        assert_int_equal(mmm_sampler_block(sampler, 1, 1, &found), MMM_TOO_LARGE);
        assert_true(mmm_sampler_work(sampler) - work < all.accesses / 4);
        mmm_sampler_free(sampler);
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

/* Rates that make the times are found again, also where some times are too long. */
static void test_fit(void **state)
{
    (void)state;
    double terms[24][MMM_RATE_COUNT], times[24], x[MMM_RATE_COUNT], error;
    const double rates[MMM_RATE_COUNT] = {1e-6, 2e-8, 0, 3e-9, 4e-9, 0};
    mmm_random random = {5};
    for (int i = 0; i < 24; i++) {
        times[i] = 0;
        for (int j = 0; j < MMM_RATE_COUNT; j++) {
            terms[i][j] = (double)draw(&random, 1, 1000) * (j ? 100 : 1);
            times[i] += terms[i][j] * rates[j];
        }
    }
    times[3] *= 3;
    mmm_fit_rates(terms, times, 24, x, &error);
    for (int j = 0; j < MMM_RATE_COUNT; j++)
        assert_true(x[j] >= 0);
    for (int i = 0; i < 24; i++) {
        double sum = 0;
        for (int j = 0; j < MMM_RATE_COUNT; j++)
            sum += terms[i][j] * x[j];
        if (i != 3) assert_true(fabs(sum / times[i] - 1) < 0.05);
    }
}

/* A machine with the usual constants, one core and vectors of 64 bytes. */
static mmm_parameters core(void)
{
    mmm_parameters machine = *mmm_parameters_builtin();
    machine.P = 1;
    machine.lanes = 16;
    machine.operation = 1e-9;
    for (int i = 0; i < MMM_CONSTANTS; i++)
        machine.constants[i] = mmm_constant_records[i].usual;
    return machine;
}

static double sum_of(const double limits[MMM_LIMITS])
{
    double sum = 0;
    for (int i = 0; i < MMM_LIMITS; i++)
        sum += limits[i];
    return sum;
}

/* Constants for words of 64 bits are those of programs that have such words, and of no others. */
static void test_words(void **state)
{
    (void)state;
    static const int64_t moduli[2] = {2013265921, ((int64_t)1 << 60) - 93};
    mmm_parameters machines[2] = {core(), *mmm_parameters_builtin()};
    assert_ok(mmm_parameters_read("h200", &machines[1]));
    for (int m = 0; m < 2; m++)
        for (int wide = 0; wide < 2; wide++) {
            mmm_parameters machine = machines[m], other = machine;
            mmm_job *job;
            mmm_prediction first, second;
            assert_ok(mmm_job_new("gcd", &job));
            assert_ok(mmm_job_set(job, "n", 300));
            assert_ok(mmm_job_set(job, "m", 200));
            assert_ok(mmm_job_set(job, "p", moduli[wide]));
            memcpy(machine.constants_64, machine.constants, sizeof machine.constants);
            memcpy(machine.gpu_64, machine.gpu, sizeof machine.gpu);
            for (int i = 0; i < MMM_CONSTANT_REMAINDER; i++)
                other.constants_64[i] = 3 * machine.constants[i];
            for (int i = MMM_CONSTANT_REMAINDER; i < MMM_CONSTANTS; i++)
                other.constants_64[i] = machine.constants[i];
            for (int i = 0; i < MMM_GPU_CONSTANTS; i++)
                other.gpu_64[i] = machine.gpu[i] * (i == MMM_GPU_CACHE || i == MMM_GPU_REGISTERS          ? 1
                                                    : i == MMM_GPU_CACHE_RATE || i == MMM_GPU_MEMORY_RATE ? 1.0 / 3
                                                                                                          : 3);
            assert_ok(mmm_predict(job, &machine, &first));
            assert_ok(mmm_predict(job, &other, &second));
            assert_true(fabs(second.estimate / first.estimate - (wide ? 3 : 1)) < 1e-2);
            mmm_job_free(job);
        }
}

/* On one core a program takes what its limits add up to; on two no longer, and no less than half; with twice the
 * constants twice as long, and so with factors of 2. */
static void test_cores(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        mmm_parameters machine = core(), slow = machine;
        mmm_job *job = job_of(&grid[i]);
        mmm_factors table[16] = {0};
        mmm_prediction one, two, twice;
        assert_ok(mmm_predict(job, &machine, &one));
        assert_true(fabs(sum_of(one.limits) / one.estimate - 1) < 1e-6);
        machine.P = 2;
        assert_ok(mmm_predict(job, &machine, &two));
        assert_true(two.estimate <= one.estimate * (1 + 1e-9) && 2 * two.estimate >= one.estimate * (1 - 1e-9));
        assert_true(two.estimate <= two.extended * (1 + 1e-9));
        for (int k = 0; k < MMM_CONSTANT_REMAINDER; k++)
            slow.constants[k] *= 2;
        assert_ok(mmm_predict(job, &slow, &twice));
        assert_true(fabs(twice.estimate / one.estimate - 2) < 1e-2);
        for (int k = 0; k < (int)mmm_program_kernels(mmm_job_program(job)); k++) {
            mmm_kernel_info info;
            int at = 0;
            assert_ok(mmm_program_kernel(mmm_job_program(job), k, &info));
            while (table[at].app[0] && strcmp(table[at].kernel, info.name))
                assert_true(++at < 16);
            mmm_factors *f = &table[at];
            snprintf(f->app, sizeof f->app, "%s", mmm_job_app(job)->name);
            snprintf(f->kernel, sizeof f->kernel, "%s", info.name);
            for (int j = 0; j < MMM_LIMITS; j++)
                f->factors[j] = 2 * mmm_factors_usual[j];
        }
        machine.P = 1;
        machine.factors = table;
        while (table[machine.factor_count].app[0])
            machine.factor_count++;
        assert_ok(mmm_predict(job, &machine, &twice));
        const double steps = one.limits[MMM_LIMIT_START] - twice.limits[MMM_LIMIT_START] / 2; /* half a step each */
        assert_true(fabs((twice.estimate + 2 * steps) / one.estimate - 2) < 1e-2);
        mmm_job_free(job);
    }
}

/* The constants of a GPU behind a limit, in percent of themselves. */
static mmm_parameters gpu_with(const mmm_parameters *machine, int limit, double part)
{
    static const int of[][4] = {{MMM_LIMIT_START, MMM_GPU_GRAPH, MMM_GPU_BLOCK},
                                {MMM_LIMIT_BETWEEN, MMM_GPU_REGION, MMM_GPU_BARRIER},
                                {MMM_LIMIT_ISSUE, MMM_GPU_REGION_ISSUE, MMM_GPU_REGION_ISSUE},
                                {MMM_LIMIT_LATENCY, MMM_GPU_TURN, MMM_GPU_TURN},
                                {MMM_LIMIT_ISSUE, MMM_GPU_TURN_ISSUE, MMM_GPU_TURN_ISSUE},
                                {MMM_LIMIT_SCATTER, MMM_GPU_LOCAL, MMM_GPU_PASS},
                                {MMM_LIMIT_LATENCY, MMM_GPU_GLOBAL, MMM_GPU_GLOBAL_NEXT},
                                {MMM_LIMIT_MEMORY, MMM_GPU_GLOBAL_ISSUE, MMM_GPU_SECTOR},
                                {MMM_LIMIT_MEMORY, MMM_GPU_ATOMIC, MMM_GPU_ATOMIC},
                                {MMM_LIMIT_LATENCY, MMM_GPU_LATENCY, MMM_GPU_ISSUE - 1},
                                {MMM_LIMIT_ISSUE, MMM_GPU_ISSUE, MMM_GPU_CACHE_RATE - 1},
                                {MMM_LIMIT_MEMORY, MMM_GPU_LINE, MMM_GPU_LINE},
                                {MMM_LIMIT_LATENCY, MMM_GPU_GLOBAL_TURN, MMM_GPU_GLOBAL_TURN}};
    mmm_parameters out = *machine;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int k = of[i][1]; of[i][0] == limit && k <= of[i][2]; k++)
            out.gpu[k] *= part;
    if (limit == MMM_LIMIT_MEMORY) out.gpu[MMM_GPU_CACHE_RATE] /= part, out.gpu[MMM_GPU_MEMORY_RATE] /= part;
    return out;
}

/* Limits add up to the estimate.  On a GPU a resource that is faster by a 50th takes that part of its limit away, and
 * one that is twice as fast no more than half of it, for the estimate is convex; kernels have limits of their own, and
 * a chain of them takes what they take together. */
static void test_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        mmm_parameters machines[2] = {core()};
        assert_ok(mmm_parameters_read("h200", &machines[1]));
        machines[0].P = 2;
        for (int k = 0; k < 2; k++) {
            const mmm_parameters *machine = &machines[k];
            mmm_job *job = job_of(&grid[i]);
            mmm_prediction plain, p, other;
            mmm_kernel_limits kernels[16];
            int count;
            int64_t calls = 0;
            double seconds = machine->gpu[MMM_GPU_GRAPH] * 1e-9;
            assert_ok(mmm_predict(job, machine, &plain));
            assert_ok(mmm_predict_limits(job, machine, &p, kernels, 16, &count));
            assert_true(p.estimate == plain.estimate && p.extended == plain.extended);
            assert_true(fabs(sum_of(p.limits) / p.estimate - 1) < 1e-9);
            for (int j = 0; j < count; j++) {
                calls += kernels[j].calls;
                seconds += kernels[j].seconds;
                assert_true(fabs(sum_of(kernels[j].limits) / kernels[j].seconds - 1) < 1e-9);
                assert_true(!j || kernels[j].seconds <= kernels[j - 1].seconds);
            }
            assert_int_equal(calls, mmm_program_kernels(mmm_job_program(job)));
            assert_true(seconds >= p.estimate * (1 - 1e-9) && (k || seconds <= p.estimate * (1 + 1e-9)));
            for (int j = 0; k && j < MMM_LIMITS; j++) {
                const mmm_parameters faster = gpu_with(machine, j, 0.98), twice = gpu_with(machine, j, 0.5);
                assert_ok(mmm_predict(job, &faster, &other));
                assert_true(fabs(p.estimate - other.estimate - 0.02 * p.limits[j]) <= 0.001 * p.estimate);
                assert_ok(mmm_predict(job, &twice, &other));
                assert_true(other.estimate <= p.estimate &&
                            other.estimate >= p.estimate - 0.5 * p.limits[j] - 0.01 * p.estimate);
            }
            mmm_job_free(job);
        }
    }
    double part;
    assert_int_equal(mmm_limit_largest((const double[MMM_LIMITS]){0, 1, 3}, &part), 2);
    assert_true(part == 0.75);
    assert_int_equal(mmm_limit_largest((const double[MMM_LIMITS]){0}, &part), -1);
}

/* Probes tell the constants of a GPU: from times that follow from some, these are found again, and where two of them
 * say little of one it is refused. */
static void test_gpu_constants(void **state)
{
    (void)state;
    mmm_parameters machine;
    mmm_random numbers = {7};
    int refused = 0;
    double pretended[MMM_GPU_CONSTANTS], found[MMM_GPU_CONSTANTS], spread[MMM_GPU_CONSTANTS];
    assert_ok(mmm_parameters_read("h200", &machine));
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++) {
        const bool time = i != MMM_GPU_CACHE && i != MMM_GPU_REGISTERS;
        pretended[i] = mmm_gpu_records[i].usual * (time ? 0.7 + 0.006 * (double)draw(&numbers, 0, 100) : 1);
    }
    assert_ok(mmm_gpu_constants_measure(NULL, &machine, 32, pretended, found, spread));
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++) {
        const bool mixed = i == MMM_GPU_GLOBAL_ISSUE || i == MMM_GPU_SECTOR; /* requests and sectors come together */
        if (isfinite(spread[i])) assert_true(fabs(found[i] / pretended[i] - 1) <= (mixed ? 0.5 : 0.1));
        refused += !isfinite(spread[i]);
    }
    assert_true(refused <= 2);
    pretended[MMM_GPU_LAUNCH] = 1e-6; /* kernels start in no time: of that nothing is heard, but that it is short */
    assert_ok(mmm_gpu_constants_measure(NULL, &machine, 32, pretended, found, spread));
    assert_true(!isfinite(spread[MMM_GPU_LAUNCH]) &&
                found[MMM_GPU_LAUNCH] < 0.1 * mmm_gpu_records[MMM_GPU_LAUNCH].usual);
    assert_true(fabs(found[MMM_GPU_BLOCK] / pretended[MMM_GPU_BLOCK] - 1) <= 0.1);
}

/* A GPU's factors multiply what blocks take, not what starts them; those of another number of features are not used. */
static void test_gpu_factors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        mmm_parameters machine;
        mmm_job *job = job_of(&grid[i]);
        mmm_factors table[16] = {0};
        mmm_prediction plain, twice, other;
        assert_ok(mmm_parameters_read("h200", &machine));
        machine.factor_count = 0;
        assert_ok(mmm_predict(job, &machine, &plain));
        const mmm_program *program = mmm_job_program(job);
        for (int k = 0; k < (int)program->kernels; k++) {
            const mmm_node *node = &program->nodes[k];
            double feature[MMM_FEATURES_MOST];
            int at = 0;
            while (at < machine.factor_count && strcmp(table[at].kernel, node->code->name))
                assert_true(++at < 16);
            if (at < machine.factor_count) continue;
            machine.factor_count++;
            snprintf(table[at].app, sizeof table[at].app, "%s", mmm_job_app(job)->name);
            snprintf(table[at].kernel, sizeof table[at].kernel, "%s", node->code->name);
            table[at].features = mmm_features_of(node, 32, feature);
            for (int j = 0; j < MMM_LIMITS; j++)
                table[at].factors[j] = 2;
        }
        machine.factors = table;
        assert_ok(mmm_predict(job, &machine, &twice));
        assert_true(twice.estimate > plain.estimate && twice.estimate < 2 * plain.estimate);
        for (int k = 0; k < machine.factor_count; k++)
            table[k].features = table[k].features ? 0 : 1;
        assert_ok(mmm_predict(job, &machine, &other));
        assert_true(other.estimate == plain.estimate);
        mmm_job_free(job);
    }
}

/* The issue of full vectors grows with their number; a part that waits for the one before takes as long with less. */
static void test_part_limits(void **state)
{
    (void)state;
    const mmm_parameters machine = core();
    const double *c = machine.constants;
    double few[MMM_LIMITS] = {0}, many[MMM_LIMITS] = {0}, most[MMM_LIMITS] = {0};
    mmm_part part = {.turns = 16, .width = 16, .lanes = 16, .vector = 32};
    part.operations[MMM_OPERATION_MUL] = 16;
    mmm_part_time(&part, c, few);
    assert_true(few[MMM_LIMIT_LATENCY] > few[MMM_LIMIT_ISSUE]);
    part = (mmm_part){.turns = 1 << 16, .width = 1 << 16, .lanes = 16, .vector = 2 << 16};
    part.operations[MMM_OPERATION_MUL] = 1 << 16;
    mmm_part_time(&part, c, many);
    part = (mmm_part){.turns = 2 << 16, .width = 2 << 16, .lanes = 16, .vector = 4 << 16};
    part.operations[MMM_OPERATION_MUL] = 2 << 16;
    mmm_part_time(&part, c, most);
    assert_true(fabs(most[MMM_LIMIT_ISSUE] / many[MMM_LIMIT_ISSUE] - 2) < 1e-6);
    assert_true(many[MMM_LIMIT_LATENCY] < 1e-6 * many[MMM_LIMIT_ISSUE]);
    /* Lines: all of what no cache holds come from memory; read again by blocks with little each, from near; and so do
     * those of a kernel that looks at little of its arrays. */
    assert_true(fabs(mmm_lines_time(1000, 0, 1e12, 1e7, c) / (1000 * c[MMM_CONSTANT_LINE_MEMORY]) - 1) < 1e-6);
    assert_true(fabs(mmm_lines_time(1000, 0, 1e12, 1, c) / mmm_lines_time(1000, 0, 64e3, 1, c) - 1) < 1e-6);
    assert_true(mmm_lines_time(2000, 0, 64e9, 1e6, c) <
                1.01 * 1000 * c[MMM_CONSTANT_LINE_MEMORY] + 1000 * c[MMM_CONSTANT_LINE_3]);
    assert_true(mmm_lines_time(1000, 0, 1e3, 1, c) < 1e-3 * 1000 * c[MMM_CONSTANT_LINE_MEMORY]);
}

/* Factors and slopes that make the times are found again, as far as the times tell; those of a kernel that the machine
 * has are applied, others are the usual ones. */
static void test_factors(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    mmm_kernel_sample samples[COUNT];
    mmm_factors real = {.app = "a", .kernel = "k", .features = 2, .low = {3, 0}, .high = {10, 5}, .centre = {6, 2}};
    mmm_factors found = {.app = "a", .kernel = "k"};
    mmm_random random = {7};
    for (int i = 0; i < MMM_LIMITS; i++)
        real.factors[i] = mmm_factors_usual[i] * (double)draw(&random, 50, 200) / 100;
    real.slope[0] = 0.05;
    real.slope[1] = -0.08;
    for (int i = 0; i < COUNT; i++) {
        double limits[MMM_LIMITS];
        samples[i] = (mmm_kernel_sample){.kernel = "k", .features = 2, .weight = 1};
        samples[i].feature[0] = (double)draw(&random, 3, 10);
        samples[i].feature[1] = (double)draw(&random, 0, 5);
        for (int j = 0; j < MMM_LIMITS; j++)
            limits[j] = samples[i].limits[j] = (double)draw(&random, 1, 1000) * 1e-8;
        samples[i].seconds = mmm_factors_apply(&real, samples[i].feature, limits);
        assert_true(fabs(sum_of(limits) / samples[i].seconds - 1) < 1e-9);
    }
    assert_ok(mmm_factors_fit(samples, COUNT, &found));
    assert_true(found.error < 0.05 && found.features == 2);
    for (int i = 0; i < COUNT; i++) {
        double limits[MMM_LIMITS];
        memcpy(limits, samples[i].limits, sizeof limits);
        assert_true(fabs(mmm_factors_apply(&found, samples[i].feature, limits) / samples[i].seconds - 1) < 0.1);
    }
    const mmm_factors alike = found; /* samples that count for nothing move nothing */
    for (int i = 0; i < COUNT; i += 3) {
        samples[i].seconds *= 10;
        samples[i].weight = 0;
    }
    assert_ok(mmm_factors_fit(samples, COUNT, &found));
    for (int i = 1; i < COUNT; i += 3) {
        double limits[MMM_LIMITS];
        memcpy(limits, samples[i].limits, sizeof limits);
        assert_true(fabs(mmm_factors_apply(&found, samples[i].feature, limits) / samples[i].seconds - 1) < 0.1);
    }
    found = alike;
    mmm_parameters machine = core();
    machine.factors = &found;
    machine.factor_count = 1;
    assert_ptr_equal(mmm_factors_of(&machine, "a", "k"), &found);
    assert_null(mmm_factors_of(&machine, "a", "other"));
    assert_null(mmm_factors_of(&machine, "other", "k"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_counts),   cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_bound),          cmocka_unit_test(test_bound_and_estimate),
        cmocka_unit_test(test_extrapolation),  cmocka_unit_test(test_large_blocks),
        cmocka_unit_test(test_typical),        cmocka_unit_test(test_sketch),
        cmocka_unit_test(test_sketch_unfolds), cmocka_unit_test(test_no_sketch),
        cmocka_unit_test(test_not_calibrated), cmocka_unit_test(test_fit),
        cmocka_unit_test(test_words),          cmocka_unit_test(test_cores),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_gpu_constants),
        cmocka_unit_test(test_gpu_factors),    cmocka_unit_test(test_part_limits),
        cmocka_unit_test(test_foreseen),       cmocka_unit_test(test_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
