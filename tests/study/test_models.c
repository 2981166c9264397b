/* SPDX-License-Identifier: Apache-2.0 */
/* Costs by other models, against what is computed by hand, and what is known of them. */
#include "study/study.h"
#include "testing.h"

#include "traffic/kernels.h"

#include <math.h>

static int model(const char *name)
{
    for (int i = 0; mmm_model_at(i); i++)
        if (strcmp(mmm_model_at(i)->name, name) == 0) return i;
    fail_msg("there is no model %s", name);
    return -1;
}

static double cost(const char *name, const mmm_program *program, const mmm_parameters *machine, int64_t P)
{
    double out;
    assert_ok(mmm_model_of_program(model(name), program, machine, P, &out));
    return out;
}

/* A kernel of one kind of block. */
static int add(mmm_program *program, const char *name, int64_t blocks, int64_t threads, mmm_cost each,
               mmm_traffic traffic)
{
    int kernel;
    each.blocks = blocks;
    assert_ok(mmm_program_add(program, name, blocks, threads, &kernel));
    assert_ok(mmm_program_set_costs(program, kernel, &each, 1));
    assert_ok(mmm_program_set_traffic(program, kernel, &traffic));
    return kernel;
}

/* A before B and C: turns of all three add up, waits those of A and the longer of B and C. */
static void test_by_hand(void **state)
{
    mmm_program *program;
    mmm_parameters machine = *mmm_parameters_builtin();
    (void)state;
    machine.U = 10;
    machine.Z = 1000;
    machine.lanes = 32;
    machine.threads = 1024;
    assert_ok(mmm_program_new(&program));
    int a = add(program, "A", 4, 64, (mmm_cost){.work = 640, .span = 10},
                (mmm_traffic){.lines = 8,
                              .sectors = 32,
                              .local_requests = 20,
                              .passes = 40,
                              .issued = 80,
                              .words_most = 2,
                              .local_most = 5});
    int b = add(program, "B", 2, 32, (mmm_cost){.work = 64, .span = 2},
                (mmm_traffic){.lines = 64,
                              .sectors = 64,
                              .local_requests = 4,
                              .passes = 6,
                              .issued = 4,
                              .words_most = 3,
                              .local_most = 1});
    int c = add(program, "C", 1, 32, (mmm_cost){.work = 3200, .span = 100},
                (mmm_traffic){.lines = 1,
                              .sectors = 4,
                              .local_requests = 1,
                              .passes = 1,
                              .issued = 100,
                              .words_most = 1,
                              .local_most = 7});
    assert_ok(mmm_program_depend(program, a, b));
    assert_ok(mmm_program_depend(program, a, c));
    /* W = 2560 + 128 + 3200 on 2 SMs of 32 lanes; S = 10 + 100 */
    assert_float_equal(cost("PRAM", program, &machine, 2), 5888 / 64. + 110, 1e-9);
    /* words 8 a sector: A 2560 operations or 2560, B 128 or 5120, C 3200 or 320 */
    assert_float_equal(cost("roofline", program, &machine, 2), (2560 + 5120 + 3200) / 64., 1e-9);
    /* lines; 10 for each access of a thread, and the span: A 20 + 10, B 30 + 2, C 10 + 100 */
    assert_float_equal(cost("UMM", program, &machine, 2), 73 + 30 + 110, 1e-9);
    assert_float_equal(cost("Hong-Kim", program, &machine, 2), (80 / 8.) * 4 + 100, 1e-9); /* no requests */
    assert_float_equal(cost("DMM", program, &machine, 2), 47 + 15 + 107, 1e-9);
    assert_float_equal(cost("HMM", program, &machine, 2), 73 + (47 + 184) / 2. + 35 + 117, 1e-9);
    /* A: 2 blocks of 64 threads on an SM hide by 4: max((2560 + 32*20)/64, 10 + 5, 8*10/(4*64)); B: by 1: max((128 +
     * 32*4)/64, 2 + 1, 64*10/64); C: max((3200 + 32)/64, 100 + 7, 10/64) */
    assert_float_equal(cost("TMM", program, &machine, 2), 50 + 107, 1e-9);
    machine.U = 1000; /* now B is the longer one, for its lines are 1000 */
    assert_float_equal(cost("TMM", program, &machine, 2), 50 + 1000, 1e-9);
    mmm_program_free(program);
}

/* Hong and Kim's three cases, for groups of 32 threads that make two requests of 4 sectors each: with U = 64 and 32
 * lanes a request leaves after 4 * 8 * 64 / 32 = 64, as long as the latency; with a latency of 512 eight groups wait at
 * once. */
