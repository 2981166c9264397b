/* SPDX-License-Identifier: Apache-2.0 */
/* Where a rational function may change its sign, as its roots and poles in one variable.
 *
 * The factors that keep their sign on the region only count; those that are linear in the variable (or in its log2, or
 * in 2^variable) have a root; those in the variable alone have real numbers as roots.  Anything else is not decided. */
#include "algebra/roots.h"

#include <stdlib.h>
#include <string.h>

static mmm_root *new_root(mmm_solver *s, ulong exponent, bool pole)
{
    if (s->count == MMM_ROOTS) {
        s->doubt = "there are too many roots";
        return NULL;
    }
    mmm_root *r = &s->roots[s->count++];
    memset(r, 0, sizeof *r);
    mmm_value_init(s->space, &r->value);
    mmm_value_init(s->space, &r->square);
    arb_init(r->number);
    r->odd = exponent % 2;
    r->pole = pole;
    return r;
}

static void doubt(mmm_solver *s, const fmpz_mpoly_struct *p, const char *format)
{
    char *text = NULL;
    if (mmm_polynomial_print(s->space, p, MMM_TEXT, &text) != MMM_OK) return;
    snprintf(s->reason, sizeof s->reason, format, text);
    s->doubt = s->reason;
    mmm_free(text);
}

/* The one atom through which a factor depends on the variable; -1 for several. */
static int scale_of(const mmm_solver *s, const fmpz_mpoly_struct *p)
{
    int scale = -1;
    mmm_fraction atom;
    mmm_value_init(s->space, &atom);
    for (int i = 0; i < s->space->count; i++) {
        if (fmpz_mpoly_degree_si(p, i, s->space->ctx) <= 0) continue;
        fmpz_mpoly_q_gen(&atom, i, s->space->ctx);
        if (!mmm_value_mentions(s->space, &atom, s->variable)) continue;
        bool plain = i == s->variable || s->space->atoms[i].variable == s->variable;
        scale = scale == -1 && plain ? i : -2;
    }
    mmm_value_clear(s->space, &atom);
    return scale;
}

/* a g + b: its root -b/a, when the sign of a is known. */
static mmm_status add_linear(mmm_solver *s, const fmpz_mpoly_struct *p, ulong exponent, bool pole, int scale)
{
    mmm_status result = MMM_OK;
    mmm_fraction slope, rest, zero;
    mmm_sign sign;
    mmm_value_init(s->space, &slope);
    mmm_value_init(s->space, &rest);
    mmm_value_init(s->space, &zero);
    const mmm_fraction *images[MMM_ATOMS] = {0};
    images[scale] = &zero;
    fmpz_mpoly_derivative(fmpz_mpoly_q_numref(&slope), p, scale, s->space->ctx);
    TRY(mmm_polynomial_compose(s->space, &rest, p, images));
    TRY(mmm_value_sign(s->space, s->region, &slope, &sign));
    if (sign != SIGN_POSITIVE && sign != SIGN_NEGATIVE) {
        doubt(s, fmpz_mpoly_q_numref(&slope), "the sign of %s is not known");
        goto done;
    }
    if (sign == SIGN_NEGATIVE && exponent % 2) s->sign = -s->sign;
    TRY(mmm_value_divide(s->space, &rest, &rest, &slope));
    fmpz_mpoly_q_neg(&rest, &rest, s->space->ctx);
    if (s->space->atoms[scale].kind == ATOM_POWER) { /* 2^variable never reaches what is not positive */
        TRY(mmm_value_sign(s->space, s->region, &rest, &sign));
        if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO) goto done;
        if (sign != SIGN_POSITIVE) doubt(s, fmpz_mpoly_q_numref(&rest), "the sign of %s is not known");
        if (sign != SIGN_POSITIVE) goto done;
    }
    mmm_root *r = new_root(s, exponent, pole);
    if (r) fmpz_mpoly_q_swap(&r->value, &rest, s->space->ctx);
done:
    mmm_value_clear(s->space, &slope);
    mmm_value_clear(s->space, &rest);
    mmm_value_clear(s->space, &zero);
    return result;
}

