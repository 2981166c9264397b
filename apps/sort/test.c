/* SPDX-License-Identifier: Apache-2.0 */
/* The fast sort: a stable permutation by every method on every machine, without violation, whatever the keys are. */
#include "sorts.h"

enum { MOST = 4096 };

typedef struct shape {
    int64_t method, s, l, e, b, bits;
} shape;

static mmm_job *job_of(const shape *x)
{
    const int64_t values[] = {x->method, x->s, x->l, x->e, x->b, x->bits};
    static const char *const names[] = {"method", "s", "l", "e", "b", "bits"};
    mmm_job *job;
    assert_ok(mmm_job_new("sort", &job));
    for (int i = 0; i < 6; i++)
        assert_ok(mmm_job_set(job, names[i], values[i]));
    return job;
}

/* Sorts; each result must be the stable sort's, and no violation may be found. */
static void sort_on(int first_machine, const shape *x, const uint64_t *keys, const uint64_t *values, int64_t n)
{
    static int64_t order[1 << 18];
    mmm_job *job = job_of(x);
    assert_ok(mmm_job_give(job, 0, keys, &n, 1));
    if (values) assert_ok(mmm_job_give(job, 1, values, &n, 1));
    order_of(keys, n, order);
    for (int i = first_machine; i < 2; i++) {
        int64_t count;
        assert_ok(mmm_job_run(job, machines[i], NULL));
        assert_ok(mmm_job_check(job));
        const uint64_t *words = mmm_job_result(job, 0, &count);
        assert_non_null(words);
        assert_int_equal(count, n);
        for (int64_t j = 0; j < n; j++)
            if (words[j] != keys[order[j]]) fail_msg("method %d, n=%d: key %d", (int)x->method, (int)n, (int)j);
        if (!values) continue;
        words = mmm_job_result(job, 1, &count);
        assert_non_null(words);
        assert_int_equal(count, n);
        for (int64_t j = 0; j < n; j++)
            if (words[j] != values[order[j]]) fail_msg("method %d, n=%d: value %d", (int)x->method, (int)n, (int)j);
    }
    if (first_machine == 0) assert_int_equal(mmm_machine_counts(machines[0])->violation_count, 0);
    mmm_job_free(job);
}

/* LOW: the same but for the last bits, TWICE: first and second half of the bits are the same number, so that each digit
 * is spread and pairs of them are not; MAGNITUDES: as many of each length. */
enum { RANDOM, SORTED, REVERSED, ZERO, ONES, TWO, FEW, MOSTLY_ONES, ONE_BIT, PIPE, LOW, TWICE, MAGNITUDES, KINDS };

static void make_keys(int kind, mmm_random *random, int64_t bits, uint64_t *keys, int64_t n)
{
    uint64_t ones = UINT64_MAX >> (64 - bits);
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = mmm_random_next(random), rank = ones / (uint64_t)n * (uint64_t)i;
        switch (kind) {
        case RANDOM: keys[i] = x; break;
        case SORTED: keys[i] = rank; break;
        case REVERSED: keys[i] = ones - rank; break;
        case ZERO: keys[i] = 0; break;
        case ONES: keys[i] = ones; break;
        case TWO: keys[i] = x >> 8 & 1 ? 0x01234567 : 0x00fedcba; break;
        case FEW: keys[i] = (x >> 8) % 3 * 0x0123456789abcdefu; break;
        case MOSTLY_ONES: keys[i] = x % 8 ? ones : x >> 8; break;
        case ONE_BIT: keys[i] = (uint64_t)1 << (x >> 8) % (uint64_t)bits; break;
        case PIPE: keys[i] = i < n / 2 ? rank : ones - rank; break;
        case LOW: keys[i] = (ones >> 1 & ~(uint64_t)0xfff) | (x & 0xfff); break;
        case TWICE: keys[i] = (x & (ones >> bits / 2)) << bits / 2 | (x & (ones >> bits / 2)); break;
        case MAGNITUDES: keys[i] = (x & ones) >> (x >> 32) % (uint64_t)bits; break;
        }
        keys[i] &= ones;
    }
}