static void test_hong_kim(void **state)
{
    mmm_parameters machine = *mmm_parameters_builtin();
    static const struct {
        int64_t blocks, issued;
        double latency, expected;
    } cases[] = {
        /* one group: its waits and its operations */
        {1, 30, 512, 2 * 512 + 32},
        /* 4 groups, all of which wait at once: MWP = CWP = 4, and the operations of 3 of them between two requests */
        {4, 30, 512, 2 * 512 + 32 + 16 * 3},
        /* 16 groups, of which 8 wait at once */
        {16, 30, 512, 1024 * 16 / 8. + 16 * 7},
        /* long operations: the memory is waited for once */
        {4, 998, 512, 512 + 1000 * 4},
    };
    (void)state;
    machine.U = 64;
    machine.lanes = 32;
    machine.threads = 1024;
    machine.Z = 100000;
    machine.operation = 1e-9;
    for (int i = 0; i < MMM_GPU_CONSTANTS; i++)
        machine.gpu[i] = mmm_gpu_records[i].usual;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mmm_program *program;
        const int64_t n = cases[i].blocks;
        machine.gpu[MMM_GPU_GLOBAL] = cases[i].latency;
        assert_ok(mmm_program_new(&program));
        add(program, "K", n, 32, (mmm_cost){.work = 32 * cases[i].issued, .span = cases[i].issued},
            (mmm_traffic){.issued = n * cases[i].issued, .requests = 2 * n, .sectors = 8 * n});
        assert_float_equal(cost("Hong-Kim", program, &machine, 1), cases[i].expected, 1e-6);
        mmm_program_free(program);
    }
}

/* Of a job that is counted as a whole, but for regions that are like others, models say nearly the same by its profiles
 * as by its counts. */
static void test_sampled(void **state)
{
    static const char *const names[] = {"division", "multiplication", "radix-sort"};
    mmm_parameters machine;
    (void)state;
    assert_ok(mmm_parameters_read("h200", &machine));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mmm_job *job;
        mmm_machine *abstract;
        double roof, groups;
        assert_ok(mmm_job_new(names[i], &job));
        assert_ok(mmm_job_set(job, "n", 60));
        if (i < 2) assert_ok(mmm_job_set(job, "m", 40));
        assert_ok(mmm_job_set(job, "s", 4));
        assert_ok(mmm_model_sampled(job, &machine, &roof, &groups));
        assert_ok(mmm_machine_open_abstract(&machine, 1, &abstract));
        assert_ok(mmm_machine_count_traffic(abstract, 1));
        assert_ok(mmm_job_run(job, abstract, NULL));
        assert_true(fabs(roof / cost("roofline", mmm_job_program(job), &machine, machine.P) - 1) < 0.05);
        assert_true(fabs(groups / cost("Hong-Kim", mmm_job_program(job), &machine, machine.P) - 1) < 0.05);
        mmm_machine_free(abstract);
        mmm_job_free(job);
    }
}

/* Nakano: p threads that access n words with neighbours next to each other take n/w + nl/p + l; those that access a
 * column take n + nl/p + l, for each group is spread over w lines.  In banks a column of 32 words is serialised, one of
 * 33 is not.
 */
static void test_nakano(void **state)
{
    enum { N = 128, WORDS = N * N };
    static float a[WORDS], b[WORDS];
    mmm_parameters machine = *mmm_parameters_builtin();
    mmm_machine *abstract;
    (void)state;
    machine.U = 7;
    assert_ok(mmm_machine_open("abstract", &abstract));
    assert_ok(mmm_machine_count_traffic(abstract, 1));
    for (int way = 0; way < 3; way++) {
        mmm_program *program;
        mmm_f32_array of_a, of_b;
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_array(program, "a", MMM_F32, WORDS, MMM_IN, a, &of_a.number));
        assert_ok(mmm_program_array(program, "b", MMM_F32, WORDS, MMM_OUT, b, &of_b.number));
        if (way == 0)
            assert_ok(launch_transpose_plain(program, N / 32, N / 32, 32, 32, of_a, of_b, N));
        else
            assert_ok(launch_transpose_tiled(program, N / 32, N / 32, 32, 32, of_a, of_b, N, way - 1));
        assert_ok(mmm_machine_run(abstract, program, NULL));
        double read = WORDS / 32, wrote = way ? WORDS / 32 : WORDS, each = 2; /* each thread reads one and writes one */
        assert_float_equal(cost("UMM", program, &machine, 1), read + wrote + each * 7, 1e-9);
        double passes = !way ? 0 : WORDS / 32 + (way == 1 ? WORDS : WORDS / 32), local = way ? 2 : 0;
        assert_float_equal(cost("DMM", program, &machine, 1), passes + local, 1e-9);
        assert_float_equal(cost("HMM", program, &machine, 1), read + wrote + passes + each * 7 + local, 1e-9);
        mmm_program_free(program);
    }
    mmm_machine_free(abstract);
}

/* The sum of n numbers by a tree.  In global memory each level waits for the latency, l log n (Nakano 2014); in the
 * local memories of an HMM only what comes from global memory does, and the levels are log n (Nakano 2013). */
