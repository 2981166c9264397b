/* SPDX-License-Identifier: Apache-2.0 */
/* Over Q, and resultants, against FLINT; files of its text. */
#include "integers.h"

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
        cmocka_unit_test(test_rationals),
        cmocka_unit_test(test_resultants),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