/* a v^2 + b v + c with a and c of opposite signs: its one positive root -b/(2a) + sqrt(b^2 - 4ac)/(2|a|). */
static mmm_status add_quadratic(mmm_solver *s, const fmpz_mpoly_struct *p, ulong exponent, bool pole, int scale)
{
    mmm_status result = MMM_OK;
    mmm_fraction zero, terms[3]; /* c, b, a */
    mmm_sign first, last;
    const mmm_fraction *images[MMM_ATOMS] = {0};
    mmm_value_init(s->space, &zero);
    images[scale] = &zero;
    for (int i = 0; i < 3; i++) {
        mmm_value_init(s->space, &terms[i]);
        fmpz_mpoly_set(fmpz_mpoly_q_numref(&terms[i]), p, s->space->ctx);
        for (int j = 0; j < i; j++)
            fmpz_mpoly_derivative(fmpz_mpoly_q_numref(&terms[i]), fmpz_mpoly_q_numref(&terms[i]), scale, s->space->ctx);
    }
    for (int i = 0; i < 3; i++)
        TRY(mmm_value_compose(s->space, &terms[i], &terms[i], images));
    fmpz_mpoly_q_div_si(&terms[2], &terms[2], 2, s->space->ctx);
    TRY(mmm_value_sign(s->space, s->region, &terms[2], &first));
    TRY(mmm_value_sign(s->space, s->region, &terms[0], &last));
    bool opposite =
        (first == SIGN_POSITIVE && last == SIGN_NEGATIVE) || (first == SIGN_NEGATIVE && last == SIGN_POSITIVE);
    if (!opposite) {
        doubt(s, p, "the sign of %s is not known");
        goto done;
    }
    if (first == SIGN_NEGATIVE && exponent % 2) s->sign = -s->sign;
    mmm_root *r = new_root(s, exponent, pole);
    if (!r) goto done;
    r->radical = true;
    TRY(mmm_value_divide(s->space, &r->value, &terms[1], &terms[2]));
    fmpz_mpoly_q_div_si(&r->value, &r->value, -2, s->space->ctx);
    TRY(mmm_value_multiply(s->space, &r->square, &r->value, &r->value));
    TRY(mmm_value_divide(s->space, &terms[0], &terms[0], &terms[2]));
    TRY(mmm_value_subtract(s->space, &r->square, &r->square, &terms[0]));
done:
    mmm_value_clear(s->space, &zero);
    for (int i = 0; i < 3; i++)
        mmm_value_clear(s->space, &terms[i]);
    return result;
}

/* The real roots of an irreducible polynomial in the scale alone. */
static mmm_status add_roots(mmm_solver *s, const fmpz_mpoly_struct *p, ulong exponent, bool pole, int scale)
{
    mmm_status result = MMM_OK;
    fmpz_poly_t f;
    acb_ptr roots = NULL;
    slong degree = 0;
    fmpz_poly_init(f);
    if (!fmpz_mpoly_is_fmpz_poly(p, scale, s->space->ctx) || !fmpz_mpoly_get_fmpz_poly(f, p, scale, s->space->ctx) ||
        fmpz_poly_degree(f) > 60) {
        doubt(s, p, "the sign of %s is not known");
        goto done;
    }
    degree = fmpz_poly_degree(f);
    if (fmpz_sgn(fmpz_poly_lead(f)) < 0 && exponent % 2) s->sign = -s->sign;
    roots = _acb_vec_init(degree);
    arb_fmpz_poly_complex_roots(roots, f, 0, 128);
    for (slong i = 0; i < degree; i++) {
        if (!acb_is_real(roots + i)) continue;
        mmm_root *r = new_root(s, exponent, pole);
        if (!r) goto done;
        r->irrational = true;
        arb_set(r->number, acb_realref(roots + i));
    }
done:
    if (roots) _acb_vec_clear(roots, degree);
    fmpz_poly_clear(f);
    return result;
}

static mmm_status add_factor(mmm_solver *s, const fmpz_mpoly_struct *p, ulong exponent, bool pole)
{
    mmm_status result = MMM_OK;
    mmm_fraction value;
    mmm_sign sign;
    mmm_value_init(s->space, &value);
    fmpz_mpoly_set(fmpz_mpoly_q_numref(&value), p, s->space->ctx);
    TRY(mmm_value_sign(s->space, s->region, &value, &sign));
    if (sign == SIGN_POSITIVE || sign == SIGN_NEGATIVE) {
        if (sign == SIGN_NEGATIVE && exponent % 2) s->sign = -s->sign;
        goto done;
    }
    int scale = scale_of(s, p);
    if (scale < 0 || (s->scale >= 0 && s->scale != scale)) {
        doubt(s, p, "the sign of %s is not known");
        goto done;
    }
    s->scale = scale;
    if (fmpz_mpoly_degree_si(p, scale, s->space->ctx) == 1)
        TRY(add_linear(s, p, exponent, pole, scale));
    else if (scale == s->variable && fmpz_mpoly_degree_si(p, scale, s->space->ctx) == 2 &&
             !fmpz_mpoly_is_fmpz_poly(p, scale, s->space->ctx))
        TRY(add_quadratic(s, p, exponent, pole, scale));
    else
        TRY(add_roots(s, p, exponent, pole, scale));
done:
    mmm_value_clear(s->space, &value);
    return result;
}

