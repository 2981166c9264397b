/* SPDX-License-Identifier: Apache-2.0 */
/* Products, quotients and gcds over Z against FLINT: random ones, and those that are hard on primes; and what an engine
 * does of them. */
#include "integers.h"

static void test_random_here(void)
{
    fmpz_poly_t a, b, g;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g);
    for (slong i = 0; i < few(60, 4); i++) {
        const slong terms = few(i % 10 == 9 ? 400 : 40, 12), bits = few(i % 7 == 6 ? 1500 : 200, 70);
        fmpz_poly_randtest(a, source, 1 + (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, (ulong)bits));
        fmpz_poly_randtest(b, source, 1 + (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, (ulong)bits));
        fmpz_poly_randtest(g, source, 1 + (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, (ulong)bits));
        check_product(a, b);
        check_gcd(a, b);
        if (!fmpz_poly_is_zero(b)) check_quotient(a, b);
        fmpz_poly_mul(a, a, g);
        fmpz_poly_mul(b, b, g);
        check_gcd(a, b);
        if (!fmpz_poly_is_zero(g)) check_quotient(a, g);
        if (!fmpz_poly_is_zero(g)) {
            fmpz_poly_set_coeff_si(g, fmpz_poly_length(g), i % 2 ? 1 : -1);
            if (i % 5 == 0) check_quotient(b, g);
        }
    }
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g);
}
EVERYWHERE(test_random)

/* Primes as the library takes them for operands of so many terms. */
static void first_primes(slong longest, int64_t count, mmm_primes *out)
{
    *out = (mmm_primes){.order = mmm_primes_order(8 * longest, 100)};
    assert_ok(mmm_primes_reach(out, count));
}

/* Leading coefficients that the first primes divide, and operands that have more in common modulo them: x - r and
 * x - r - P, with P the product of the first primes, are the same there. */
static void test_unlucky_here(void)
{
    enum { UNLUCKY = 10 };
    fmpz_poly_t a, b, g, h;
    fmpz_t all;
    mmm_primes primes;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g), fmpz_poly_init(h);
    fmpz_init_set_ui(all, 1);
    first_primes(40, UNLUCKY, &primes);
    for (int i = 0; i < UNLUCKY; i++)
        fmpz_mul_ui(all, all, primes.p[i]);
    for (int i = 0; i < few(6, 1); i++) {
        fmpz_poly_randtest(g, source, 10, 40);
        fmpz_poly_set_coeff_si(g, 10, 7);
        set(a, "2  -5 1");
        set(b, "2  -5 1");
        fmpz_add(b->coeffs, b->coeffs, all);
        fmpz_poly_mul(a, a, g);
        fmpz_poly_mul(b, b, g);
        mmm_integer_facts facts = check_gcd(a, b); /* of degree 11 modulo all of them */
        assert_true(facts.unlucky >= UNLUCKY);
        fmpz_poly_randtest(h, source, 12, 60);
        fmpz_poly_set_coeff_si(h, 0, 1); /* no content, or the primes would be in it */
        fmpz_poly_set_coeff_fmpz(h, 12, all);
        fmpz_poly_mul(a, h, g);
        set(b, "3  3 1 9");
        fmpz_poly_mul(b, b, g);
        facts = check_gcd(a, b);
        assert_true(facts.unlucky >= UNLUCKY);
        check_quotient(a, h);
        fmpz_poly_add_si(a, a, 1);
        check_quotient(a, h);
        fmpz_poly_mul(a, a, a);
        check_product(a, h);
    }
    /* All coefficients are divisible by the first primes, but for the content nothing is lost. */
    fmpz_poly_scalar_mul_fmpz(a, g, all);
    fmpz_poly_scalar_mul_si(b, g, -6);
    check_gcd(a, b);
    check_quotient(a, g);
    /* b divides a over Q alone. */
    set(a, "3  0 0 1");
    set(b, "2  0 2");
    check_quotient(a, b);
    mmm_primes_free(&primes);
    fmpz_clear(all);
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g), fmpz_poly_clear(h);
}
EVERYWHERE(test_unlucky)