static void test_sums(void **state)
{
    enum { LEVELS = 10, N = 1 << LEVELS, WORDS = 3, MORE = 1000 };
    mmm_program *levels, *one;
    mmm_parameters machine = *mmm_parameters_builtin();
    int before = -1;
    (void)state;
    assert_ok(mmm_program_new(&levels));
    assert_ok(mmm_program_new(&one));
    for (int64_t left = N / 2; left > 0; left /= 2) { /* two words read, one written, by each of so many threads */
        int64_t lines = WORDS * ((left + 31) / 32);
        int kernel = add(levels, "level", (left + 31) / 32, 32, (mmm_cost){.work = 1, .span = 1},
                         (mmm_traffic){.lines = lines, .words_most = WORDS});
        if (before >= 0) assert_ok(mmm_program_depend(levels, before, kernel));
        before = kernel;
    }
    add(one, "tree", 1, N, (mmm_cost){.work = N - 1, .span = LEVELS},
        (mmm_traffic){.lines = N / 32 + 1, .words_most = 2, .passes = WORDS * N / 32, .local_most = WORDS * LEVELS});
    machine.U = 10;
    double global = cost("UMM", levels, &machine, 1), local = cost("HMM", one, &machine, 1);
    machine.U += MORE;
    assert_float_equal(cost("UMM", levels, &machine, 1) - global, (double)MORE * WORDS * LEVELS, 1e-6);
    assert_float_equal(cost("HMM", one, &machine, 1) - local, (double)MORE * 2, 1e-6);
    mmm_program_free(levels);
    mmm_program_free(one);
}

/* The paper's own model is Theorem 1; what needs seconds is not known on a machine that has none. */
static void test_trials(void **state)
{
    mmm_study *study;
    const mmm_trial *trial;
    mmm_job *job;
    double value, again;
    (void)state;
    assert_ok(mmm_study_new(&(mmm_study_options){.count = 1, .traffic = 1, .seed = 1}, &study));
    assert_ok(mmm_job_new("division", &job));
    assert_ok(mmm_job_set(job, "n", 100));
    assert_ok(mmm_job_set(job, "m", 60));
    assert_ok(mmm_job_set(job, "s", 8));
    assert_ok(mmm_study_add(study, job, &trial));
    const mmm_parameters *machine = mmm_parameters_builtin();
    assert_ok(mmm_model_cost(model("MMM"), trial, machine, 4, &value));
    assert_float_equal(value, mmm_theorem1(&trial->analysis->shape, &trial->analysis->measures, 4), 1e-9);
    assert_ok(mmm_model_cost(model("extended"), trial, machine, 4, &value));
    assert_true(isnan(value));
    for (int i = 0; mmm_model_at(i); i++)
        assert_ok(mmm_model_cost(i, trial, machine, 4, &value));
    assert_ok(mmm_model_cost(model("PRAM"), trial, machine, 4, &value));
    assert_float_equal(value, (double)trial->analysis->measures.work / 128 + (double)trial->analysis->measures.span,
                       1e-9);
    assert_ok(mmm_model_cost(model("PRAM"), trial, machine, 1000000, &again));
    assert_true(again < value);
    assert_fails(mmm_model_cost(99, trial, machine, 4, &value), MMM_INVALID, "no model 99");
    assert_fails(mmm_model_cost(0, trial, machine, 0, &value), MMM_INVALID, "at least 1");
    assert_fails(mmm_model_cost(0, &(mmm_trial){0}, machine, 4, &value), MMM_INVALID, "not counted");
    mmm_study_free(study);
}

/* Values known beforehand: equal and opposite orders, one pair exchanged, ties on either side. */
static void test_correlation(void **state)
{
    static const double up[] = {1, 2, 3, 4}, down[] = {9, 7, 5, 3}, swapped[] = {1, 3, 2, 4}, tied[] = {1, 1, 2, 2},
                        flat[] = {5, 5, 5, 5}, holes[] = {1, NAN, 3, 4};
    (void)state;
    assert_float_equal(mmm_rank_correlation(up, up, 4), 1, 1e-12);
    assert_float_equal(mmm_rank_correlation(up, down, 4), -1, 1e-12);
    assert_float_equal(mmm_rank_correlation(up, swapped, 4), 4 / 6., 1e-12);
    assert_float_equal(mmm_rank_correlation(up, tied, 4), 4 / sqrt(6 * 4), 1e-12);
    assert_float_equal(mmm_rank_correlation(tied, tied, 4), 1, 1e-12);
    assert_float_equal(mmm_rank_correlation(holes, down, 4), -1, 1e-12);
    assert_true(isnan(mmm_rank_correlation(up, flat, 4)));
    assert_true(isnan(mmm_rank_correlation(up, up, 1)));
    assert_true(isnan(mmm_rank_correlation(NULL, up, 4)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),     cmocka_unit_test(test_hong_kim), cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_nakano),      cmocka_unit_test(test_sums),     cmocka_unit_test(test_trials),
        cmocka_unit_test(test_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