static mmm_status add_factors(mmm_solver *s, const fmpz_mpoly_struct *p, bool pole)
{
    mmm_status result = MMM_OK;
    fmpz_mpoly_factor_t factors;
    fmpz_mpoly_t base;
    fmpz_t constant;
    fmpz_mpoly_factor_init(factors, s->space->ctx);
    fmpz_mpoly_init(base, s->space->ctx);
    fmpz_init(constant);
    if (!mmm_factor(s->space, factors, p)) FAIL(MMM_INVALID, "the expression could not be factored");
    fmpz_mpoly_factor_get_constant_fmpz(constant, factors, s->space->ctx);
    if (fmpz_sgn(constant) < 0) s->sign = -s->sign;
    for (slong i = 0; i < factors->num && !s->doubt; i++) {
        fmpz_mpoly_factor_get_base(base, factors, i, s->space->ctx);
        TRY(add_factor(s, base, (ulong)fmpz_mpoly_factor_get_exp_si(factors, i, s->space->ctx), pole));
    }
done:
    fmpz_clear(constant);
    fmpz_mpoly_clear(base, s->space->ctx);
    fmpz_mpoly_factor_clear(factors, s->space->ctx);
    return result;
}

/* ---- Order of roots -----------------------------------------------------------------------------------------------
 */

static mmm_status compare_values(mmm_solver *s, const mmm_fraction *a, const mmm_fraction *b, int *order)
{
    mmm_status result = MMM_OK;
    mmm_fraction difference;
    mmm_sign sign;
    mmm_value_init(s->space, &difference);
    TRY(mmm_value_subtract(s->space, &difference, a, b));
    TRY(mmm_value_sign(s->space, s->region, &difference, &sign));
    if (sign == SIGN_UNKNOWN || sign == SIGN_MIXED) {
        char *first = NULL, *second = NULL;
        if (mmm_value_print(s->space, a, MMM_TEXT, &first) == MMM_OK &&
            mmm_value_print(s->space, b, MMM_TEXT, &second) == MMM_OK) {
            snprintf(s->reason, sizeof s->reason, "which of %s and %s is larger is not known", first, second);
            s->doubt = s->reason;
        }
        mmm_free(first);
        mmm_free(second);
    }
    *order = sign == SIGN_NEGATIVE ? -1 : sign == SIGN_POSITIVE;
done:
    mmm_value_clear(s->space, &difference);
    return result;
}

static bool root_ball(const mmm_solver *s, const mmm_root *r, arb_t out)
{
    if (r->irrational) arb_set(out, r->number);
    if (r->irrational) return true;
    if (r->radical || !fmpz_mpoly_q_is_fmpq(&r->value, s->space->ctx)) return false;
    fmpq_t exact;
    fmpq_init(exact);
    fmpz_mpoly_get_fmpz(fmpq_numref(exact), fmpz_mpoly_q_numref(&r->value), s->space->ctx);
    fmpz_mpoly_get_fmpz(fmpq_denref(exact), fmpz_mpoly_q_denref(&r->value), s->space->ctx);
    arb_set_fmpq(out, exact, 256);
    fmpq_clear(exact);
    return true;
}

/* value + sqrt(square) against a value: both sides of sqrt(square) against the difference, squared. */
static mmm_status compare_radical(mmm_solver *s, const mmm_root *a, const mmm_fraction *b, int *order)
{
    mmm_status result = MMM_OK;
    mmm_fraction gap;
    mmm_sign sign;
    mmm_value_init(s->space, &gap);
    TRY(mmm_value_subtract(s->space, &gap, b, &a->value));
    TRY(mmm_value_sign(s->space, s->region, &gap, &sign));
    *order = 1;
    if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO) goto done;
    *order = 0;
    if (sign != SIGN_POSITIVE) s->doubt = "the order of the roots is not known";
    if (sign != SIGN_POSITIVE) goto done;
    TRY(mmm_value_multiply(s->space, &gap, &gap, &gap));
    TRY(compare_values(s, &a->square, &gap, order));
