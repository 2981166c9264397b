/* SPDX-License-Identifier: Apache-2.0 */
/* DAGs that unfold (docs/model.md): what runs is what was decided, on every machine; its counts are those of the same
 * DAG built beforehand; what a decision must not do is refused, or found. */
#include "machine/machine.h"
#include "machines.h"

#include "unfold/kernels.h"

enum { N = 150, L_OF = 32, BLOCKS = (N + L_OF - 1) / L_OF, PROBLEMS = 3 };

/* A program that halves numbers until all are 0, `at_once` kernels a decision. */
typedef struct halving {
    mmm_u32_array x, left;
    int at_once;
} halving;

static uint32_t values[N * PROBLEMS], lefts[BLOCKS * PROBLEMS];

static mmm_status halve_on(mmm_program *program, int kernel, const void *context)
{
    const halving *h = context;
    uint32_t left[BLOCKS], most = 0;
    for (int64_t problem = 0; problem < program->batch; problem++) {
        MMM_TRY(mmm_program_look(program, h->left.number, problem, 0, BLOCKS, left));
        for (int i = 0; i < BLOCKS; i++)
            most = left[i] > most ? left[i] : most;
    }
    if (!most) return MMM_OK;
    (void)kernel;
    for (int i = 0; i < h->at_once; i++)
        MMM_TRY(launch_halve(program, BLOCKS, L_OF, h->x, h->left, N, L_OF));
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, halve_on, h, sizeof *h);
}

static mmm_program *halving_program(int at_once, int kernels, int64_t batch)
{
    mmm_program *program;
    halving h = {.at_once = at_once};
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_batch(program, batch));
    assert_ok(mmm_program_array(program, "x", MMM_U32, N, MMM_IN_OUT, values, &h.x.number));
    assert_ok(mmm_program_array(program, "left", MMM_U32, BLOCKS, MMM_OUT, lefts, &h.left.number));
    for (int i = 0; i < (kernels ? kernels : 1); i++)
        assert_ok(launch_halve(program, BLOCKS, L_OF, h.x, h.left, N, L_OF));
    if (at_once) assert_ok(mmm_program_on_end(program, 0, halve_on, &h, sizeof h));
    return program;
}

/* Numbers of which problem q needs `bits` - q halvings until all are 0. */
static void fill(int bits, int64_t batch)
{
    for (int i = 0; i < N * batch; i++)
        values[i] = ((uint32_t)i * 2654435761u) >> (32 - bits + i / N);
    for (int64_t q = 0; q < batch; q++)
        values[q * N + N / 2] = 1u << (bits - q - 1);
}

static void run(mmm_program *program, int machine)
{
    mmm_status status = mmm_machine_run(machines[machine], program, NULL);
    if (status != MMM_OK) fail_msg("%s: %s", names[machine], mmm_message());
    const mmm_counts *counts = mmm_machine_counts(machines[machine]);
    if (counts && counts->violation_count) fail_msg("%s", mmm_violation_name(counts->violations[0].kind));
}

static void assert_all_zero(int64_t batch)
{
    for (int i = 0; i < N * batch; i++)
        assert_int_equal(values[i], 0);
}

static void test_until_done(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++)
        for (int at_once = 1; at_once < 4; at_once += 2)
            for (int64_t batch = 1; batch <= PROBLEMS; batch += 2) {
                mmm_program *program = halving_program(at_once, 0, batch);
                for (int bits = 20; bits > 0; bits -= 6) { /* the same program, and fewer kernels each time */
                    mmm_shape shape;
                    int decisions = (bits - 1 + at_once - 1) / at_once;
                    fill(bits > PROBLEMS ? bits : PROBLEMS, batch);
                    if (bits <= PROBLEMS) decisions = (PROBLEMS - 1 + at_once - 1) / at_once;
                    run(program, m);
                    assert_all_zero(batch);
                    assert_ok(mmm_program_shape(program, &shape));
                    assert_int_equal(shape.kernels, 1 + decisions * at_once);
                    assert_int_equal(shape.L, shape.kernels);
                    assert_int_equal(shape.unfolded, shape.kernels - 1);
                    assert_int_equal(shape.decisions, decisions);
                }
                mmm_program_free(program);
            }
}

