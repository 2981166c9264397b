/* SPDX-License-Identifier: Apache-2.0 */
/* Products, quotients and gcds over Z against FLINT, on every machine, and by the workers of an engine: random ones,
 * and those that are hard on primes. */
#include "local_engine.h"
#include "machines.h"

#include "integer/integer.h"

#include <flint/fmpz_poly.h>

static flint_rand_t source;
static mmm_machine *machine;
static mmm_engine *engine;
static const char *name;

static int open_all(void **state)
{
    flint_randinit(source);
    if (open_machines(state)) return 1;
    if (getenv("MMM_TEST_MACHINES") || machine_count == MACHINES_MOST) return 0;
    assert_ok(mmm_machine_open("cpu", &machines[machine_count]));
    assert_ok(mmm_engine_new(&local_plugin, "cpu", &engine));
    assert_ok(mmm_machine_engage(machines[machine_count], engine));
    strcpy(names[machine_count++], "engine");
    return 0;
}

static int close_all(void **state)
{
    flint_randclear(source);
    mmm_engine_free(engine);
    return close_machines(state);
}

/* Sizes that a machine does in seconds. */
static slong few(slong many, slong some)
{
    return strcmp(name, "cpu") == 0 ? many : strcmp(name, "engine") == 0 ? (many + 3 * some) / 4 : some;
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

/* Random coefficients, or the largest there are, with all signs alike or in turn. */
static void draw_long(fmpz_poly_t a, slong terms, ulong bits, int kind)
{
    fmpz_t c;
    fmpz_init(c);
    fmpz_poly_zero(a);
    for (slong i = 0; i < terms; i++) {
        if (kind == 0)
            fmpz_randtest(c, source, bits);
        else {
            fmpz_one(c);
            fmpz_mul_2exp(c, c, bits);
            fmpz_sub_ui(c, c, 1);
            if (kind == 2 || (kind == 3 && i % 2)) fmpz_neg(c, c);
        }
        fmpz_poly_set_coeff_fmpz(a, i, c);
    }
    fmpz_clear(c);
}

/* The product by pieces of so many digits, or whole, and by the number of primes that these need. */
static void check_pieces(const fmpz_poly_t a, const fmpz_poly_t b, int64_t digits)
{
    mmm_numbers x = {0}, y = {0}, product = {0};
    mmm_task task;
    fmpz_poly_t f, g;
    if (fmpz_poly_is_zero(a) || fmpz_poly_is_zero(b)) return;
    fmpz_poly_init(f), fmpz_poly_init(g);
    assert_ok(mmm_numbers_read(machine, a, "a", &x));
    assert_ok(mmm_numbers_read(machine, b, "b", &y));
    assert_ok(mmm_numbers_share(machine, &x));
    assert_ok(mmm_numbers_share(machine, &y));
    const int64_t few = x.terms < y.terms ? x.terms : y.terms, least = x.bits < y.bits ? x.bits : y.bits,
                  piece = mmm_digit_bits(machine) * digits, pieces = digits ? least / piece + 1 : 1,
                  sum = 64 - __builtin_clzll((uint64_t)(few * pieces));
    const int64_t primes = mmm_primes_needed((digits ? 2 * piece : x.bits + y.bits) + sum);
    mmm_task_new(machine, mmm_multiplication, &x, &y, primes, digits, &task);
    assert_ok(mmm_task_multiply(&task, primes, x.bits + y.bits + sum, &product));
    assert_ok(mmm_numbers_write(&product, f));
    fmpz_poly_mul(g, a, b);
    assert_true(fmpz_poly_equal(f, g));
    fmpz_poly_clear(f), fmpz_poly_clear(g);
    mmm_task_free(&task);
    mmm_numbers_clear(&x);
    mmm_numbers_clear(&y);
    mmm_numbers_clear(&product);
}

/* Pieces of every length, of coefficients that are long or not, and what is chosen for long ones. */
static void test_pieces_here(void)
{
    static const int64_t digits[] = {1, 2, 3, 7, 8, 9, 17};
    fmpz_poly_t a, b;
    fmpz_poly_init(a), fmpz_poly_init(b);
    for (int kind = 0; kind < 4; kind += (int)few(1, 3))
        for (int i = 0; i < 7; i += (int)few(1, 3)) {
            const int64_t size = mmm_digit_bits(machine), bits = size * digits[i] * (kind + 2);
            if (machine->engine) { /* has pieces that are whole digits of every machine */
                draw_long(a, 20, (ulong)(780 * (i + 2) + kind - 2), kind);
                draw_long(b, 9, (ulong)(780 * (9 - i)), (kind + i) % 4);
                check_pieces(a, b, 780 * (1 + i % 3) / size);
                continue;
            }
            draw_long(a, few(70, 5), (ulong)(bits - i % 3), kind);
            draw_long(b, few(30, 3), (ulong)(i % 2 ? bits / 3 : bits + 17), (kind + i) % 4);
            check_pieces(a, b, digits[i]);
            check_pieces(b, a, digits[i]);
        }
    for (int kind = 0; kind < 4; kind++) {
        draw_long(a, few(40, 2), (ulong)few(9000, 700), kind);
        draw_long(b, few(130, 3), (ulong)few(3000, 900), 3 - kind);
        check_product(a, b);
        check_product(a, a);
    }
    fmpz_poly_clear(a), fmpz_poly_clear(b);
}
EVERYWHERE(test_pieces)

/* Results take the place of others, longer and shorter ones, of operands, and of what FLINT makes of them. */
static void test_results_here(void)
{
    static const ulong bits[] = {3, 31, 32, 33, 62, 63, 64, 65, 130, 700};
    fmpz_poly_t a, b, f, g;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(f), fmpz_poly_init(g);
    for (slong i = 0; i < few(300, 8); i++) {
        draw_long(a, (slong)n_randint(source, 12), bits[n_randint(source, 10)], (int)n_randint(source, 4));
        draw_long(b, (slong)n_randint(source, 12), bits[n_randint(source, 10)], (int)n_randint(source, 4));
        fmpz_poly_mul(g, a, b);
        if (i % 3 == 0) fmpz_poly_set(f, a);
        assert_ok(mmm_integer_multiply(machine, f, i % 3 == 0 ? f : a, b, NULL));
        assert_true(fmpz_poly_equal(f, g));
        if (i % 5 == 0) {
            fmpz_poly_set_coeff_ui(f, 30, 7); /* coefficients between are 0 */
            fmpz_poly_set_coeff_ui(g, 30, 7);
            fmpz_poly_sqr(f, f);
            fmpz_poly_sqr(g, g);
            assert_true(fmpz_poly_equal(f, g));
        }
    }
    for (int kind = 0; kind < 4 && few(1, 0); kind++) { /* so long that threads share the copying */
        draw_long(a, 300 + 150 * kind, (ulong)(8000 - 1200 * kind), kind);
        draw_long(b, 700 - 150 * kind, (ulong)(4000 + 1200 * kind), 3 - kind);
        fmpz_poly_set_coeff_si(a, 17, -5);
        fmpz_poly_set_coeff_si(b, 200, 0);
        fmpz_poly_mul(g, a, b);
        assert_ok(mmm_integer_multiply(machine, f, a, b, NULL));
        assert_true(fmpz_poly_equal(f, g));
        assert_ok(mmm_integer_multiply(machine, a, a, b, NULL));
        assert_true(fmpz_poly_equal(a, g));
        assert_ok(mmm_integer_divide(machine, b, NULL, a, b, NULL));
        assert_ok(mmm_integer_divide(machine, f, NULL, a, b, NULL));
        assert_ok(mmm_integer_multiply(machine, f, f, b, NULL));
        assert_true(fmpz_poly_equal(f, g));
    }
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(f), fmpz_poly_clear(g);
}
EVERYWHERE(test_results)

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

/* Back from residues, at the ends of what so many primes hold: the largest there are, of both signs, small ones, and
 * random ones between, `terms` in all. */
static void check_ends(int64_t count, slong terms)
{
    mmm_primes primes = {.order = 12};
    fmpz_poly_t a, f;
    fmpz_t most;
    mmm_numbers back = {0};
    uint32_t *words = malloc((size_t)(terms * count) * sizeof *words);
    assert_non_null(words);
    fmpz_poly_init(a), fmpz_poly_init(f);
    fmpz_init_set_ui(most, 1);
    assert_ok(mmm_primes_reach(&primes, count));
    for (int64_t i = 0; i < count; i++)
        fmpz_mul_ui(most, most, primes.p[i]);
    fmpz_fdiv_q_2exp(most, most, 2);
    fmpz_poly_fit_length(a, terms);
    _fmpz_poly_set_length(a, terms);
    for (slong k = 0; k < terms; k++) {
        fmpz *c = a->coeffs + k;
        if (k % 4 == 2)
            fmpz_randm(c, source, most);
        else if (k % 4 == 3)
            fmpz_set_si(c, k);
        else
            fmpz_sub_si(c, most, k / 4);
        if (k % 2) fmpz_neg(c, c);
        for (int64_t i = 0; i < count; i++)
            words[terms * i + k] = (uint32_t)fmpz_fdiv_ui(c, primes.p[i]);
    }
    assert_ok(mmm_reconstruct(machine, primes.p, count, words, terms, &back));
    assert_ok(mmm_numbers_write(&back, f));
    assert_true(fmpz_poly_equal(a, f));
    mmm_numbers_clear(&back);
    mmm_primes_free(&primes);
    fmpz_clear(most);
    fmpz_poly_clear(a), fmpz_poly_clear(f);
    free(words);
}

static void test_remainders_here(void)
{
    for (int64_t count = 1; count <= few(13, 6); count++)
        check_ends(count, count % 2 ? 4 : 40);
    for (slong terms = 2; terms < few(36, 4); terms += 2 + terms / 8)
        check_ends(7, terms);
}
EVERYWHERE(test_remainders)

/* Many primes and long coefficients: as many as sums of a core's digits hold, and more. */
static void test_many_primes_here(void)
{
    static const ulong bits[] = {20000, 50000, 53247, 53248, 60000};
    fmpz_poly_t a, b;
    if (strcmp(name, "cpu") != 0) return;
    for (int64_t count = 3398; count <= 3402; count += 2)
        check_ends(count, 4);
    fmpz_poly_init(a), fmpz_poly_init(b);
    for (int kind = 1; kind < 4; kind++)
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            draw_long(a, 3, bits[i], kind);
            draw_long(b, 2, bits[i], 1);
            check_pieces(a, b, 0);
        }
    fmpz_poly_clear(a), fmpz_poly_clear(b);
}
EVERYWHERE(test_many_primes)

