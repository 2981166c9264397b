/* SPDX-License-Identifier: Apache-2.0 */
/* Building programs, their order, and N and L against brute force (section 2.2). */
#include "testing.h"

static void test_build(void **state)
{
    (void)state;
    mmm_program *program;
    int a = -1, b = -1;
    assert_ok(mmm_program_new(&program));
    assert_int_equal(mmm_program_kernels(program), 0);
    assert_ok(mmm_program_add(program, "a", 1, 1, &a));
    assert_ok(mmm_program_add(program, "b", 2, 3, &b));
    assert_ok(mmm_program_add(program, "b", 1, 1, NULL)); /* a kernel called again is another node */
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    assert_int_equal(mmm_program_kernels(program), 3);
    assert_string_equal(mmm_program_kernel_name(program, 1), "b");
    assert_null(mmm_program_kernel_name(program, 3));
    assert_null(mmm_program_kernel_name(program, -1));

    assert_fails(mmm_program_add(program, "", 1, 1, NULL), MMM_INVALID, "name");
    assert_fails(mmm_program_add(program, NULL, 1, 1, NULL), MMM_INVALID, "name");
    assert_fails(mmm_program_add(program, "tab\there", 1, 1, NULL), MMM_INVALID, "without control characters");
    assert_fails(mmm_program_add(program, "big", 0, 1, NULL), MMM_INVALID, "kernel 'big': 0 blocks");
    assert_fails(mmm_program_add(program, "big", 1, -4, NULL), MMM_INVALID, "kernel 'big': -4 threads");
    assert_fails(mmm_program_depend(program, 0, 3), MMM_INVALID, "no kernel 3");
    assert_fails(mmm_program_depend(program, -1, 0), MMM_INVALID, "no kernel -1");
    assert_fails(mmm_program_depend(program, 1, 1), MMM_INVALID, "kernel 'b' would be on a cycle");
    assert_int_equal(mmm_program_kernels(program), 3);
    assert_int_equal(program->edge_count, 0);
    mmm_program_free(program);
    mmm_program_free(NULL);
}

static void test_empty(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_shape shape;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_shape(program, &shape));
    assert_true(shape.kernels == 0 && shape.edges == 0 && shape.N == 0 && shape.L == 0 && shape.L_edges == 0 &&
                shape.K == 0 && shape.parallel_steps == 0);
    mmm_program_free(program);
}

static void test_too_many_blocks(void **state)
{
    (void)state;
    mmm_program *program;
    mmm_shape shape = {.N = 5};
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_add(program, "first", INT64_MAX, 1, NULL));
    assert_ok(mmm_program_shape(program, &shape));
    assert_true(shape.N == INT64_MAX && shape.K == INT64_MAX);
    assert_ok(mmm_program_add(program, "second", 1, 1, NULL));
    assert_fails(mmm_program_shape(program, &shape), MMM_TOO_LARGE, "'second'");
    assert_true(shape.N == INT64_MAX);
    mmm_program_free(program);
}

/* A cycle among kernels before and after it, which are on none: only those of the cycle may be named. */
static void test_cycle(void **state)
{
    (void)state;
    mmm_random random = {11};
    for (int trial = 0; trial < 500; trial++) {
        mmm_program *program = random_program(&random, 12, 4, 3);
        mmm_shape shape = {.N = -1};
        int before = (int)draw(&random, 0, 11), after = (before + (int)draw(&random, 1, 11)) % 12;
        assert_ok(mmm_program_depend(program, before, after));
        uint64_t reach[64];
        reach_of(program, reach);
        mmm_status status = mmm_program_shape(program, &shape);
        bool cyclic = reach[after] >> before & 1;
        assert_int_equal(status, cyclic ? MMM_INVALID : MMM_OK);
        if (cyclic) {
            int kernel = -1;
            assert_int_equal(sscanf(mmm_message(), "kernel 'k%d' is on a cycle", &kernel), 1);
            assert_true(reach[kernel] >> kernel & 1);
            assert_true(shape.N == -1);
        }
        mmm_program_free(program);
    }
}

/* Kernels on the longest path from `kernel` on, over all paths. */
static int64_t longest_from(const mmm_program *program, int kernel)
{
    int64_t best = 0;
    for (int64_t e = 0; e < program->edge_count; e++)
        if (program->edges[e].before == kernel) {
            int64_t length = longest_from(program, program->edges[e].after);
            if (length > best) best = length;
        }
    return best + 1;
}

static void test_shape(void **state)
{
    (void)state;
    mmm_random random = {12};
    for (int trial = 0; trial < 500; trial++) {
        int kernels = (int)draw(&random, 1, 9);
        mmm_program *program = random_program(&random, kernels, 9, (int)draw(&random, 0, 12));
        mmm_shape shape;
        const mmm_order *order, *again;
        int64_t N = 0, L = 0;
        int position[64];
        for (int k = 0; k < kernels; k++) {
            N += program->nodes[k].blocks;
            if (longest_from(program, k) > L) L = longest_from(program, k);
        }
        assert_ok(mmm_program_shape(program, &shape));
        assert_true(shape.kernels == kernels && shape.edges == program->edge_count && shape.N == N && shape.L == L &&
                    shape.L_edges == L - 1 && shape.parallel_steps == L);
        assert_ok(mmm_program_order(program, &order));
        assert_ok(mmm_program_order(program, &again));
        assert_ptr_equal(order->sequence, again->sequence); /* made once */
        for (int i = 0; i < kernels; i++)
            position[order->sequence[i]] = i;
        int64_t edges = 0;
        for (int k = 0; k < kernels; k++)
            for (int i = order->first[k]; i < order->first[k + 1]; i++, edges++) {
                assert_true(position[k] < position[order->to[i]]);
                assert_true(order->level[k] < order->level[order->to[i]]);
            }
        assert_int_equal(edges, program->edge_count);
        for (int k = 0; k < kernels; k++)
            for (int i = order->from_first[k]; i < order->from_first[k + 1]; i++, edges--) {
                int ways = 0, back = 0; /* as often in one direction as in the other */
                for (int j = order->first[order->from[i]]; j < order->first[order->from[i] + 1]; j++)
                    ways += order->to[j] == k;
                for (int j = order->from_first[k]; j < order->from_first[k + 1]; j++)
                    back += order->from[j] == order->from[i];
                assert_true(ways == back && ways > 0);
            }
        assert_int_equal(edges, 0);
        mmm_program_free(program);
    }
}

/* An order is that of the program as it is now, and a cycle fails each time it is asked for. */
static void test_order_follows(void **state)
{
    mmm_program *program;
    const mmm_order *order;
    (void)state;
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_order(program, &order));
    assert_int_equal(order->kernels, 0);
    for (int k = 0; k < 3; k++)
        assert_ok(mmm_program_add(program, "k", 1, 1, NULL));
    assert_ok(mmm_program_order(program, &order));
    assert_true(order->kernels == 3 && order->sequence[0] == 0 && order->level[0] == 0);
    assert_ok(mmm_program_depend(program, 2, 0));
    assert_ok(mmm_program_order(program, &order));
    assert_true(order->sequence[2] == 0 && order->level[0] == 1 && order->from[order->from_first[0]] == 2);
    assert_ok(mmm_program_depend(program, 0, 2));
    for (int again = 0; again < 2; again++)
        assert_fails(mmm_program_order(program, &order), MMM_INVALID, "on a cycle");
    mmm_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build), cmocka_unit_test(test_empty),         cmocka_unit_test(test_too_many_blocks),
        cmocka_unit_test(test_cycle), cmocka_unit_test(test_order_follows), cmocka_unit_test(test_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