/* Quotients whose coefficients grow, by monic divisors. */
static void test_growth_here(void)
{
    fmpz_poly_t a, b;
    fmpz_poly_init(a), fmpz_poly_init(b);
    fmpz_poly_set_coeff_si(a, few(60, 20), 1);
    set(b, "3  -1000003 17 1");
    check_quotient(a, b);
    set(b, "2  -3 -1");
    check_quotient(a, b);
    fmpz_poly_clear(a), fmpz_poly_clear(b);
}
EVERYWHERE(test_growth)

static int stop(void *context, double done)
{
    (void)done;
    return ++*(int *)context > 2;
}

/* What does not fit, or is stopped, leaves results alone. */
static void test_refused(void **state)
{
    fmpz_poly_t a, f;
    int calls = 0;
    (void)state;
    machine = machines[0];
    for (int i = 0; i < machine_count; i++)
        if (strcmp(names[i], "cpu") == 0) machine = machines[i];
    fmpz_poly_init(a), fmpz_poly_init(f);
    set(f, "2  3 4");
    fmpz_poly_set_coeff_si(a, 0, 1);
    fmpz_mul_2exp(a->coeffs, a->coeffs, 130000);
    assert_fails(mmm_integer_divide(machine, f, NULL, a, a, NULL), MMM_TOO_LARGE, "primes are needed");
    assert_fails(mmm_integer_multiply(machine, f, a, NULL, NULL), MMM_INVALID, "NULL");
    draw_long(a, 500, 600, 0);
    mmm_machine_on_progress(machine, stop, &calls);
    assert_fails(mmm_integer_gcd(machine, f, a, a, NULL), MMM_STOPPED, "");
    mmm_machine_on_progress(machine, NULL, NULL);
    set(a, "2  3 4");
    assert_true(fmpz_poly_equal(a, f));
    fmpz_poly_clear(a), fmpz_poly_clear(f);
}

/* An engine shares its work among all workers, stops, and hands on what fails. */
static void test_engine(void **state)
{
    fmpz_poly_t a, b, f;
    mmm_engine_place place;
    int calls = 0;
    (void)state;
    if (!engine) skip();
    machine = machines[machine_count - 1];
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(f);
    set(f, "2  3 4");
    fmpz_poly_randtest(a, source, 300, 600);
    fmpz_poly_randtest(b, source, 300, 600);
    fmpz_poly_set_coeff_si(a, 300, 1);
    fmpz_poly_set_coeff_si(b, 300, 1);
    fmpz_poly_mul(b, a, b);
    local_engine.runs = 0;
    check_gcd(a, b);
    const int rounds = (int)local_engine.runs;
    assert_true(rounds >= 4); /* primes, more of them, and both quotients */
    for (int fails = 1; fails <= rounds; fails++) {
        local_engine.fails = fails;
        assert_fails(mmm_integer_gcd(machine, f, a, b, NULL), MMM_DEVICE, "rank 7: lost");
        assert_int_equal(fmpz_poly_length(f), 2);
    }
    mmm_machine_on_progress(machine, stop, &calls);
    assert_fails(mmm_integer_gcd(machine, f, a, b, NULL), MMM_STOPPED, "");
    mmm_machine_on_progress(machine, NULL, NULL);
    assert_int_equal(fmpz_poly_length(f), 2);
    local_engine.runs = local_engine.tasks = 0;
    check_product(a, b);
    assert_int_equal(local_engine.runs, 2); /* residues, and the way back */
    assert_int_equal(local_engine.tasks, 2 * LOCAL_WORKERS);
    fmpz_poly_set_coeff_si(b, fmpz_poly_length(b), -1);
    check_quotient(b, a);
    assert_int_equal(mmm_engine_rank(engine), 0);
    assert_int_equal(mmm_engine_ranks(engine), 1);
    assert_int_equal(mmm_engine_workers(engine), LOCAL_WORKERS);
    assert_ok(mmm_engine_worker(engine, 0, &place));
    assert_string_equal(place.machine, "cpu");
    assert_true(place.cpu);
    assert_fails(mmm_engine_worker(engine, LOCAL_WORKERS, &place), MMM_INVALID, "there is no worker");
    assert_fails(mmm_engine_serve(engine), MMM_INVALID, "rank 0 of an engine leads");
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(f);
}

/* Of two workers each divides one operand where both have as much to do: a round less for each, and what is no divisor
 * is found out. */
