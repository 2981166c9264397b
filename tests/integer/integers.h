/* SPDX-License-Identifier: Apache-2.0 */
/* Tests over Z and Q on every machine, and by the workers of an engine. */
#ifndef MMM_TESTS_INTEGERS_H
#define MMM_TESTS_INTEGERS_H

#include "local_engine.h"
#include "machines.h"

#include "integer/integer.h"

#include <flint/fmpz_poly.h>

static flint_rand_t source;
static mmm_machine *machine;
static mmm_engine *engine;
static const char *name;

static inline int open_all(void **state)
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

static inline int close_all(void **state)
{
    flint_randclear(source);
    mmm_engine_free(engine);
    return close_machines(state);
}

/* Sizes that a machine does in seconds. */
static inline slong few(slong many, slong some)
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

static inline void set(fmpz_poly_t a, const char *text)
{
    assert_int_equal(fmpz_poly_set_str(a, text), 0);
}

static inline void check_product(const fmpz_poly_t a, const fmpz_poly_t b)
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

static inline mmm_integer_facts check_gcd(const fmpz_poly_t a, const fmpz_poly_t b)
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
static inline void check_quotient(const fmpz_poly_t a, const fmpz_poly_t b)
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

/* Random coefficients, or the largest there are, with all signs alike or in turn. */
static inline void draw_long(fmpz_poly_t a, slong terms, ulong bits, int kind)
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

#endif
