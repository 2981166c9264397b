/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort (section 4): a stable permutation on every machine, without violation, and counted as the paper has it. */
#include "sorts.h"

enum { MOST = 4096 };

static mmm_job *job_of(int64_t s, int64_t l, int64_t c, int64_t bits)
{
    mmm_job *job;
    assert_ok(mmm_job_new("radix-sort", &job));
    assert_ok(mmm_job_set(job, "s", s));
    assert_ok(mmm_job_set(job, "l", l));
    assert_ok(mmm_job_set(job, "bits", bits));
    assert_ok(mmm_job_set(job, "c", c));
    return job;
}

static mmm_status give_keys(mmm_job *job, int which, const uint64_t *keys, int64_t count)
{
    return mmm_job_give(job, which, keys, &count, 1);
}

/* Sorts on every machine; each result must be the stable sort's, and no violation may be found. */
static void sort(int64_t s, int64_t l, int64_t c, int64_t bits, const uint64_t *keys, const uint64_t *values, int64_t n)
{
    static int64_t order[MOST];
    const uint64_t *words;
    int64_t count;
    mmm_job *job = job_of(s, l, c, bits);
    assert_ok(give_keys(job, 0, keys, n));
    if (values) assert_ok(give_keys(job, 1, values, n));
    order_of(keys, n, order);
    for (int i = 0; i < 2; i++) {
        assert_ok(mmm_job_run(job, machines[i], NULL));
        assert_ok(mmm_job_check(job));
        words = mmm_job_result(job, 0, &count);
        assert_non_null(words);
        assert_int_equal(count, n);
        for (int64_t j = 0; j < n; j++)
            assert_int_equal(words[j], keys[order[j]]);
        if (!values) continue;
        words = mmm_job_result(job, 1, &count);
        assert_non_null(words);
        assert_int_equal(count, n);
        for (int64_t j = 0; j < n; j++)
            assert_int_equal(words[j], values[order[j]]);
    }
    assert_int_equal(mmm_machine_counts(machines[0])->violation_count, 0);
    mmm_job_free(job);
}

enum { RANDOM, SORTED, REVERSED, ZERO, ONES, MIDDLE, FEW, MOSTLY_ONES, ONE_BIT, PIPE, KINDS };

/* Keys of c bits that careless sorts get wrong. */
static void make_keys(int kind, mmm_random *random, int64_t c, uint64_t *keys, int64_t n)
{
    uint64_t ones = UINT64_MAX >> (64 - c);
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = mmm_random_next(random), rank = ones / (uint64_t)n * (uint64_t)i;
        switch (kind) {
        case RANDOM: keys[i] = x; break;
        case SORTED: keys[i] = rank; break;
        case REVERSED: keys[i] = ones - rank; break;
        case ZERO: keys[i] = 0; break;
        case ONES: keys[i] = ones; break;
        case MIDDLE: keys[i] = ones / 2 + 1; break;
        case FEW: keys[i] = (x >> 8) % 3 * 0x0123456789abcdefu; break;
        case MOSTLY_ONES: keys[i] = x % 8 ? ones : x >> 8; break;
        case ONE_BIT: keys[i] = (uint64_t)1 << (x >> 8) % (uint64_t)c; break;
        case PIPE: keys[i] = i < n / 2 ? rank : ones - rank; break;
        }
        keys[i] &= ones;
    }
}

static void test_hostile(void **state)
{
    static const int64_t shapes[][4] = {/* s, l, c, bits */
                                        {4, 16, 32, 32}, {1, 4, 9, 32},   {5, 2, 32, 32},  {8, 8, 32, 32},
                                        {3, 1, 7, 32},   {7, 32, 64, 64}, {11, 4, 33, 64}, {4, 16, 20, 64}};
    static uint64_t keys[MOST], values[MOST];
    mmm_random random = {3};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t s = shapes[i][0], l = shapes[i][1], c = shapes[i][2], bits = shapes[i][3];
        for (int kind = 0; kind < KINDS; kind++) {
            int64_t sizes[] = {0, 1, 4 * l - 1, 4 * l, 4 * l + 1, s > 8 ? 40 : 311};
            for (int j = 0; j < 6; j++) {
                make_keys(kind, &random, c, keys, sizes[j]);
                for (int64_t k = 0; k < sizes[j]; k++)
                    values[k] = mmm_random_next(&random) >> (64 - bits);
                sort(s, l, c, bits, keys, (j + kind) % 2 ? values : NULL, sizes[j]);
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
        int64_t bits = round % 3 ? 32 : 64, c = draw(&random, 1, bits), s = draw(&random, 1, 9);
        int64_t l = (int64_t)1 << draw(&random, 0, 6), n = draw(&random, 0, 400);
        mmm_machine_free(machines[0]);
        assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), (uint64_t)round, &machines[0]));
        make_keys((int)draw(&random, 0, KINDS - 1), &random, c, keys, n);
        for (int64_t k = 0; k < n; k++)
            values[k] = (uint64_t)k;
        sort(s, l, c, bits, keys, round % 2 ? values : NULL, n);
    }
}

