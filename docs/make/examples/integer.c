/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/integer.h: polynomials over the integers, as FLINT has them. */
#include "example.h"

#include <mmm/integer.h>

/* mmm_integer_multiply mmm_proof_name */
static void multiply(mmm_machine *machine, fmpz_poly_t a, fmpz_poly_t b)
{
    fmpz_poly_t f;
    mmm_integer_facts facts;
    fmpz_poly_init(f);
    fmpz_poly_set_str(a, "2  -1 1"); /* x - 1 */
    fmpz_poly_set_str(b, "2  1 1");
    must(mmm_integer_multiply(machine, f, a, b, &facts));
    assert(fmpz_poly_length(f) == 3 && fmpz_poly_get_coeff_si(f, 0) == -1);
    printf("%lld primes: %s\n", (long long)facts.primes, mmm_proof_name(facts.proof));
    fmpz_poly_swap(a, f); /* a is x^2 - 1 from here on */
    fmpz_poly_clear(f);
}

/* mmm_integer_gcd mmm_integer_check */
static void gcd(mmm_machine *machine, const fmpz_poly_t a, const fmpz_poly_t b)
{
    fmpz_poly_t g;
    double seconds;
    fmpz_poly_init(g);
    must(mmm_integer_gcd(machine, g, a, b, NULL));
    assert(fmpz_poly_equal(g, b));                           /* x + 1 */
    must(mmm_integer_check("gcd", a, b, g, NULL, &seconds)); /* MMM_WRONG where FLINT has another one */
    fmpz_poly_clear(g);
}

/* mmm_integer_divide */
static void divide(mmm_machine *machine, const fmpz_poly_t a, const fmpz_poly_t b)
{
    fmpz_poly_t q, r;
    fmpz_poly_init(q);
    fmpz_poly_init(r);
    must(mmm_integer_divide(machine, q, r, a, b, NULL));
    assert(fmpz_poly_get_coeff_si(q, 0) == -1 && fmpz_poly_is_zero(r)); /* x - 1 */
    fmpz_poly_scalar_mul_si(q, b, 2);
    assert(mmm_integer_divide(machine, q, NULL, a, q, NULL) == MMM_INVALID); /* 2x + 2 does not divide it over Z */
    fmpz_poly_clear(q);
    fmpz_poly_clear(r);
}

/* mmm_integer_resultant */
static void resultant(mmm_machine *machine)
{
    fmpz_poly_struct a[2], b[2];
    fmpz_poly_t r;
    for (int i = 0; i < 2; i++) {
        fmpz_poly_init(a + i);
        fmpz_poly_init(b + i);
    }
    fmpz_poly_init(r);
    fmpz_poly_set_str(a, "2  0 1"); /* a = y + x */
    fmpz_poly_set_str(a + 1, "1  1");
    fmpz_poly_set_str(b, "1  -3"); /* b = x y - 3 */
    fmpz_poly_set_str(b + 1, "2  0 1");
    must(mmm_integer_resultant(machine, r, a, 2, b, 2, NULL));
    assert(fmpz_poly_get_coeff_si(r, 0) == -3 && fmpz_poly_get_coeff_si(r, 2) == -1); /* y = -x: -x^2 - 3 */
    for (int i = 0; i < 2; i++) {
        fmpz_poly_clear(a + i);
        fmpz_poly_clear(b + i);
    }
    fmpz_poly_clear(r);
}

/* mmm_rational_multiply mmm_rational_gcd mmm_rational_divide */
static void rationals(mmm_machine *machine)
{
    fmpq_poly_t a, b, f, g, q, r;
    fmpq_poly_init(a), fmpq_poly_init(b), fmpq_poly_init(f), fmpq_poly_init(g), fmpq_poly_init(q), fmpq_poly_init(r);
    fmpq_poly_set_str(a, "2  1/2 1"); /* x + 1/2 */
    fmpq_poly_set_str(b, "2  1 3");
    must(mmm_rational_multiply(machine, f, a, b, NULL));
    must(mmm_rational_gcd(machine, g, f, a, NULL));
    assert(fmpq_poly_equal(g, a));
    must(mmm_rational_divide(machine, q, r, f, a, NULL));
    assert(fmpq_poly_equal(q, b) && fmpq_poly_is_zero(r));
    fmpq_poly_clear(a), fmpq_poly_clear(b), fmpq_poly_clear(f), fmpq_poly_clear(g), fmpq_poly_clear(q),
        fmpq_poly_clear(r);
}

/* mmm_integer_read_rows mmm_integer_rows_free mmm_integer_check_resultant */
static void rows(mmm_machine *machine)
{
    fmpz_poly_struct *a, *b;
    int64_t n, m;
    fmpz_poly_t r;
    fmpz_poly_init(r);
    FILE *file = fopen("circle.poly", "w"); /* x^2 - 5 + y^2: what stands at 1, y and y^2 */
    fputs("3  -5 0 1\n0\n1  1\n", file);
    fclose(file);
    file = fopen("line.poly", "w"); /* x - 1 - y */
    fputs("2  -1 1\n1  -1\n", file);
    fclose(file);
    must(mmm_integer_read_rows("circle.poly", &a, &n));
    must(mmm_integer_read_rows("line.poly", &b, &m));
    must(mmm_integer_resultant(machine, r, a, n, b, m, NULL));
    assert(fmpz_poly_length(r) == 3 && fmpz_poly_get_coeff_si(r, 0) == -4); /* 2 x^2 - 2 x - 4: they meet at 2 and -1 */
    must(mmm_integer_check_resultant(a, n, b, m, r, NULL));                 /* MMM_WRONG where FLINT has another one */
    mmm_integer_rows_free(a, n);
    mmm_integer_rows_free(b, m);
    fmpz_poly_clear(r);
}

/* mmm_integer_write mmm_integer_read */
static void files(const fmpz_poly_t a)
{
    fmpz_poly_t again;
    fmpz_poly_init(again);
    must(mmm_integer_write(a, "a.poly")); /* 3  -1 0 1 */
    must(mmm_integer_read("a.poly", again));
    assert(fmpz_poly_equal(a, again));
    fmpz_poly_clear(again);
}

/* end */
int main(void)
{
    mmm_machine *machine;
    fmpz_poly_t a, b;
    must(mmm_machine_open("cpu", &machine));
    fmpz_poly_init(a);
    fmpz_poly_init(b);
    multiply(machine, a, b);
    gcd(machine, a, b);
    divide(machine, a, b);
    resultant(machine);
    rows(machine);
    rationals(machine);
    files(a);
    fmpz_poly_clear(a);
    fmpz_poly_clear(b);
    mmm_machine_free(machine);
    return 0;
}
