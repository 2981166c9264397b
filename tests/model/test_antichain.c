/* SPDX-License-Identifier: Apache-2.0 */
/* K against brute force, and on large DAGs whose K is known (Corollary 1 in section 2.4). */
#include "testing.h"

/* The heaviest anti-chain among the kernels of `candidates`: with the first of them, or without. */
static int64_t heaviest(const mmm_program *program, const uint64_t *unordered, uint64_t candidates)
{
    if (!candidates) return 0;
    int first = __builtin_ctzll(candidates);
    candidates &= candidates - 1;
    int64_t with = program->nodes[first].blocks + heaviest(program, unordered, candidates & unordered[first]);
    int64_t without = heaviest(program, unordered, candidates);
    return with > without ? with : without;
}

static int64_t brute_force(const mmm_program *program)
{
    uint64_t reach[64], unordered[64];
    int n = (int)program->kernels;
    reach_of(program, reach);
    for (int a = 0; a < n; a++) {
        unordered[a] = 0;
        for (int b = 0; b < n; b++)
            if (!(reach[a] >> b & 1) && !(reach[b] >> a & 1)) unordered[a] |= (uint64_t)1 << b;
    }
    return heaviest(program, unordered, ((uint64_t)1 << n) - 1);
}

static void test_brute_force(void **state)
{
    (void)state;
    mmm_random random = {21};
    for (int trial = 0; trial < 6000; trial++) {
        static const int64_t most[] = {1, 3, 20, 1000000, (int64_t)1 << 58};
        mmm_program *program = random_program(&random, (int)draw(&random, 1, trial % 10 ? 11 : 17), most[trial % 5],
                                              (int)draw(&random, 0, 10));
        mmm_shape shape;
        assert_ok(mmm_program_shape(program, &shape));
        assert_true(shape.K == brute_force(program));
        mmm_program_free(program);
    }
}

/* Layers of a few kernels with edges to the next one or two, which leave the greedy flow far from the least. */
static void test_layers(void **state)
{
    (void)state;
    mmm_random random = {22};
    for (int trial = 0; trial < 3000; trial++) {
        mmm_program *program = random_program(&random, 18, 12, 0);
        int width = (int)draw(&random, 2, 6);
        mmm_shape shape;
        for (int64_t e = draw(&random, 10, 45); e > 0; e--) {
            int before = (int)draw(&random, 0, 17);
            int after = (before / width + (int)draw(&random, 1, 2)) * width + (int)draw(&random, 0, width - 1);
            if (after < 18) assert_ok(mmm_program_depend(program, before, after));
        }
        assert_ok(mmm_program_shape(program, &shape));
        assert_true(shape.K == brute_force(program));
        mmm_program_free(program);
    }
}

static mmm_program *kernels_of(mmm_random *random, int kernels)
{
    mmm_program *program;
    assert_ok(mmm_program_new(&program));
    for (int k = 0; k < kernels; k++)
        assert_ok(mmm_program_add(program, "k", draw(random, 1, 1000), 1, NULL));
    return program;
}

static int64_t blocks_of(const mmm_program *program, int first, int count)
{
    int64_t sum = 0;
    for (int k = first; k < first + count; k++)
        sum += program->nodes[k].blocks;
    return sum;
}

static void assert_K(mmm_program *program, int64_t K)
{
    mmm_shape shape;
    assert_ok(mmm_program_shape(program, &shape));
    assert_int_equal(shape.K, K);
    mmm_program_free(program);
}

/* Every kernel before the next, whatever other edges there are: K is the largest kernel. */
static void test_long_chain(void **state)
{
    (void)state;
    mmm_random random = {23};
    for (int skips = 0; skips <= 50000; skips += 50000) {
        int n = 100000;
        mmm_program *program = kernels_of(&random, n);
        int64_t K = 0;
        for (int k = 0; k < n; k++) {
            if (k) assert_ok(mmm_program_depend(program, k - 1, k));
            if (program->nodes[k].blocks > K) K = program->nodes[k].blocks;
        }
        for (int i = 0; i < skips; i++) {
            int before = (int)draw(&random, 0, n - 2);
            assert_ok(mmm_program_depend(program, before, (int)draw(&random, before + 1, n - 1)));
        }
        assert_K(program, K);
    }
}

/* Layers of random widths, each complete to the next: K is the heaviest layer. */
static void test_complete_layers(void **state)
{
    (void)state;
    mmm_random random = {24};
    mmm_program *program = kernels_of(&random, 10000);
    int64_t K = 0;
    for (int begin = 0, width = 3, next; begin < 10000; begin += width, width = next) {
        if (width > 10000 - begin) width = 10000 - begin;
        next = (int)draw(&random, 1, 9);
        for (int a = begin; a < begin + width; a++)
            for (int b = begin + width; b < begin + width + next && b < 10000; b++)
                assert_ok(mmm_program_depend(program, a, b));
        int64_t weight = blocks_of(program, begin, width);
        if (weight > K) K = weight;
    }
    assert_K(program, K);
}

/* A chain of diamonds, as many lengths of augmenting paths as there are diamonds. */
static void test_diamonds(void **state)
{
    (void)state;
    mmm_random random = {25};
    mmm_program *program = kernels_of(&random, 99999 + 1);
    int64_t K = 0;
    for (int k = 0; k < 99999; k += 3) {
        for (int side = 1; side <= 2; side++) {
            assert_ok(mmm_program_depend(program, k, k + side));
            assert_ok(mmm_program_depend(program, k + side, k + 3));
        }
        int64_t weight = blocks_of(program, k + 1, 2);
        if (weight > K) K = weight;
        if (program->nodes[k].blocks > K) K = program->nodes[k].blocks;
    }
    assert_K(program, K);
}

/* A crown, each of one side before all but one of the other: K is a side, or a pair. */
static void test_crown(void **state)
{
    (void)state;
    mmm_random random = {26};
    int n = 200;
    mmm_program *program = kernels_of(&random, 2 * n);
    int64_t left = blocks_of(program, 0, n), right = blocks_of(program, n, n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b) assert_ok(mmm_program_depend(program, a, n + b));
    assert_K(program, left > right ? left : right);
}

static void test_fork_join(void **state)
{
    (void)state;
    mmm_random random = {27};
    int n = 50000;
    mmm_program *program = kernels_of(&random, n + 2);
    for (int k = 1; k <= n; k++) {
        assert_ok(mmm_program_depend(program, 0, k));
        assert_ok(mmm_program_depend(program, k, n + 1));
    }
    assert_K(program, blocks_of(program, 1, n));
}

static void test_bad_weights(void **state)
{
    (void)state;
    mmm_random random = {28};
    mmm_program *program = kernels_of(&random, 2);
    const mmm_order *order;
    int64_t K = 5, weight[] = {INT64_MAX, 1}, negative[] = {1, -1}, zero[] = {0, 0};
    assert_ok(mmm_program_order(program, &order));
    assert_fails(mmm_antichain(order, weight, &K), MMM_TOO_LARGE, "2^63 - 1");
    assert_fails(mmm_antichain(order, negative, &K), MMM_INVALID, "kernel 1 has a negative weight");
    assert_int_equal(K, 5);
    assert_ok(mmm_antichain(order, zero, &K));
    assert_int_equal(K, 0);
    mmm_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),     cmocka_unit_test(test_layers),      cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_complete_layers), cmocka_unit_test(test_diamonds),    cmocka_unit_test(test_crown),
        cmocka_unit_test(test_fork_join),       cmocka_unit_test(test_bad_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
