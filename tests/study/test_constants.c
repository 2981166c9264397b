/* SPDX-License-Identifier: Apache-2.0 */
/* Rates, constants of machines and factors of kernels: fits find again what made the times, and estimates consist of
 * what limits them. */
#include "study/constants.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

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
            /* Estimates are convex in the constants, where factors of limits do not differ. */
            mmm_parameters alone = *machine;
            alone.factor_count = 0;
            if (k) assert_ok(mmm_predict_limits(job, &alone, &plain, NULL, 0, NULL));
            for (int j = 0; k && j < MMM_LIMITS; j++) {
                const mmm_parameters faster = gpu_with(machine, j, 0.98), twice = gpu_with(&alone, j, 0.5);
                assert_ok(mmm_predict(job, &faster, &other));
                assert_true(fabs(p.estimate - other.estimate - 0.02 * p.limits[j]) <= 0.001 * p.estimate);
                assert_ok(mmm_predict(job, &twice, &other));
                assert_true(other.estimate <= plain.estimate &&
                            other.estimate >= plain.estimate - 0.5 * plain.limits[j] - 0.01 * plain.estimate);
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

/* One block waits for all that it waits for; of many, short ones hardly do, and long ones as one alone; the rest of a
 * block's time stays. */
static void test_overlap(void **state)
{
    (void)state;
    mmm_parameters machine = core();
    double *c = machine.constants, before = 1;
    c[MMM_CONSTANT_WINDOW] = 1e-8;
    for (double size = 1e-10; size < 1e-4; size *= 10)
        for (int blocks = 1; blocks <= 1000; blocks *= 10) {
            double limits[MMM_LIMITS];
            for (int i = 0; i < MMM_LIMITS; i++)
                limits[i] = size;
            mmm_blocks_overlap(blocks, c, limits);
            const double part = limits[MMM_LIMIT_LATENCY] / size, all = 5 * size;
            assert_true(blocks == 1 ? part == 1 : part < before);
            assert_true(blocks == 1 || (part > 1.0 / blocks && part >= all / (all + c[MMM_CONSTANT_WINDOW])));
            limits[MMM_LIMIT_LATENCY] = size;
            for (int i = 0; i < MMM_LIMITS; i++)
                assert_true(limits[i] == size);
            before = part;
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
    const double begin = c[MMM_CONSTANT_PART];
    assert_true(fabs((most[MMM_LIMIT_ISSUE] - begin) / (many[MMM_LIMIT_ISSUE] - begin) - 2) < 1e-6);
    assert_true(many[MMM_LIMIT_LATENCY] < 1e-6 * many[MMM_LIMIT_ISSUE]);
    /* Lines: all of what no cache holds come from memory; read again by blocks with little each, from near; and so do
     * those of a kernel that looks at little of its arrays. */
    const double far = mmm_line_time(1e12, c);
    assert_true(fabs(far / c[MMM_CONSTANT_LINE_MEMORY] - 1) < 1e-6);
    assert_true(mmm_line_time(1e3, c) < 1e-3 * far);
    assert_true(fabs(mmm_lines_time(1000, 1000, 1e12, 1e7, far, c) / (1000 * far) - 1) < 1e-6);
    const double all = mmm_lines_time(1000, 1000, 1e12, 1, far, c);
    assert_true(fabs(all / mmm_lines_time(1000, 1000, 64e3, 1, far, c) - 1) < 1e-6);
    assert_true(mmm_lines_time(2000, 2000, 64e9, 1e6, far, c) < 1.01 * all + 1000 * c[MMM_CONSTANT_LINE_3]);
    /* Those that a block comes to again are where its own lie. */
    const double again = mmm_lines_time(3000, 1000, 1e12, 1, far, c) - all;
    assert_true(fabs(again / (2000 * mmm_line_time(64e3, c)) - 1) < 1e-6);
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
        samples[i].steps = samples[i].seconds * i / COUNT; /* starts of kernels, which no factor is for */
        samples[i].seconds += samples[i].steps;
    }
    assert_ok(mmm_factors_fit(samples, COUNT, &found));
    assert_true(found.error < 0.05 && found.features == 2);
    for (int i = 0; i < COUNT; i++) {
        double limits[MMM_LIMITS];
        memcpy(limits, samples[i].limits, sizeof limits);
        const double took = samples[i].seconds - samples[i].steps;
        assert_true(fabs(mmm_factors_apply(&found, samples[i].feature, limits) / took - 1) < 0.1);
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
        const double took = samples[i].seconds - samples[i].steps;
        assert_true(fabs(mmm_factors_apply(&found, samples[i].feature, limits) / took - 1) < 0.1);
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
        cmocka_unit_test(test_fit),     cmocka_unit_test(test_words),         cmocka_unit_test(test_cores),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_gpu_constants), cmocka_unit_test(test_gpu_factors),
        cmocka_unit_test(test_overlap), cmocka_unit_test(test_part_limits),   cmocka_unit_test(test_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