/* Over Q, as FLINT has them. */
static void test_rationals_here(void)
{
    fmpq_poly_t a, b, g, f, h, r, other;
    fmpq_poly_init(a), fmpq_poly_init(b), fmpq_poly_init(g), fmpq_poly_init(f), fmpq_poly_init(h), fmpq_poly_init(r);
    fmpq_poly_init(other);
    for (slong i = 0; i < few(40, 3); i++) {
        const slong terms = few(30, 6);
        fmpq_poly_randtest(a, source, (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, 60));
        fmpq_poly_randtest(b, source, (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, 60));
        fmpq_poly_randtest(g, source, (slong)n_randint(source, (ulong)terms), 1 + n_randint(source, 60));
        assert_ok(mmm_rational_multiply(machine, f, a, b, NULL));
        fmpq_poly_mul(other, a, b);
        assert_true(fmpq_poly_equal(f, other) && fmpq_poly_is_canonical(f));
        if (!fmpq_poly_is_zero(b)) {
            assert_ok(mmm_rational_divide(machine, f, h, a, b, NULL));
            fmpq_poly_divrem(other, r, a, b);
            assert_true(fmpq_poly_equal(f, other) && fmpq_poly_is_canonical(f));
            assert_true(fmpq_poly_equal(h, r) && fmpq_poly_is_canonical(h));
        }
        fmpq_poly_mul(a, a, g);
        fmpq_poly_mul(b, b, g);
        assert_ok(mmm_rational_gcd(machine, f, a, b, NULL));
        fmpq_poly_gcd(other, a, b);
        assert_true(fmpq_poly_equal(f, other) && fmpq_poly_is_canonical(f));
        if (!fmpq_poly_is_zero(b)) { /* results over operands */
            fmpq_poly_divrem(other, r, a, b);
            assert_ok(mmm_rational_divide(machine, b, a, a, b, NULL));
            assert_true(fmpq_poly_equal(b, other) && fmpq_poly_equal(a, r));
        }
    }
    fmpq_poly_zero(b);
    assert_fails(mmm_rational_divide(machine, f, h, a, b, NULL), MMM_INVALID, "b is 0");
    fmpq_poly_clear(a), fmpq_poly_clear(b), fmpq_poly_clear(g), fmpq_poly_clear(f), fmpq_poly_clear(h);
    fmpq_poly_clear(r), fmpq_poly_clear(other);
}
EVERYWHERE(test_rationals)