done:
    mmm_value_clear(s->space, &gap);
    return result;
}

static mmm_status compare_roots(mmm_solver *s, const mmm_root *a, const mmm_root *b, int *order)
{
    bool plain_a = !a->irrational && !a->radical, plain_b = !b->irrational && !b->radical;
    if (plain_a && plain_b) return compare_values(s, &a->value, &b->value, order);
    if (a->radical && plain_b) return compare_radical(s, a, &b->value, order);
    if (b->radical && plain_a) {
        mmm_status result = compare_radical(s, b, &a->value, order);
        *order = -*order;
        return result;
    }
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    bool fine = root_ball(s, a, x) && root_ball(s, b, y);
    *order = arb_lt(x, y) ? -1 : arb_gt(x, y) ? 1 : 0;
    if (!fine || *order == 0) s->doubt = "the order of the roots is not known";
    arb_clear(x);
    arb_clear(y);
    return MMM_OK;
}

static mmm_status sort_roots(mmm_solver *s)
{
    mmm_status result = MMM_OK;
    for (int i = 1; i < s->count; i++)
        for (int j = i; j > 0; j--) {
            int order;
            TRY(compare_roots(s, &s->roots[j - 1], &s->roots[j], &order));
            if (s->doubt || order <= 0) break;
            mmm_root swap = s->roots[j - 1];
            s->roots[j - 1] = s->roots[j];
            s->roots[j] = swap;
        }
done:
    return result;
}

/* The least value of the scale as a root, to drop the roots below it. */
static mmm_status least(mmm_solver *s, mmm_root *r, bool *exists, bool *strict)
{
    mmm_status result = MMM_OK;
    fmpq_t lower;
    fmpq_init(lower);
    mmm_region_lower(s->space, s->region, s->variable, lower, strict);
    mmm_value_init(s->space, &r->value);
    mmm_value_init(s->space, &r->square);
    arb_init(r->number);
    mmm_atom_kind kind = s->space->atoms[s->scale].kind;
    fmpz_mpoly_q_set_fmpq(&r->value, lower, s->space->ctx);
    *exists = kind == ATOM_VARIABLE || (kind == ATOM_LOG && fmpq_sgn(lower) > 0) ||
              (kind == ATOM_POWER && fmpz_is_one(fmpq_denref(lower)));
    if (*exists && kind == ATOM_LOG) TRY(mmm_value_log2(s->space, &r->value, &r->value));
    if (*exists && kind == ATOM_POWER) TRY(mmm_value_exp2(s->space, &r->value, &r->value));
done:
    fmpq_clear(lower);
    return result;
}

static void clear_root(mmm_solver *s, mmm_root *r)
{
    mmm_value_clear(s->space, &r->value);
    mmm_value_clear(s->space, &r->square);
    arb_clear(r->number);
}

static mmm_status drop_low_roots(mmm_solver *s)
{
    mmm_status result = MMM_OK;
    mmm_root low = {0};
    bool exists = false, strict = false;
    if (s->count == 0) return MMM_OK;
    TRY(least(s, &low, &exists, &strict));
    /* A root whose place to the least value is not known stays: a condition too many is still right. */
    while (exists && s->count > 0) {
        int order;
        TRY(compare_roots(s, &s->roots[0], &low, &order));
        bool stays = s->doubt || order > 0 || (order == 0 && !strict);
        s->doubt = NULL;
        if (stays) break;
        clear_root(s, &s->roots[0]);
        memmove(s->roots, s->roots + 1, (size_t)--s->count * sizeof *s->roots);
    }
done:
    clear_root(s, &low);
    return result;
}

mmm_status mmm_roots_find(mmm_solver *s, const mmm_fraction *value)
{
    mmm_status result = MMM_OK;
    TRY(add_factors(s, fmpz_mpoly_q_numref(value), false));
    if (!s->doubt) TRY(add_factors(s, fmpz_mpoly_q_denref(value), true));
    if (!s->doubt) TRY(sort_roots(s));
    if (!s->doubt) TRY(drop_low_roots(s));
done:
    return result;
}

void mmm_roots_clear(mmm_solver *s)
{
    for (int i = 0; i < s->count; i++)
        clear_root(s, &s->roots[i]);
    s->count = 0;
}
