/* SPDX-License-Identifier: Apache-2.0 */
/* Operands over Z of every kind against FLINT: in pieces, one in the place of another, corners, as many primes as
 * there may be. */
#include "integers.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),     cmocka_unit_test(test_results),     cmocka_unit_test(test_corners),
        cmocka_unit_test(test_remainders), cmocka_unit_test(test_many_primes),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