/* Resultants, by their values at some x, those where degrees drop among them: 0, and the roots of leading coefficients.
 */
static void test_resultants_here(void)
{
    enum { TERMS = 7 };
    fmpz_poly_struct a[2][TERMS];
    fmpz_poly_t f[2], r;
    fmpz_t x, value, other;
    fmpz_poly_init(f[0]), fmpz_poly_init(f[1]), fmpz_poly_init(r);
    fmpz_init(x), fmpz_init(value), fmpz_init(other);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TERMS; i++)
            fmpz_poly_init(&a[k][i]);
    for (slong round = 0; round < few(60, 6); round++) {
        const slong terms[2] = {(slong)n_randint(source, TERMS + 1), (slong)n_randint(source, TERMS + 1)};
        slong degrees[2] = {-1, -1};
        for (int k = 0; k < 2; k++)
            for (slong i = 0; i < terms[k]; i++) {
                fmpz_poly_randtest(&a[k][i], source, (slong)n_randint(source, 6), 1 + n_randint(source, 90));
                if (round % 3 == 0 && i == terms[k] - 1) set(&a[k][i], k ? "2  -3 1" : "2  -2 1");
                if (!fmpz_poly_is_zero(&a[k][i])) degrees[k] = i;
            }
        assert_ok(mmm_integer_resultant(machine, r, a[0], terms[0], a[1], terms[1], NULL));
        assert_ok(mmm_integer_check_resultant(a[0], terms[0], a[1], terms[1], r, NULL));
        fmpz_poly_add_si(f[0], r, 1);
        assert_fails(mmm_integer_check_resultant(a[0], terms[0], a[1], terms[1], f[0], NULL), MMM_WRONG, "differs");
        if (degrees[0] < 0 || degrees[1] < 0) {
            assert_true(fmpz_poly_is_zero(r));
            continue;
        }
        for (slong at = -4; at < 8; at++) {
            fmpz_set_si(x, at);
            for (int k = 0; k < 2; k++) {
                fmpz_poly_zero(f[k]);
                for (slong i = 0; i <= degrees[k]; i++) {
                    fmpz_poly_evaluate_fmpz(value, &a[k][i], x);
                    fmpz_poly_set_coeff_fmpz(f[k], i, value);
                }
            }
            const slong drops[2] = {degrees[0] - fmpz_poly_degree(f[0]), degrees[1] - fmpz_poly_degree(f[1])};
            fmpz_poly_resultant(other, f[0], f[1]);
            for (slong i = 0; i < drops[1] && !drops[0]; i++)
                fmpz_mul(other, other, f[0]->coeffs + degrees[0]);
            for (slong i = 0; i < drops[0] && !drops[1]; i++) {
                fmpz_mul(other, other, f[1]->coeffs + degrees[1]);
                if (degrees[1] % 2) fmpz_neg(other, other);
            }
            if (drops[0] && drops[1]) fmpz_zero(other);
            for (int k = 0; k < 2; k++) /* a power of the one that has no y */
                if (degrees[k] == 0) {
                    fmpz_poly_get_coeff_fmpz(other, f[k], 0);
                    fmpz_pow_ui(other, other, (ulong)degrees[1 - k]);
                }
            fmpz_poly_evaluate_fmpz(value, r, x);
            assert_true(fmpz_equal(value, other));
        }
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TERMS; i++)
            fmpz_poly_clear(&a[k][i]);
    fmpz_clear(x), fmpz_clear(value), fmpz_clear(other);
    fmpz_poly_clear(f[0]), fmpz_poly_clear(f[1]), fmpz_poly_clear(r);
}
EVERYWHERE(test_resultants)

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
    fmpz_poly_struct *rows;
    int64_t count;
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
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (i == 2) continue; /* the next polynomial, without its coefficients */
        assert_fails(mmm_integer_read_rows(file_with(wrong[i].text), &rows, &count), MMM_INVALID, wrong[i].message);
    }
    assert_fails(mmm_integer_read_rows(file_with(wrong[2].text), &rows, &count), MMM_INVALID, "3 coefficients");
    assert_ok(mmm_integer_read_rows(file_with("2  5 -123456789012345678901234567890\n0\n3  0 0 7\n"), &rows, &count));
    assert_int_equal(count, 3);
    set(b, "2  5 -123456789012345678901234567890");
    assert_true(fmpz_poly_equal(rows, b) && fmpz_poly_is_zero(rows + 1));
    set(b, "3  0 0 7");
    assert_true(fmpz_poly_equal(rows + 2, b));
    mmm_integer_rows_free(rows, count);
    assert_ok(mmm_integer_read_rows(file_with("4  -3 0 123456789012345678901234567890 7\n"), &rows, &count));
    assert_int_equal(count, 4); /* in y alone */
    assert_int_equal(fmpz_poly_get_coeff_si(rows, 0), -3);
    assert_true(fmpz_poly_is_zero(rows + 1) && fmpz_poly_length(rows + 2) == 1 && fmpz_poly_length(rows + 3) == 1);
    mmm_integer_rows_free(rows, count);
    assert_ok(mmm_integer_read_rows(file_with("0\n"), &rows, &count));
    assert_int_equal(count, 0);
    mmm_integer_rows_free(rows, count);
    assert_fails(mmm_integer_check("gcd", a, a, b, a, NULL), MMM_WRONG, "differs");
    assert_fails(mmm_integer_check("sum", a, a, b, a, NULL), MMM_INVALID, "'sum' is not an operation");
    fmpz_poly_clear(a), fmpz_poly_clear(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),      cmocka_unit_test(test_pieces),      cmocka_unit_test(test_results),
        cmocka_unit_test(test_corners),     cmocka_unit_test(test_unlucky),     cmocka_unit_test(test_growth),
        cmocka_unit_test(test_remainders),  cmocka_unit_test(test_many_primes), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rationals),   cmocka_unit_test(test_resultants),  cmocka_unit_test(test_engine),
        cmocka_unit_test(test_two_workers), cmocka_unit_test(test_wrong_tasks), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
