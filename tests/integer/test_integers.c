/* SPDX-License-Identifier: Apache-2.0 */
/* Products, quotients and gcds over Z against FLINT, on every machine: random ones, and those that are hard on primes.
 */
#include "machines.h"

#include "integer/integer.h"

#include <flint/fmpz_poly.h>

static flint_rand_t source;
static mmm_machine *machine;
static const char *name;

static int open_all(void **state)
{
    flint_randinit(source);
    return open_machines(state);
}

static int close_all(void **state)
{
    flint_randclear(source);
    return close_machines(state);
}

/* Sizes that a machine does in seconds. */
static slong few(slong many, slong some)
{
    return strcmp(name, "cpu") == 0 ? many : some;
}

#define EVERYWHERE(test)                          \
    static void test(void **state)                \
    {                                             \
        (void)state;                              \
        for (int i = 0; i < machine_count; i++) { \
            machine = machines[i];                \
            name = names[i];                      \
            test##_here();                        \
        }                                         \
    }

static void set(fmpz_poly_t a, const char *text)
{
    assert_int_equal(fmpz_poly_set_str(a, text), 0);
}

static void check_product(const fmpz_poly_t a, const fmpz_poly_t b)
{
    fmpz_poly_t f, g;
    mmm_integer_facts facts;
    fmpz_poly_init(f);
    fmpz_poly_init(g);
    assert_ok(mmm_integer_multiply(machine, f, a, b, &facts));
    fmpz_poly_mul(g, a, b);
    assert_true(fmpz_poly_equal(f, g));
    assert_int_equal(facts.bits, labs(fmpz_poly_max_bits(g)));
    assert_int_equal(facts.proof, fmpz_poly_is_zero(g) ? MMM_PROOF_NONE : MMM_PROOF_BOUND);
    fmpz_poly_clear(f);
    fmpz_poly_clear(g);
}

static mmm_integer_facts check_gcd(const fmpz_poly_t a, const fmpz_poly_t b)
{
    fmpz_poly_t f, g;
    mmm_integer_facts facts;
    fmpz_poly_init(f);
    fmpz_poly_init(g);
    assert_ok(mmm_integer_gcd(machine, f, a, b, &facts));
    fmpz_poly_gcd(g, a, b);
    assert_true(fmpz_poly_equal(f, g));
    assert_int_equal(facts.bits, labs(fmpz_poly_max_bits(g)));
    if (fmpz_poly_length(g) > 1 && !fmpz_poly_is_zero(a) && !fmpz_poly_is_zero(b))
        assert_int_equal(facts.proof, MMM_PROOF_DIVISION);
    fmpz_poly_clear(f);
    fmpz_poly_clear(g);
    return facts;
}

/* Where FLINT finds a quotient and a remainder of the kind that are asked for, so does mmm, and nowhere else. */
static void check_quotient(const fmpz_poly_t a, const fmpz_poly_t b)
{
    fmpz_poly_t q, r, other_q, other_r;
    const bool monic = fmpz_is_pm1(fmpz_poly_lead(b));
    fmpz_poly_init(q), fmpz_poly_init(r), fmpz_poly_init(other_q), fmpz_poly_init(other_r);
    const bool divides = fmpz_poly_divides(other_q, a, b);
    if (divides) {
        assert_ok(mmm_integer_divide(machine, q, NULL, a, b, NULL));
        assert_true(fmpz_poly_equal(q, other_q));
    } else
        assert_fails(mmm_integer_divide(machine, q, NULL, a, b, NULL), MMM_INVALID, "does not divide");
    if (divides || monic || fmpz_poly_length(a) < fmpz_poly_length(b)) {
        fmpz_poly_divrem(other_q, other_r, a, b);
        assert_ok(mmm_integer_divide(machine, q, r, a, b, NULL));
        assert_true(fmpz_poly_equal(q, other_q));
        assert_true(fmpz_poly_equal(r, other_r));
    } else
        assert_fails(mmm_integer_divide(machine, q, r, a, b, NULL), MMM_INVALID, "neither 1 nor -1");
    fmpz_poly_clear(q), fmpz_poly_clear(r), fmpz_poly_clear(other_q), fmpz_poly_clear(other_r);
}

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