/* W, S, O, N, L, K and every kernel's costs are those of the DAG built beforehand; also where nobody looks for races. */
static void check_counts(bool quick)
{
    static const int64_t P[] = {1, 2, 7};
    mmm_parameters plain = {.name = "x", .U = 10, .Z = 1000}, slow = plain;
    mmm_machine *abstract;
    slow.decide = 1000;
    assert_ok(mmm_machine_open_abstract(&plain, 3, &abstract));
    abstract->quick = quick;
    mmm_program *unfolding = halving_program(2, 0, 1), *built = halving_program(0, 11, 1);
    mmm_program *both[] = {unfolding, built};
    mmm_analysis a[2], burdened;
    for (int i = 0; i < 2; i++) {
        fill(11, 1);
        assert_ok(mmm_machine_run(abstract, both[i], NULL));
        assert_int_equal(mmm_machine_counts(abstract)->violation_count, 0);
        assert_ok(mmm_analysis_make(&a[i], both[i], &plain, P, 3, 1));
    }
    assert_int_equal(unfolding->kernels, 11);
    for (int k = 0; k < 11; k++) {
        assert_int_equal(unfolding->nodes[k].groups, built->nodes[k].groups);
        assert_memory_equal(unfolding->nodes[k].costs, built->nodes[k].costs,
                            (size_t)built->nodes[k].groups * sizeof(mmm_cost));
    }
    assert_int_equal(a[0].shape.unfolded, 10);
    assert_int_equal(a[0].shape.decisions, 5);
    a[0].shape.unfolded = a[0].shape.decisions = 0;
    assert_memory_equal(&a[0].shape, &a[1].shape, sizeof a[0].shape);
    assert_memory_equal(&a[0].measures, &a[1].measures, sizeof a[0].measures);
    assert_memory_equal(&a[0].bounds, &a[1].bounds, sizeof a[0].bounds);
    /* What decisions add where they cost: 5 of them lie on the only path. */
    assert_ok(mmm_analysis_make(&burdened, unfolding, &slow, P, 3, 1));
    assert_true(burdened.measures.burdened_span == (double)burdened.measures.span + 5000);
    assert_true(burdened.corollary1 == a[1].corollary1 + 5000);
    for (int i = 0; i < 3; i++) {
        assert_true(burdened.bounds[i].bound == a[1].bounds[i].bound + 5000);
        assert_true(burdened.bounds[i].schedule == a[1].bounds[i].schedule + 5000);
    }
    mmm_program_free(unfolding);
    mmm_program_free(built);
    mmm_machine_free(abstract);
}

static void test_counts(void **state)
{
    (void)state;
    check_counts(false);
    check_counts(true);
}

/* Two branches decide, each adds two kernels and one that follows both. */
static mmm_status diamond(mmm_program *program, int kernel, const void *context)
{
    const mmm_u32_array *x = context;
    const int first = mmm_program_kernels(program), other = kernel == 1 ? 2 : 1;
    mmm_program_chain(program, 0);
    MMM_TRY(launch_put(program, 1, 8, *x, 8 * kernel, 4, 10 * kernel + 1));
    MMM_TRY(launch_put(program, 1, 8, *x, 8 * kernel + 4, 4, 10 * kernel + 2));
    MMM_TRY(launch_put(program, 1, 8, *x, 8 * kernel + 2, 4, 10 * kernel + 3));
    MMM_TRY(mmm_program_depend(program, first, first + 2));
    MMM_TRY(mmm_program_depend(program, first + 1, first + 2));
    return mmm_program_depend(program, other, first);
}

static void test_branches(void **state)
{
    (void)state;
    uint32_t memory[32];
    static const mmm_edge expected[] = {{0, 1, 0}, {0, 2, 0}, {3, 5, 0}, {4, 5, 0}, {2, 3, 0}, {1, 3, 1},
                                        {1, 4, 1}, {6, 8, 0}, {7, 8, 0}, {1, 6, 0}, {2, 6, 1}, {2, 7, 1}};
    for (int m = 0; m < machine_count; m++) {
        mmm_program *program;
        mmm_u32_array x;
        mmm_shape shape;
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_array(program, "x", MMM_U32, 32, MMM_ZERO_OUT, memory, &x.number));
        mmm_program_chain(program, 0);
        for (int k = 0; k < 3; k++)
            assert_ok(launch_put(program, 1, 8, x, 8 * k, 8, k));
        assert_ok(mmm_program_depend(program, 0, 1));
        assert_ok(mmm_program_depend(program, 0, 2));
        assert_ok(mmm_program_on_end(program, 2, diamond, &x, sizeof x));
        assert_ok(mmm_program_on_end(program, 1, diamond, &x, sizeof x));
        for (int again = 0; again < 2; again++) {
            run(program, m);
            for (int k = 1; k < 3; k++)
                for (int i = 0; i < 8; i++)
                    assert_int_equal(memory[8 * k + i], 10 * k + (i < 2 ? 1 : i < 6 ? 3 : 2));
            assert_int_equal(program->edge_count, sizeof expected / sizeof *expected);
            assert_memory_equal(program->edges, expected, sizeof expected);
            assert_ok(mmm_program_shape(program, &shape));
            assert_int_equal(shape.unfolded, 6);
            assert_int_equal(shape.decisions, 1);
            assert_int_equal(shape.L, 4);
        }
        /* A change from outside begins with what was built. */
        assert_ok(launch_put(program, 1, 8, x, 0, 8, 7));
        assert_int_equal(mmm_program_kernels(program), 4);
        mmm_program_free(program);
    }
}

