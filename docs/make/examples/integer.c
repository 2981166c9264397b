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
    files(a);
    fmpz_poly_clear(a);
    fmpz_poly_clear(b);
    mmm_machine_free(machine);
    return 0;
}