/* More tiles of counts than one block can add up: sums of sums of sums. */
static void test_deep_sums(void **state)
{
    static uint64_t keys[MOST];
    mmm_random random = {5};
    mmm_shape shape;
    (void)state;
    make_keys(RANDOM, &random, 10, keys, MOST);
    sort(5, 1, 10, 32, keys, NULL, MOST);
    sort(3, 2, 10, 32, keys, NULL, 2000);
    mmm_job *job = job_of(5, 1, 10, 32); /* 2^5 1024 counts: tiles of 4 are 8192, 2048 (of 8191), 512, ... 8, 2, 1 */
    assert_ok(mmm_job_set(job, "n", MOST));
    assert_ok(mmm_job_prepare(job));
    assert_ok(mmm_program_shape(mmm_job_program(job), &shape));
    assert_int_equal(shape.L, 2 * (2 + 8 + 7));
    mmm_job_free(job);
}

typedef struct measured {
    mmm_shape shape;
    mmm_measures measures;
    int64_t local_words;
} measured;

static measured measure(int64_t n, int64_t s, int64_t l, int64_t c, int64_t bits, int64_t pairs)
{
    measured x;
    mmm_job *job = job_of(s, l, c, bits);
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "values", pairs));
    assert_ok(mmm_job_run(job, machines[0], NULL));
    assert_ok(mmm_program_shape(mmm_job_program(job), &x.shape));
    assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &x.measures));
    x.local_words = mmm_machine_counts(machines[0])->local_words;
    assert_int_equal(mmm_machine_counts(machines[0])->violation_count, 0);
    mmm_job_free(job);
    return x;
}

/* The operations of a pass over so many blocks of keys and tiles of counts. */
static int64_t pass_work(int64_t blocks, int64_t tiles, int64_t s, int64_t l)
{
    int64_t scans = tiles > 1 ? tiles + 1 : 1;
    return blocks * (s * (23 * l - 2) + 44 * l) + scans * (10 * l - 2) + (tiles - 1) * 4 * l;
}

/* With s dividing c, 4 l dividing n, 16 l^2 dividing 2^s n, 2^s <= l, and from 5 to 4 l + 1 tiles of counts: N, L, K
 * and O exactly the paper's; W, S and C of the paper's form with coefficients of our operations. */
static void compare(int64_t n, int64_t s, int64_t l, int64_t log_l, int64_t c, int64_t bits)
{
    double U = mmm_parameters_builtin()->U;
    int64_t passes = c / s, blocks = n / (4 * l), tiles = (blocks << s) / (4 * l);
    measured x = measure(n, s, l, c, bits, 0);
    assert_int_equal(x.shape.N * 8 * l * l, passes * (4 * l + (1 << s)) * n);
    assert_int_equal(x.shape.L, 5 * passes);
    assert_int_equal(x.shape.K, blocks);
    assert_int_equal(x.measures.overhead_words * 16 * l * l, passes * (72 * l * n + 17 * (n << s) - 16 * l * l));
    assert_true(x.measures.overhead == U * (double)x.measures.overhead_words);
    assert_int_equal(
        x.measures.work * 16 * l * l,
        c / s * ((4 * l * (23 * s * l + 44 * l - 2 * s) + (14 * l - 2) * (1 << s)) * n + 16 * l * l * (6 * l - 2)));
    assert_int_equal(x.measures.work, passes * pass_work(blocks, tiles, s, l));
    assert_int_equal(x.measures.span, c * (2 * log_l + 21) + passes * (4 * log_l + 64));
    assert_int_equal(x.measures.span_thread, x.measures.span);
    assert_true(x.measures.C == (double)(s * (21 + 2 * log_l) + 24) + 9 * U);
    assert_int_equal(x.local_words, 5 * l + 1 + (1 << s));
    assert_true(x.local_words <= 8 * l + (1 << s)); /* what the paper allows */
    /* Values move through the same places: 8 words more a thread and kernel, and no operation. */
    measured pairs = measure(n, s, l, c, bits, 1);
    assert_int_equal(pairs.measures.overhead_words, x.measures.overhead_words + passes * 16 * blocks);
    assert_int_equal(pairs.measures.work, x.measures.work);
    assert_int_equal(pairs.measures.span, x.measures.span);
    assert_true(pairs.measures.C == x.measures.C + 8 * U);
    assert_int_equal(pairs.local_words, x.local_words);
    assert_int_equal(pairs.shape.N, x.shape.N);
}