static void test_two_workers(void **state)
{
    fmpz_poly_t a, b, g;
    (void)state;
    if (!engine) skip();
    machine = machines[machine_count - 1];
    name = names[machine_count - 1];
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g);
    for (engine->workers = 1; engine->workers <= 2; engine->workers++) {
        static const int runs[2][2] = {{4, 4}, {3, 4}}; /* two for the primes; the quotients are one, or two */
        for (int apart = 0; apart < 2; apart++) {
            draw_long(g, 90, 150, 0);
            draw_long(a, apart ? 200 : 80, 150, 0);
            draw_long(b, apart ? 10 : 81, 150, 0);
            fmpz_poly_mul(a, a, g);
            fmpz_poly_mul(b, b, g);
            local_engine.runs = 0;
            check_gcd(a, b);
            assert_int_equal(local_engine.runs, runs[engine->workers - 1][apart]);
        }
        test_random_here();
        test_unlucky_here();
        test_growth_here();
    }
    engine->workers = LOCAL_WORKERS;
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g);
}

/* Tasks that nobody can do are refused. */
static void test_wrong_tasks(void **state)
{
    int64_t words[16] = {0}, shared[40] = {3, 2, 40, 0};
    char output[64];
    const mmm_engine_library *library = local_engine.library;
    mmm_engine_data data[3] = {{shared, 32 + 9 * 4}, {shared, 32 + 9 * 4}, {shared, 32 + 9 * 4}};
    mmm_engine_task task = {.words = words, .output = output, .output_bytes = sizeof output, .input = shared};
    (void)state;
    if (!engine) skip();
    for (int kind = -1; kind < 7; kind++)
        for (int bytes = 0; bytes <= 48; bytes += 8)
            for (int value = -1; value < 3; value++)
                for (int count = 0; count < 4; count++) {
                    words[0] = kind;
                    for (int i = 1; i < 16; i++)
                        words[i] = value;
                    task.words_bytes = (size_t)bytes;
                    task.input_bytes = (size_t)(8 * count);
                    assert_int_not_equal(library->perform(local_engine.workers[0], data, count, &task), MMM_OK);
                }
    memcpy(words, (int64_t[]){0, 2, 12, 0, 1, 0}, 6 * 8);
    task.words_bytes = 48;
    task.input_bytes = 0;
    task.output_bytes = 3 * 4 + 2 * 8; /* that one would do */
    shared[4] = shared[5] = shared[6] = 1;
    assert_int_equal(library->perform(local_engine.workers[0], data, 2, &task), MMM_OK);
    for (int64_t wrong = -780; wrong <= 17 * 780; wrong += 260) { /* pieces of a gcd; below also of a product */
        words[5] = wrong;
        assert_int_equal(library->perform(local_engine.workers[0], data, 2, &task), wrong ? MMM_INVALID : MMM_OK);
    }
    words[1] = 0;
    task.output_bytes = 5 * 4 + 2 * 8;
    for (int64_t wrong = -780; wrong <= 17 * 780; wrong += 260) { /* one piece holds them */
        words[5] = wrong;
        const bool right = wrong >= 0 && wrong % 780 == 0 && wrong <= 16 * 780;
        assert_int_equal(library->perform(local_engine.workers[0], data, 2, &task), right ? MMM_OK : MMM_INVALID);
    }
    words[1] = 2;
    words[5] = 0;
    task.output_bytes = 3 * 4 + 2 * 8;
    for (int i = 0; i < 3; i++)
        for (int64_t wrong = -2; wrong < 70; wrong += 9) {
            const int64_t right = shared[i];
            shared[i] = wrong;
            if (i < 2 || wrong < 0 || (i == 2 && wrong > 64))
                assert_int_equal(library->perform(local_engine.workers[0], data, 2, &task), MMM_INVALID);
            shared[i] = right;
        }
    words[0] = 2; /* whether one divides another: itself */
    task.words_bytes = 16;
    task.output_bytes = 8;
    for (words[1] = -1; words[1] < 4; words[1]++) {
        const bool right = words[1] == 0 || words[1] == 1;
        memset(output, 0, sizeof output);
        assert_int_equal(library->perform(local_engine.workers[0], data, 3, &task), right ? MMM_OK : MMM_INVALID);
        assert_int_equal(output[0], right);
        assert_int_equal(library->perform(local_engine.workers[0], data, 2, &task), MMM_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),      cmocka_unit_test(test_unlucky), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_engine),  cmocka_unit_test(test_two_workers),
        cmocka_unit_test(test_wrong_tasks),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