typedef struct wrong {
    mmm_u32_array x;
    int what;
} wrong;

static int reached; /* how many decisions were asked to do something wrong */

static mmm_status do_wrong(mmm_program *program, int kernel, const void *context)
{
    const wrong *w = context;
    uint32_t word[64];
    int number;
    reached++;
    switch (w->what) {
    case 0: return mmm_fail(MMM_WRONG, "no more of this");
    case 1: return mmm_program_depend(program, 1, 0);
    case 2: return mmm_program_on_end(program, kernel, do_wrong, NULL, 0);
    case 3: return mmm_program_array(program, "late", MMM_U32, 1, MMM_WORK, word, &number);
    case 4: return mmm_program_look(program, w->x.number, 0, 30, 3, word);
    case 5: return mmm_program_look(program, 1, 0, 0, 1, word);
    case 6: return mmm_program_look(program, w->x.number, 1, 0, 1, word);
    case 7: return mmm_program_add(program, "no code", 1, 1, NULL);
    case 8:
        MMM_TRY(launch_put(program, 1, 8, w->x, 0, 8, 1));
        MMM_TRY(launch_put(program, 1, 8, w->x, 0, 8, 1));
        return mmm_program_depend(program, 3, 2);
    case 9: return mmm_machine_run(machines[0], program, NULL);
    case 10: return mmm_program_set_words(program, 64, NULL);
    case 11: return mmm_program_look(program, w->x.number, 0, -1, 1, word);
    case 12: return mmm_program_look(program, w->x.number, 0, 0, -1, word);
    case 13: return mmm_program_look(program, w->x.number, 0, 0, 1, NULL);
    default: return MMM_OK;
    }
}

static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        mmm_status status;
        const char *text;
    } expected[] = {
        {MMM_WRONG, "no more of this"},
        {MMM_INVALID, "kernel 'put' was there before: an edge that a decision adds goes to a kernel that it adds"},
        {MMM_INVALID, "kernel 'put' was there before: a decision names functions for kernels that it adds"},
        {MMM_INVALID, "array 'late' comes too late"},
        {MMM_INVALID, "3 elements from 30 on of 'x': it has 32"},
        {MMM_INVALID, "there is no array 1"},
        {MMM_INVALID, "problem 1: the batch has 1"},
        {MMM_INVALID, "kernel 'no code' has no code"},
        {MMM_INVALID, "kernel 'put' is on a cycle"},
        {MMM_INVALID, "the program runs"},
        {MMM_INVALID, "words are set too late"},
        {MMM_INVALID, "1 elements from -1 on of 'x'"},
        {MMM_INVALID, "-1 elements from 0 on of 'x'"},
        {MMM_INVALID, "the place for what is looked at is NULL"},
    };
    uint32_t memory[32];
    for (int m = 0; m < machine_count; m++)
        for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
            mmm_program *program;
            wrong w = {.what = i};
            assert_ok(mmm_program_new(&program));
            assert_ok(mmm_program_array(program, "x", MMM_U32, 32, MMM_ZERO_OUT, memory, &w.x.number));
            for (int k = 0; k < 2; k++)
                assert_ok(launch_put(program, 1, 8, w.x, 8 * k, 8, 1));
            assert_ok(mmm_program_on_end(program, 1, do_wrong, &w, sizeof w));
            reached = 0;
            assert_fails(mmm_machine_run(machines[m], program, NULL), expected[i].status, expected[i].text);
            assert_int_equal(reached, 1);
            assert_int_equal(mmm_program_kernels(program), 2); /* as it was */
            assert_int_equal(program->edge_count, 1);
            assert_fails(mmm_program_look(program, 0, 0, 0, 1, memory), MMM_INVALID, "while the program runs");
            w.what = -1; /* nothing wrong, and nothing more */
            assert_ok(mmm_program_on_end(program, 1, do_wrong, &w, sizeof w));
            assert_ok(mmm_machine_run(machines[m], program, NULL));
            assert_int_equal(memory[15], 1);
            mmm_program_free(program);
        }
}

/* As many kernels as an element says. */
static mmm_status put_so_many(mmm_program *program, int kernel, const void *context)
{
    const wrong *w = context;
    uint32_t count;
    MMM_TRY(mmm_program_look(program, w->x.number, 0, w->what, 1, &count));
    (void)kernel;
    for (uint32_t i = 0; i < count; i++)
        MMM_TRY(launch_put(program, 1, 8, w->x, 8, 8, 1));
    return MMM_OK;
}