static void test_counts(void **state)
{
    (void)state;
    for (int64_t log_l = 1, l = 2; log_l <= 5; log_l++, l *= 2)
        for (int64_t s = 1; s <= log_l; s++) {
            int64_t unit = 16 * l * l >> s, tiles[] = {5, 8, 4 * l + 1};
            for (int i = 0; i < 3; i++) {
                if (tiles[i] * unit > 8192) continue;
                compare(tiles[i] * unit, s, l, log_l, 2 * s, 64);
                if (tiles[i] * unit <= 1024) compare(tiles[i] * unit, s, l, log_l, s * (32 / s), 32);
            }
        }
}

/* Beyond the paper's conditions: 2^s / l counts a thread where 2^s > l; and where one block adds up all counts, three
 * kernels a pass. */
static void test_counts_elsewhere(void **state)
{
    double U = mmm_parameters_builtin()->U;
    (void)state;
    for (int64_t s = 3; s <= 6; s++) {
        int64_t l = 4, blocks = 128 >> s, tiles = 8, each = (1 << s) / l;
        measured x = measure(4 * l * blocks, s, l, 2 * s, 32, 0);
        assert_int_equal(x.shape.N, 2 * (2 * blocks + 2 * tiles));
        assert_int_equal(x.shape.K, blocks > tiles ? blocks : tiles);
        assert_int_equal(x.measures.overhead_words, 2 * (blocks * (16 + 2 * each) + 17 * tiles - 1));
        assert_int_equal(x.measures.work, 2 * pass_work(blocks, tiles, s, l));
        assert_true(x.measures.C == (double)(s * 25 + 24) + (double)(8 + each) * U);
    }
    for (int64_t tiles = 2; tiles <= 4; tiles++) { /* so few sums that no thread has four */
        int64_t s = 2, l = 4, blocks = 4 * tiles;
        measured x = measure(16 * blocks, s, l, 2 * s, 32, 0);
        assert_int_equal(x.shape.L, 2 * 5);
        assert_int_equal(x.measures.overhead_words, 2 * (18 * blocks + 8 * tiles + (2 + 9) * (tiles - 1)));
        assert_int_equal(x.measures.work, 2 * pass_work(blocks, tiles, s, l));
    }
    measured x = measure(64, 4, 16, 8, 32, 0); /* one tile of keys and one of counts, of which 16 are there */
    assert_int_equal(x.shape.N, 2 * 3);
    assert_int_equal(x.shape.L, 2 * 3);
    assert_int_equal(x.measures.span, 8 * 29 + 2 * (2 * 4 + 52));
    assert_int_equal(x.measures.work, 2 * pass_work(1, 1, 4, 16));
    assert_int_equal(x.measures.overhead_words, 2 * (9 + 8 + 9));
}

/* Counts depend on the sizes alone: not on the keys, on the word, nor on the order in which blocks run. */
static void test_counts_are_the_programs(void **state)
{
    mmm_measures first, x;
    static uint64_t keys[500];
    mmm_random random = {1};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        mmm_machine *machine;
        mmm_job *job = job_of(3, 8, 32, kind % 2 ? 64 : 32);
        make_keys(kind, &random, 32, keys, 500);
        assert_ok(give_keys(job, 0, keys, 500));
        assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), (uint64_t)kind, &machine));
        assert_ok(mmm_job_run(job, machine, NULL));
        assert_ok(mmm_program_measures(mmm_job_program(job), mmm_parameters_builtin(), &x));
        if (kind == 0) first = x;
        assert_memory_equal(&x, &first, sizeof x);
        mmm_machine_free(machine);
        mmm_job_free(job);
    }
}

static const char *bytes_file(const void *bytes, size_t size)
{
    const char *path = file_with("");
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
    return path;
}

static void assert_written(mmm_job *job, int which, const void *bytes, size_t size)
{
    char path[64], found[256];
    snprintf(path, sizeof path, "build/test-%d.out", (int)getpid());
    assert_ok(mmm_job_write(job, which, path));
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(found, 1, sizeof found, stream), size);
    fclose(stream);
    unlink(path);
    assert_memory_equal(found, bytes, size);
}