/* Zero, constants, signs, contents, equal operands, one a multiple of the other. */
static void test_corners_here(void)
{
    static const char *const texts[] = {
        "0",
        "1  1",
        "1  -1",
        "1  12",
        "1  -170141183460469231731687303715884105728",
        "2  0 1",
        "2  0 -2",
        "3  -1 0 1",
        "3  6 12 6",
        "3  -6 -12 -6",
        "4  0 0 0 18",
        "2  18446744073709551616 -18446744073709551615",
        "5  1 0 0 0 -1",
    };
    enum { COUNT = sizeof texts / sizeof *texts };
    fmpz_poly_t a, b, f;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(f);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            if (few(1, 0) == 0 && (i + k) % 6) continue;
            set(a, texts[i]);
            set(b, texts[k]);
            check_product(a, b);
            check_gcd(a, b);
            if (!fmpz_poly_is_zero(b)) check_quotient(a, b);
        }
    set(a, "3  -1 0 1"); /* results over operands */
    set(b, "2  1 1");
    assert_ok(mmm_integer_multiply(machine, a, a, b, NULL));
    assert_ok(mmm_integer_divide(machine, a, f, a, b, NULL));
    assert_true(fmpz_poly_is_zero(f));
    assert_ok(mmm_integer_gcd(machine, b, a, b, NULL));
    set(f, "2  1 1");
    assert_true(fmpz_poly_equal(b, f));
    assert_ok(mmm_integer_divide(machine, b, a, a, b, NULL));
    assert_true(fmpz_poly_is_zero(a));
    fmpz_poly_zero(b);
    assert_fails(mmm_integer_divide(machine, f, NULL, f, b, NULL), MMM_INVALID, "b is 0");
    assert_fails(mmm_integer_divide(machine, f, f, f, f, NULL), MMM_INVALID, "the same polynomial");
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(f);
}
EVERYWHERE(test_corners)

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

/* Residues and back, at the ends of what so many primes hold. */
static void test_remainders_here(void)
{
    enum { COUNT = 5 };
    mmm_primes primes = {.order = 12};
    fmpz_poly_t a;
    fmpz_t most;
    mmm_numbers numbers = {0}, back = {0};
    uint32_t words[4 * COUNT];
    fmpz_poly_init(a);
    fmpz_init_set_ui(most, 1);
    assert_ok(mmm_primes_reach(&primes, COUNT));
    for (int i = 0; i < COUNT; i++)
        fmpz_mul_ui(most, most, primes.p[i]);
    fmpz_fdiv_q_2exp(most, most, 2);
    fmpz_poly_set_coeff_fmpz(a, 0, most);
    fmpz_neg(most, most);
    fmpz_poly_set_coeff_fmpz(a, 1, most);
    fmpz_poly_set_coeff_si(a, 2, -1);
    fmpz_poly_set_coeff_si(a, 3, 1);
    assert_ok(mmm_numbers_read(a, "a", &numbers));
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 4; k++)
            words[4 * i + k] = (uint32_t)fmpz_fdiv_ui(a->coeffs + k, primes.p[i]);
    assert_ok(mmm_reconstruct(machine, primes.p, COUNT, words, 4, &back));
    assert_int_equal(back.terms, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(back.negative[k], numbers.negative[k]);
        for (int64_t i = 0; i < back.limbs; i++)
            assert_int_equal(back.words[k * back.limbs + i],
                             i < numbers.limbs ? numbers.words[k * numbers.limbs + i] : 0);
    }
    mmm_numbers_clear(&numbers);
    mmm_numbers_clear(&back);
    mmm_primes_free(&primes);
    fmpz_clear(most);
    fmpz_poly_clear(a);
}
EVERYWHERE(test_remainders)

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
    assert_fails(mmm_integer_multiply(machine, f, a, a, NULL), MMM_TOO_LARGE, "primes are needed");
    assert_fails(mmm_integer_multiply(machine, f, a, NULL, NULL), MMM_INVALID, "NULL");
    fmpz_poly_randtest_not_zero(a, source, 500, 600);
    mmm_machine_on_progress(machine, stop, &calls);
    assert_fails(mmm_integer_gcd(machine, f, a, a, NULL), MMM_STOPPED, "");
    mmm_machine_on_progress(machine, NULL, NULL);
    set(a, "2  3 4");
    assert_true(fmpz_poly_equal(a, f));
    fmpz_poly_clear(a), fmpz_poly_clear(f);
}

/* Files of FLINT's text. */
static void test_files(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {{"", "ends before its length"},
                 {"3  1 2", "ends before its coefficient"},
                 {"2  1 2 3", "more than its 2"},
                 {"2  1 x", "coefficient expected"},
                 {"-1  1", "too short"},
                 {"2  1 --2", "coefficient expected"},
                 {"999999999999999999999  1", "too short"},
                 {"1000000  1", "too short"}};
    fmpz_poly_t a, b;
    (void)state;
    fmpz_poly_init(a), fmpz_poly_init(b);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(mmm_integer_read(file_with(wrong[i].text), a), MMM_INVALID, wrong[i].message);
    assert_ok(mmm_integer_read(file_with("4  -123456789012345678901234567890 0\n7 0\n"), a));
    set(b, "3  -123456789012345678901234567890 0 7");
    assert_true(fmpz_poly_equal(a, b));
    for (int i = 0; i < 20; i++) {
        const char *path = file_with("");
        fmpz_poly_randtest(a, source, 30, 300);
        assert_ok(mmm_integer_write(a, path));
        assert_ok(mmm_integer_read(path, b));
        assert_true(fmpz_poly_equal(a, b));
    }
    assert_fails(mmm_integer_check("gcd", a, a, b, a, NULL), MMM_WRONG, "differs");
    assert_fails(mmm_integer_check("sum", a, a, b, a, NULL), MMM_INVALID, "'sum' is not an operation");
    fmpz_poly_clear(a), fmpz_poly_clear(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),     cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_unlucky),    cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_remainders), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