static int count_kind(const mmm_machine *machine, mmm_violation_kind kind)
{
    const mmm_counts *counts = mmm_machine_counts(machine);
    int count = 0;
    for (int64_t i = 0; i < counts->violation_count; i++)
        count += counts->violations[i].kind == kind;
    return count;
}

/* A DAG that depends on the order of blocks is told, also where the race that it comes from is allowed; so is a look at
 * what a kernel that is not ordered writes, and at what nobody wrote. */
static void test_violations(void **state)
{
    (void)state;
    mmm_parameters parameters = {.name = "x", .U = 10, .Z = 1000};
    uint32_t memory[32] = {0};
    mmm_machine *abstract;
    assert_ok(mmm_machine_open_abstract(&parameters, 1, &abstract));
    for (int allowed = 0; allowed < 2; allowed++) {
        mmm_program *program;
        wrong w = {.what = 0};
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_array(program, "x", MMM_U32, 32, MMM_ZERO_OUT, memory, &w.x.number));
        assert_ok(launch_last(program, 20, 4, w.x));
        assert_ok(mmm_program_on_end(program, 0, put_so_many, &w, sizeof w));
        if (allowed) assert_ok(mmm_program_allow_races(program, "x"));
        assert_ok(mmm_machine_run(abstract, program, NULL));
        assert_int_equal(count_kind(abstract, MMM_VIOLATION_BLOCK_RACE), !allowed);
        assert_int_equal(count_kind(abstract, MMM_VIOLATION_UNFOLD_ORDER), 1);
        assert_int_equal(mmm_machine_counts(abstract)->violation_count, 1 + !allowed);
        assert_int_equal(mmm_program_kernels(program), 20); /* block 19 comes last in the order of the numbers */
        mmm_program_free(program);
    }
    for (int ordered = 0; ordered < 2; ordered++) {
        mmm_program *program;
        wrong w = {.what = 8};
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_array(program, "x", MMM_U32, 32, MMM_IN_OUT, memory, &w.x.number));
        mmm_program_chain(program, ordered);
        assert_ok(launch_put(program, 1, 8, w.x, 8, 8, 2));
        assert_ok(launch_put(program, 1, 8, w.x, 0, 8, 2));
        assert_ok(mmm_program_on_end(program, 1, put_so_many, &w, sizeof w));
        assert_ok(mmm_machine_run(abstract, program, NULL));
        assert_int_equal(count_kind(abstract, MMM_VIOLATION_KERNEL_RACE), ordered ? 0 : 2); /* what it adds races, too */
        assert_int_equal(mmm_machine_counts(abstract)->violation_count, ordered ? 0 : 2);
        assert_int_equal(mmm_program_kernels(program), 4);
        mmm_program_free(program);
    }
    mmm_program *program;
    wrong w = {.what = 31};
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_array(program, "x", MMM_U32, 32, MMM_WORK, memory, &w.x.number));
    assert_ok(launch_put(program, 1, 8, w.x, 0, 8, 2));
    assert_ok(mmm_program_on_end(program, 0, put_so_many, &w, sizeof w));
    assert_ok(mmm_machine_run(abstract, program, NULL));
    assert_int_equal(count_kind(abstract, MMM_VIOLATION_UNWRITTEN_READ), 1);
    mmm_program_free(program);
    mmm_machine_free(abstract);
}

/* As many arrays as a program may have, each of them its own. */
static void test_arrays(void **state)
{
    (void)state;
    static uint32_t memory[MMM_ARRAYS_MOST][8];
    for (int m = 0; m < machine_count; m++) {
        mmm_program *program;
        mmm_u32_array x;
        assert_ok(mmm_program_new(&program));
        memset(memory, 0, sizeof memory);
        for (int i = 0; i < MMM_ARRAYS_MOST; i++) {
            assert_ok(mmm_program_array(program, "x", MMM_U32, 8, MMM_OUT, memory[i], &x.number));
            assert_ok(launch_put(program, 1, 8, x, 0, 8, i + 1));
        }
        assert_fails(mmm_program_array(program, "y", MMM_U32, 8, MMM_OUT, memory, &x.number), MMM_TOO_LARGE,
                     "one too many");
        run(program, m);
        for (int i = 0; i < MMM_ARRAYS_MOST; i++)
            for (int j = 0; j < 8; j++)
                assert_int_equal(memory[i][j], i + 1);
        mmm_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_until_done), cmocka_unit_test(test_counts),     cmocka_unit_test(test_branches),
        cmocka_unit_test(test_wrong),      cmocka_unit_test(test_violations), cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