static void test_hostile(void **state)
{
    static const shape shapes[] = {/* method, s, l, e, b, bits */
                                   {1, 8, 64, 4, 1, 32},   {1, 5, 32, 3, 1, 32},  {2, 8, 64, 8, 1, 32},
                                   {2, 3, 64, 1, 1, 64},   {3, 8, 32, 4, 1, 32},  {3, 6, 96, 2, 1, 64},
                                   {1, 4, 1, 7, 1, 32},    {3, 7, 8, 5, 1, 32},   {4, 8, 1, 64, 1, 32},
                                   {4, 11, 1, 50, 16, 32}, {4, 5, 1, 100, 8, 64}, {4, 6, 1, 300, 64, 32},
                                   {4, 7, 1, 500, 32, 64}};
    static uint64_t keys[MOST], values[MOST];
    mmm_random random = {3};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            int64_t tile = shapes[i].l * shapes[i].e, sizes[] = {0, 1, tile - 1, tile, tile + 1, 777};
            for (int j = 0; j < 6; j++) {
                make_keys(kind, &random, shapes[i].bits, keys, sizes[j]);
                for (int64_t k = 0; k < sizes[j]; k++)
                    values[k] = mmm_random_next(&random) >> (64 - shapes[i].bits);
                sort_on(0, &shapes[i], keys, (j + kind) % 2 ? values : NULL, sizes[j]);
            }
        }
    }
}

/* Blocks run in an order drawn from the seed. */
static void test_random(void **state)
{
    static uint64_t keys[MOST], values[MOST];
    mmm_random random = {11};
    (void)state;
    for (int round = 0; round < 150; round++) {
        shape x = {.method = draw(&random, 1, 4), .s = draw(&random, 1, 9), .bits = round % 3 ? 32 : 64};
        x.l = round % 2 ? 32 * draw(&random, 1, 4) : draw(&random, 1, 32);
        x.e = draw(&random, 1, 12);
        x.b = (int64_t)1 << draw(&random, 0, 8);
        int64_t n = draw(&random, 0, 2000);
        mmm_machine_free(machines[0]);
        assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), (uint64_t)round, &machines[0]));
        make_keys((int)draw(&random, 0, KINDS - 1), &random, x.bits, keys, n);
        for (int64_t k = 0; k < n; k++)
            values[k] = (uint64_t)k;
        sort_on(0, &x, keys, round % 2 ? values : NULL, n);
    }
}

/* Sizes at which a core uses all that it has: several digits, insertion, and what it does when that fails. */
static void test_large(void **state)
{
    static const shape shapes[] = {{4, 11, 1, 65536, 1, 32},  {4, 12, 1, 30000, 256, 32}, {4, 11, 1, 65536, 1, 64},
                                   {4, 13, 1, 50000, 32, 64}, {1, 8, 256, 16, 1, 32},     {2, 8, 512, 8, 1, 32}};
    static uint64_t keys[1 << 18], values[1 << 18];
    mmm_random random = {17};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            int64_t n = draw(&random, 100000, 1 << 18);
            make_keys(kind, &random, shapes[i].bits, keys, n);
            for (int64_t k = 0; k < n; k++)
                values[k] = (uint64_t)k;
            sort_on(1, &shapes[i], keys, kind % 2 ? values : NULL, n);
        }
}

static void test_errors(void **state)
{
    mmm_job *job;
    int64_t three = 3;
    const uint64_t huge[] = {1, (uint64_t)1 << 32, 3};
    (void)state;
    assert_ok(mmm_job_new("sort", &job));
    assert_fails(mmm_job_set(job, "method", 5), MMM_INVALID, "method=5");
    assert_ok(mmm_job_set(job, "n", 1 << 28));
    assert_ok(mmm_job_set(job, "s", 13));
    assert_ok(mmm_job_set(job, "e", 1));
    assert_fails(mmm_job_prepare(job), MMM_TOO_LARGE, "counts");
    mmm_job_free(job);
    assert_ok(mmm_job_new("sort", &job));
    assert_ok(mmm_job_give(job, 0, huge, &three, 1));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "keys: number 1, 4294967296, has more than 32 bits");
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