static void test_files(void **state)
{
    static const unsigned char keys[] = {2, 0, 0, 1, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, values[] = "firstsecond";
    static const unsigned char sorted[] = {1, 0, 0, 0, 2, 0, 0, 1, 0xff, 0xff, 0xff, 0xff};
    static const unsigned char wide[] = {0, 0, 0, 0, 0, 0, 0, 0x80, 9, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char wide_sorted[] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    const uint64_t *words;
    int64_t count;
    (void)state;
    mmm_job *job = job_of(4, 4, 32, 32);
    assert_ok(mmm_job_read(job, 0, bytes_file(keys, sizeof keys)));
    assert_int_equal(mmm_job_get(job, "n"), 3);
    assert_ok(mmm_job_run(job, machines[1], NULL));
    assert_written(job, 0, sorted, sizeof sorted);
    assert_fails(mmm_job_write(job, 1, "build/unwritten"), MMM_INVALID, "ran without values");
    assert_no_result(job, 1, "ran without values");
    assert_ok(mmm_job_read(job, 1, bytes_file(values, sizeof values)));
    assert_int_equal(mmm_job_get(job, "values"), 1);
    assert_ok(mmm_job_run(job, machines[1], NULL));
    assert_written(job, 0, sorted, sizeof sorted);
    assert_written(job, 1, "tsecfirsond", sizeof values);
    assert_ok(mmm_job_check(job));
    mmm_job_free(job);
    job = job_of(7, 1, 64, 64);
    assert_ok(mmm_job_read(job, 0, bytes_file(wide, sizeof wide)));
    assert_ok(mmm_job_set(job, "values", 1)); /* without a file: the numbers of the keys */
    assert_ok(mmm_job_run(job, machines[1], NULL));
    assert_written(job, 0, wide_sorted, sizeof wide_sorted);
    words = mmm_job_result(job, 1, &count);
    assert_non_null(words);
    assert_int_equal(count, 2);
    assert_true(words[0] == 1 && words[1] == 0);
    assert_ok(mmm_job_read(job, 0, bytes_file("", 0)));
    assert_ok(mmm_job_run(job, machines[1], NULL));
    assert_written(job, 0, "", 0);
    unlink(file_with(""));
    mmm_job_free(job);
}

static void test_errors(void **state)
{
    mmm_job *job;
    const uint64_t keys[] = {1, 2, (uint64_t)1 << 20}, huge[] = {1, (uint64_t)1 << 32, 3};
    (void)state;
    assert_ok(mmm_job_new("division", &job));
    assert_fails(give_keys(job, 0, keys, 3), MMM_INVALID, "a of division is a polynomial, not an array");
    mmm_job_free(job);
    assert_ok(mmm_job_new("radix-sort", &job));
    assert_fails(mmm_job_polynomial(job, 0, 7, keys, 1), MMM_INVALID,
                 "keys of radix-sort is an array of word, not a polynomial");
    assert_fails(give_keys(job, 2, keys, 3), MMM_INVALID, "2 inputs");
    assert_fails(give_keys(job, 0, keys, -1), MMM_INVALID, "-1");
    assert_fails(mmm_job_read(job, 0, bytes_file("abcdefg", 7)), MMM_INVALID, "has 7 bytes");
    assert_true(strstr(mmm_message(), "build/test-") != NULL);
    assert_fails(mmm_job_set(job, "s", 0), MMM_INVALID, "s=0");
    assert_fails(mmm_job_set(job, "values", 2), MMM_INVALID, "values=2");
    assert_ok(mmm_job_set(job, "l", 12));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "l=12");
    assert_ok(mmm_job_set(job, "l", 1));
    assert_ok(mmm_job_set(job, "n", 1 << 28));
    assert_ok(mmm_job_set(job, "s", 16));
    assert_fails(mmm_job_prepare(job), MMM_TOO_LARGE, "counts");
    assert_ok(mmm_job_set(job, "n", 1000));
    assert_ok(mmm_job_set(job, "c", 33));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "c=33, bits=32: radix-sort needs c <= bits");
    assert_ok(mmm_job_set(job, "bits", 48));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "bits=48");
    assert_fails(mmm_job_read(job, 0, bytes_file("abcd", 4)), MMM_INVALID, "bits=48");
    assert_ok(mmm_job_set(job, "bits", 32));
    assert_ok(mmm_job_set(job, "c", 20));
    assert_ok(give_keys(job, 0, keys, 3));
    assert_fails(mmm_job_set(job, "n", 4), MMM_INVALID, "known from the input keys");
    assert_fails(mmm_job_set(job, "bits", 64), MMM_INVALID, "known from the input keys");
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "keys: number 2, 1048576, has more than 20 bits");
    assert_ok(mmm_job_set(job, "c", 21));
    assert_ok(mmm_job_prepare(job));
    assert_ok(give_keys(job, 1, keys, 2));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "keys has length 3, but n is 2");
    assert_ok(give_keys(job, 1, huge, 3));
    assert_fails(mmm_job_prepare(job), MMM_INVALID, "values: number 1");
    assert_ok(give_keys(job, 1, keys, 3));
    assert_ok(mmm_job_run(job, machines[1], NULL));
    unlink(file_with(""));
    mmm_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_deep_sums),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_elsewhere),
        cmocka_unit_test(test_counts_are_the_programs),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
