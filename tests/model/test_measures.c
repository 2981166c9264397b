/* SPDX-License-Identifier: Apache-2.0 */
/* Costs, measures and bounds (sections 2.3 and 2.4). */
#include "testing.h"

#include <math.h>

static const mmm_parameters machine = {.name = "test", .U = 7, .Z = 100};

/* The heaviest path from `kernel` on, over all paths. */
static int64_t heaviest_from(const mmm_program *program, int kernel, bool thread)
{
    int64_t best = 0, own = 0;
    for (int64_t e = 0; e < program->edge_count; e++)
        if (program->edges[e].before == kernel) {
            int64_t weight = heaviest_from(program, program->edges[e].after, thread);
            if (weight > best) best = weight;
        }
    for (int g = 0; g < program->nodes[kernel].groups; g++) {
        const mmm_cost *cost = &program->nodes[kernel].costs[g];
        int64_t span = thread ? cost->span_thread : cost->span;
        if (span > own) own = span;
    }
    return best + own;
}

static void test_brute_force(void **state)
{
    (void)state;
    mmm_random random = {31};
    for (int trial = 0; trial < 500; trial++) {
        int kernels = (int)draw(&random, 1, 9);
        mmm_program *program = random_program(&random, kernels, 12, (int)draw(&random, 0, 10));
        random_costs(&random, program, 50, 9);
        mmm_measures got, want = {0};
        for (int k = 0; k < kernels; k++) {
            for (int g = 0; g < program->nodes[k].groups; g++) {
                const mmm_cost *cost = &program->nodes[k].costs[g];
                want.work += cost->blocks * cost->work;
                want.overhead_words += cost->blocks * (cost->reads + cost->writes);
                want.C = fmax(want.C, (double)(cost->span + 7 * (cost->reads + cost->writes)));
            }
            if (heaviest_from(program, k, false) > want.span) want.span = heaviest_from(program, k, false);
            if (heaviest_from(program, k, true) > want.span_thread) want.span_thread = heaviest_from(program, k, true);
        }
        assert_ok(mmm_program_measures(program, &machine, &got));
        assert_true(got.work == want.work && got.span == want.span && got.span_thread == want.span_thread &&
                    got.overhead_words == want.overhead_words && got.C == want.C &&
                    got.overhead == 7 * (double)want.overhead_words);
        mmm_program_free(program);
    }
}

static void test_set_costs(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_measures measures;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "a", 5, 1, NULL));
    mmm_cost costs[] = {{.blocks = 2, .work = 3}, {.blocks = 3, .work = 4}};
    assert_fails(mmm_program_set_costs(program, 1, costs, 2), MMM_INVALID, "no kernel 1");
    assert_fails(mmm_program_set_costs(program, -1, costs, 2), MMM_INVALID, "no kernel -1");
    assert_fails(mmm_program_set_costs(program, 0, costs, 0), MMM_INVALID, "costs for 0 blocks, but it has 5");
    assert_fails(mmm_program_set_costs(program, 0, costs, 1), MMM_INVALID, "kernel 'a': costs for 2 blocks");
    assert_fails(mmm_program_measures(program, &machine, &measures), MMM_INVALID, "kernel 'a' has no costs");
    assert_ok(mmm_program_set_costs(program, 0, costs, 2));
    assert_ok(mmm_program_measures(program, &machine, &measures));
    assert_int_equal(measures.work, 18);
    costs[1].blocks = 4;
    assert_fails(mmm_program_set_costs(program, 0, costs, 2), MMM_INVALID, "more than its 5 blocks");
    costs[1].blocks = INT64_MAX;
    assert_fails(mmm_program_set_costs(program, 0, costs, 2), MMM_INVALID, "more than its 5 blocks");
    costs[1].blocks = 0;
    assert_fails(mmm_program_set_costs(program, 0, costs, 2), MMM_INVALID, "has 0 blocks");
    for (int i = 0; i < 5; i++) {
        mmm_cost bad = {.blocks = 5};
        *(int64_t *[]){&bad.work, &bad.span, &bad.span_thread, &bad.reads, &bad.writes}[i] = -1;
        assert_fails(mmm_program_set_costs(program, 0, &bad, 1), MMM_INVALID, "kernel 'a': a cost is negative");
    }
    costs[1].blocks = 3, costs[1].work = 10;
    assert_ok(mmm_program_set_costs(program, 0, costs, 2)); /* stating them again replaces them */
    assert_ok(mmm_program_measures(program, &machine, &measures));
    assert_int_equal(measures.work, 36);
    mmm_program_free(program);
}

