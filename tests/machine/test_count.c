/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that are known beforehand, and arithmetic modulo p that is right on every target. */
#include "machine/machine.h"
#include "testing.h"

#include "faulty/kernels.h"

#include <flint/ulong_extras.h>

static void test_staircase(void **state)
{
    enum { BLOCKS = 3 };
    (void)state;
    for (int threads = 4; threads < 100; threads += 7) {
        uint32_t a[BLOCKS * 100];
        mmm_program *program;
        mmm_machine *machine;
        mmm_measures measures;
        mmm_word_array array;
        assert_ok(mmm_program_new(&program));
        assert_ok(mmm_program_set_words(program, 32, NULL));
        assert_ok(mmm_program_array(program, "a", MMM_WORD, BLOCKS * threads, MMM_RESULT, a, &array.number));
        assert_ok(launch_staircase(program, BLOCKS, threads, array));
        assert_ok(mmm_machine_open("abstract", &machine));
        assert_ok(mmm_machine_run(machine, program, NULL));
        assert_ok(mmm_program_measures(program, mmm_parameters_builtin(), &measures));
        const mmm_counts *counts = mmm_machine_counts(machine);
        assert_int_equal(counts->violation_count, 0);
        /* Thread t does 2 + t + (threads - t) operations; region by region the most is 2, threads - 1, threads. */
        assert_int_equal(measures.work, BLOCKS * threads * (2 + threads));
        assert_int_equal(counts->arithmetic, measures.work);
        assert_int_equal(measures.span, 2 + threads - 1 + threads);
        assert_int_equal(measures.span_thread, 2 + threads);
        /* Thread 0 reads one word and writes two, threads 1 and 2 write one. */
        assert_int_equal(measures.overhead_words, BLOCKS * 3);
        assert_int_equal(counts->global_reads, BLOCKS);
        assert_int_equal(counts->global_writes, BLOCKS * 4);
        mmm_machine_free(machine);
        mmm_program_free(program);
    }
}

/* Residues of one prime through the kernel on one machine, against FLINT's scalar arithmetic. */
static void check_prime(uint64_t p, const char *machine_name)
{
    enum { COUNT = 64 };
    mmm_random random = {p};
    mmm_modulus modulus;
    mmm_program *program;
    mmm_machine *machine;
    uint64_t a[COUNT], b[COUNT], words[6 * COUNT];
    assert_ok(mmm_modulus_read(p, &modulus));
    int size = modulus.bits / 8;
    mmm_word_array of_a, of_b, of_c;
    char *memory = (char *)words;
    for (int i = 0; i < COUNT; i++) {
        a[i] = i == 0 ? 1 : i == 1 ? p - 1 : 1 + mmm_random_below(&random, p - 1);
        b[i] = i < 4 ? p - 1 : i < 8 ? 0 : mmm_random_below(&random, p);
        uint64_t x = mmm_modulus_enter(&modulus, a[i]), y = mmm_modulus_enter(&modulus, b[i]);
        assert_true(x < p && y < p);
        assert_int_equal(mmm_modulus_leave(&modulus, x), a[i]);
        memcpy(memory + i * size, &x, (size_t)size);
        memcpy(memory + (COUNT + i) * size, &y, (size_t)size);
    }
    assert_ok(mmm_program_new(&program));
    assert_ok(mmm_program_set_words(program, modulus.bits, &modulus));
    assert_ok(mmm_program_array(program, "a", MMM_WORD, COUNT, MMM_IN, memory, &of_a.number));
    assert_ok(mmm_program_array(program, "b", MMM_WORD, COUNT, MMM_IN, memory + COUNT * size, &of_b.number));
    assert_ok(mmm_program_array(program, "c", MMM_WORD, 4 * COUNT, MMM_OUT, memory + 2 * COUNT * size, &of_c.number));
    assert_ok(launch_arithmetic(program, COUNT / 16, 16, of_a, of_b, of_c));
    assert_ok(mmm_machine_open(machine_name, &machine));
    assert_ok(mmm_machine_run(machine, program, NULL));
    const mmm_counts *counts = mmm_machine_counts(machine);
    if (counts) assert_int_equal(counts->arithmetic, 4 * COUNT);
    for (int i = 0; i < 4 * COUNT; i++) {
        uint64_t x = 0, u = a[i / 4], v = b[i / 4];
        const uint64_t expected[] = {n_addmod(u, v, p), n_submod(u, v, p), n_mulmod2(u, v, p), n_invmod(u, p)};
        memcpy(&x, memory + (2 * COUNT + i) * size, (size_t)size);
        assert_true(x < p);
        assert_int_equal(mmm_modulus_leave(&modulus, x), expected[i % 4]);
    }
    mmm_machine_free(machine);
    mmm_program_free(program);
}

static void test_arithmetic(void **state)
{
    static const uint64_t primes[] = {
        2,          3,          5,          7,          65537,      2013265921,          2147483629,
        2147483647, 2147483659, 4294967291, 4294967311, 4294967357, 9223372036854775783u};
    (void)state;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        check_prime(primes[i], "abstract");
        check_prime(primes[i], "cpu");
    }
    mmm_random random = {1};
    for (int i = 0; i < 200; i++) {
        uint64_t p = n_nextprime(mmm_random_next(&random) >> (2 + i % 60), 1);
        check_prime(p, i % 2 ? "abstract" : "cpu");
    }
}

static void test_modulus(void **state)
{
    static const uint64_t bad[] = {0, 1, 4, 9, 2147483649, (uint64_t)1 << 63, UINT64_MAX};
    mmm_modulus modulus;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(mmm_modulus_read(bad[i], &modulus), MMM_INVALID, bad[i] >> 63 ? "2^63" : "prime");
    assert_ok(mmm_modulus_read(2147483647, &modulus));
    assert_int_equal(modulus.bits, 32);
    assert_ok(mmm_modulus_read(2147483659, &modulus));
    assert_int_equal(modulus.bits, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_staircase),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_modulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