static void test_too_large(void **state)
{
    (void)state;
    static const mmm_cost bad[] = {
        {.blocks = 5, .work = INT64_MAX / 2},
        {.blocks = 5, .reads = INT64_MAX / 2},
        {.blocks = 5, .reads = INT64_MAX, .writes = INT64_MAX},
        {.blocks = 5, .span = INT64_MAX},
        {.blocks = 5, .span_thread = INT64_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mmm_program *program;
        mmm_measures measures = {.work = 3};
        assert_ok(mmm_program_new(&program));
        for (int k = 0; k < 2; k++) {
            assert_ok(mmm_program_add(program, "a", 5, 1, NULL));
            assert_ok(mmm_program_set_costs(program, k, &bad[i], 1));
        }
        assert_ok(mmm_program_depend(program, 0, 1));
        assert_fails(mmm_program_measures(program, &machine, &measures), MMM_TOO_LARGE, "2^63 - 1");
        assert_int_equal(measures.work, 3);
        mmm_program_free(program);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    mmm_shape shape = {.N = 12, .L = 3, .K = 6}, none = {0};
    mmm_measures measures = {.C = 10};
    assert_true(mmm_theorem1(&shape, &measures, 4) == 60);
    assert_true(mmm_theorem1(&shape, &measures, 8) == 45);
    assert_true(mmm_theorem1(&shape, &measures, 0) == 30);
    assert_true(mmm_corollary1(&shape, &measures) == 50);
    assert_true(mmm_theorem1(&none, &measures, 4) == 0);
    assert_true(mmm_corollary1(&none, &measures) == 0);
}

/* What is said of each kernel adds up to what is said of the program. */
static void test_kernels(void **state)
{
    (void)state;
    mmm_random random = {17};
    for (int trial = 0; trial < 200; trial++) {
        mmm_program *program = random_program(&random, (int)draw(&random, 1, 12), 12, (int)draw(&random, 0, 10));
        mmm_kernel_info info = {.blocks = 7};
        mmm_measures measures;
        int64_t work = 0, words = 0;
        assert_ok(mmm_program_kernel(program, 0, &info));
        assert_true(!info.costs && info.groups == 0 && info.work == 0 && info.blocks == program->nodes[0].blocks);
        random_costs(&random, program, 50, 9);
        assert_ok(mmm_program_measures(program, &machine, &measures));
        for (int k = 0; k < mmm_program_kernels(program); k++) {
            int64_t blocks = 0;
            bool span = false, span_thread = false, reads = false, writes = false, both = false;
            assert_ok(mmm_program_kernel(program, k, &info));
            assert_string_equal(info.name, mmm_program_kernel_name(program, k));
            assert_true(info.threads == 32 && info.local_words == 0);
            for (int g = 0; g < info.groups; g++) {
                const mmm_cost *c = &info.costs[g];
                blocks += c->blocks;
                assert_true(c->span <= info.span && c->span_thread <= info.span_thread && c->reads <= info.reads &&
                            c->writes <= info.writes && c->reads + c->writes <= info.words);
                span |= c->span == info.span;
                span_thread |= c->span_thread == info.span_thread;
                reads |= c->reads == info.reads;
                writes |= c->writes == info.writes;
                both |= c->reads + c->writes == info.words;
            }
            assert_true(span && span_thread && reads && writes && both && blocks == info.blocks);
            work += info.work;
            words += info.all_reads + info.all_writes;
        }
        assert_true(work == measures.work && words == measures.overhead_words);
        assert_fails(mmm_program_kernel(program, mmm_program_kernels(program), &info), MMM_INVALID, "no kernel");
        assert_fails(mmm_program_kernel(program, -1, &info), MMM_INVALID, "no kernel -1");
        mmm_program_free(program);
    }
}

static double by_head(const mmm_analysis *a, const char *head)
{
    for (int i = 0; i < mmm_quantity_count; i++)
        if (mmm_quantities[i].head && strcmp(mmm_quantities[i].head, head) == 0)
            return mmm_quantity_of(&mmm_quantities[i], a).real;
    fail_msg("no quantity '%s'", head);
    return NAN;
}

static bool differ(const char *x, const char *y)
{
    return !x || !y || strcmp(x, y) != 0;
}

/* The table of quantities: no name twice, and values that go together as the model says. */
static void test_quantities(void **state)
{
    (void)state;
    mmm_random random = {23};
    mmm_counts counts = {.arithmetic = 77, .local_words = 5};
    for (int i = 0; i < mmm_quantity_count; i++)
        for (int j = 0; j < i; j++)
            assert_true(differ(mmm_quantities[i].head, mmm_quantities[j].head) &&
                        differ(mmm_quantities[i].key, mmm_quantities[j].key) &&
                        differ(mmm_quantities[i].column, mmm_quantities[j].column));
    for (int trial = 0; trial < 50; trial++) {
        mmm_program *program = random_program(&random, (int)draw(&random, 1, 12), 12, (int)draw(&random, 0, 10));
        mmm_analysis a;
        random_costs(&random, program, 50, 9);
        assert_ok(mmm_analysis_make(&a, program, &machine, NULL, 0, 1));
        double N = by_head(&a, "N"), L = by_head(&a, "L"), K = by_head(&a, "K"), C = by_head(&a, "C");
        assert_true(fabs(by_head(&a, "T <= cor.1") - (N / K + L) * C) <= 1e-9 * by_head(&a, "T <= cor.1"));
        assert_true(by_head(&a, "O") == (double)a.measures.overhead_words * machine.U);
        assert_true(by_head(&a, "W") == (double)a.measures.work && by_head(&a, "S") == (double)a.measures.span);
        for (int i = 0; i < mmm_quantity_count; i++) {
            const mmm_quantity *q = &mmm_quantities[i];
            mmm_amount x = mmm_quantity_of(q, &a);
            if (q->source == MMM_FROM_QUOTIENT && a.measures.span)
                assert_true(fabs(x.real * (double)a.measures.span - (double)a.measures.work) < 1e-6);
            if (q->when)
                assert_false(x.known); /* nothing unfolds here */
            else if (q->source != MMM_FROM_COUNTS)
                assert_true(x.known && x.real >= 0);
            if (!differ(q->key, "arithmetic")) assert_true(x.integer == a.measures.work);
            if (!differ(q->key, "local_words")) assert_true(!x.known && isnan(x.real));
            a.counts = &counts;
            x = mmm_quantity_of(q, &a);
            if (!differ(q->key, "arithmetic")) assert_int_equal(x.integer, 77);
            if (!differ(q->key, "local_words")) assert_int_equal(x.integer, 5);
            a.counts = NULL;
        }
        mmm_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_set_costs), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_kernels),   cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
