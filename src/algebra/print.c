/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: factored, with factors and terms in one order, so that equal values read the same. */
#include "algebra/algebra.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Atoms and numbers --------------------------------------------------------------------------------------------
 */

static mmm_status add_name(mmm_text *out, const char *name, mmm_notation notation)
{
    if (notation != MMM_LATEX) return mmm_text_add(out, "%s", name);
    if (strcmp(name, "l") == 0) return mmm_text_add(out, "\\ell");
    return mmm_text_add(out, strlen(name) > 1 ? "\\mathit{%s}" : "%s", name);
}

static mmm_status add_number(mmm_text *out, const fmpz_t number, mmm_notation notation)
{
    char *digits = fmpz_get_str(NULL, 10, number);
    mmm_status result = mmm_text_add(out, notation == MMM_C ? "%s.0" : "%s", digits);
    flint_free(digits);
    return result;
}

static mmm_status add_rounded(mmm_space *space, mmm_text *out, int atom, mmm_notation notation)
{
    static const char *const names[] = {"floor", "ceil"};
    mmm_status result = MMM_OK;
    const char *name = names[space->atoms[atom].kind == ATOM_CEIL];
    mmm_fraction argument;
    char *inner = NULL;
    mmm_value_init(space, &argument);
    mmm_atom_argument(space, atom, &argument);
    TRY(mmm_value_print(space, &argument, notation, &inner));
    if (notation == MMM_LATEX)
        TRY(mmm_text_add(out, "\\left\\l%s %s\\right\\r%s ", name, inner, name));
    else
        TRY(mmm_text_add(out, "%s(%s)", name, inner));
done:
    mmm_value_clear(space, &argument);
    mmm_free(inner);
    return result;
}

static mmm_status add_atom(mmm_space *space, mmm_text *out, int atom, mmm_notation notation)
{
    static const char *const open[] = {"log2(", "\\log_2 ", "log2(", "log2("};
    static const char *const power[][2] = {{"2^", ""}, {"2^{", "}"}, {"exp2(", ")"}, {"2**", ""}};
    mmm_status result = MMM_OK;
    const mmm_atom *a = &space->atoms[atom];
    char *inner = NULL;
    if (a->kind == ATOM_VARIABLE) return add_name(out, a->name, notation);
    if (mmm_atom_rounds(a)) return add_rounded(space, out, atom, notation);
    if (a->kind == ATOM_POWER) {
        TRY(mmm_text_add(out, "%s", power[notation][0]));
        TRY(add_name(out, space->atoms[a->variable].name, notation));
        TRY(mmm_text_add(out, "%s", power[notation][1]));
    } else {
        TRY(mmm_polynomial_print(space, &a->argument, notation, &inner));
        TRY(mmm_text_add(out, "%s", open[notation]));
        TRY(mmm_text_add(out, notation == MMM_LATEX && a->argument.length > 1 ? "\\left(%s\\right)" : "%s", inner));
        if (notation != MMM_LATEX) TRY(mmm_text_add(out, ")"));
    }
done:
    mmm_free(inner);
    return result;
}

/* (2^s)^e as 2^(e*s). */
static mmm_status add_power_of_two(mmm_space *space, mmm_text *out, int atom, ulong exponent, mmm_notation notation)
{
    static const char *const forms[] = {"2^(%lu*", "2^{%lu\\,", "exp2(%lu.0*", "2**(%lu*"};
    mmm_status result = mmm_text_add(out, forms[notation], exponent);
    if (result == MMM_OK) result = add_name(out, space->atoms[space->atoms[atom].variable].name, notation);
    return result == MMM_OK ? mmm_text_add(out, notation == MMM_LATEX ? "}" : ")") : result;
}

/* An atom, or a sum in brackets, to a power. */
static mmm_status add_power(mmm_space *space, mmm_text *out, int atom, const char *sum, ulong exponent,
                            mmm_notation notation)
{
    mmm_status result = MMM_OK;
    mmm_text base = {0};
    if (exponent > 1 && atom >= 0 && space->atoms[atom].kind == ATOM_POWER)
        return add_power_of_two(space, out, atom, exponent, notation);
    bool bracket = exponent > 1 && atom >= 0 && space->atoms[atom].kind != ATOM_VARIABLE && notation == MMM_LATEX;
    if (sum && (notation != MMM_C || exponent <= 2))
        TRY(mmm_text_add(&base, notation == MMM_LATEX ? "\\left(%s\\right)" : "(%s)", sum));
    else if (sum)
        TRY(mmm_text_add(&base, "%s", sum));
    else
        TRY(add_atom(space, &base, atom, notation));
    if (exponent == 1) {
        TRY(mmm_text_add(out, "%s", base.data));
    } else if (notation == MMM_C) {
        TRY(exponent == 2 ? mmm_text_add(out, "%s*%s", base.data, base.data)
                          : mmm_text_add(out, "pow(%s, %lu.0)", base.data, exponent));
    } else {
        TRY(mmm_text_add(out, bracket ? "\\left(%s\\right)" : "%s", base.data));
        TRY(mmm_text_add(out, notation == MMM_LATEX ? "^{%lu}" : notation == MMM_PYTHON ? "**%lu" : "^%lu", exponent));
    }
done:
    mmm_free(base.data);
    return result;
}

static const char *times(mmm_notation notation)
{
    return notation == MMM_LATEX ? "\\," : "*";
}

/* ---- Order --------------------------------------------------------------------------------------------------------
 */

/* Logarithms and what is rounded, by their arguments. */
static int compare_arguments(const mmm_space *space, const mmm_atom *a, const mmm_atom *b)
{
    if ((a->variable >= 0) != (b->variable >= 0)) return a->variable >= 0 ? -1 : 1;
    if (a->variable >= 0) return a->variable - b->variable;
    mmm_text first = {0}, second = {0};
    int order = 0;
    if (add_atom((mmm_space *)space, &first, (int)(a - space->atoms), MMM_TEXT) == MMM_OK &&
        add_atom((mmm_space *)space, &second, (int)(b - space->atoms), MMM_TEXT) == MMM_OK) {
        order = (int)strlen(first.data) - (int)strlen(second.data);
        if (order == 0) order = strcmp(first.data, second.data);
    }
    mmm_free(first.data);
    mmm_free(second.data);
    return order;
}

int mmm_atom_compare(const mmm_space *space, int a, int b)
{
    const mmm_atom *first = &space->atoms[a], *second = &space->atoms[b];
    if (a == b) return 0;
    if (first->kind != second->kind) return (int)first->kind - (int)second->kind;
    if (first->kind == ATOM_LOG || mmm_atom_rounds(first)) return compare_arguments(space, first, second);
    if (first->kind == ATOM_POWER) return first->variable - second->variable;
    return a - b;
}

/* Atoms 0 .. count-1 in print order. */
static void atom_order(const mmm_space *space, const fmpz_mpoly_struct *p, int *order, int *used)
{
    *used = 0;
    for (int i = 0; i < space->count; i++) {
        if (fmpz_mpoly_degree_si(p, i, space->ctx) <= 0) continue;
        int j = (*used)++;
        while (j > 0 && mmm_atom_compare(space, i, order[j - 1]) < 0)
            order[j] = order[j - 1], j--;
        order[j] = i;
    }
}

typedef struct term {
    ulong degree, exponents[MMM_ATOMS];
    slong index;
} term;

static int compare_terms(const void *first, const void *second)
{
    const term *a = first, *b = second;
    if (a->degree != b->degree) return a->degree > b->degree ? -1 : 1;
    for (int i = 0; i < MMM_ATOMS; i++)
        if (a->exponents[i] != b->exponents[i]) return a->exponents[i] > b->exponents[i] ? -1 : 1;
    return 0;
}

static mmm_status sorted_terms(mmm_space *space, const fmpz_mpoly_struct *p, const int *order, int used, term **out)
{
    mmm_status result = mmm_alloc(out, p->length, sizeof **out);
    if (result != MMM_OK) return result;
    for (slong i = 0; i < p->length; i++) {
        term *t = &(*out)[i];
        t->index = i;
        for (int j = 0; j < used; j++) {
            t->exponents[j] = fmpz_mpoly_get_term_var_exp_ui(p, i, order[j], space->ctx);
            t->degree += t->exponents[j];
        }
    }
    qsort(*out, (size_t)p->length, sizeof **out, compare_terms);
    return MMM_OK;
}

/* A positive term comes first where there is one: Z - 8*l, not -8*l + Z. */
static void lead_positive(const fmpz_mpoly_struct *p, term *terms)
{
    for (slong i = 0; i < p->length; i++) {
        if (fmpz_sgn(p->coeffs + terms[i].index) < 0) continue;
        term first = terms[i];
        memmove(terms + 1, terms, (size_t)i * sizeof *terms);
        terms[0] = first;
        return;
    }
}

/* ---- Sums ---------------------------------------------------------------------------------------------------------
 */

mmm_status mmm_polynomial_print(mmm_space *space, const fmpz_mpoly_struct *p, mmm_notation notation, char **out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    term *terms = NULL;
    int order[MMM_ATOMS], used;
    fmpz_t size;
    fmpz_init(size);
    atom_order(space, p, order, &used);
    TRY(sorted_terms(space, p, order, used, &terms));
    lead_positive(p, terms);
    if (p->length == 0) TRY(add_number(&text, size, notation));
    for (slong i = 0; i < p->length; i++) {
        const fmpz *coefficient = p->coeffs + terms[i].index;
        const char *sign = fmpz_sgn(coefficient) < 0 ? i ? " - " : "-" : i ? " + " : "";
        bool shown = false;
        TRY(mmm_text_add(&text, "%s", sign));
        fmpz_abs(size, coefficient);
        if (!fmpz_is_one(size) || terms[i].degree == 0) {
            TRY(add_number(&text, size, notation));
            shown = true;
        }
        for (int j = 0; j < used; j++) {
            if (!terms[i].exponents[j]) continue;
            TRY(mmm_text_add(&text, "%s", shown ? times(notation) : ""));
            TRY(add_power(space, &text, order[j], NULL, terms[i].exponents[j], notation));
            shown = true;
        }
    }
    *out = text.data;
    text.data = NULL;
done:
    mmm_free(text.data);
    mmm_free(terms);
    fmpz_clear(size);
    return result;
}

/* Whether the term that prints first is negative. */
static mmm_status starts_negative(mmm_space *space, const fmpz_mpoly_struct *p, bool *out)
{
    int order[MMM_ATOMS], used;
    term *terms;
    atom_order(space, p, order, &used);
    mmm_status result = sorted_terms(space, p, order, used, &terms);
    if (result != MMM_OK) return result;
    *out = fmpz_sgn(p->coeffs + terms[0].index) < 0;
    mmm_free(terms);
    return MMM_OK;
}

/* ---- Products -----------------------------------------------------------------------------------------------------
 */

typedef struct factor {
    int atom;        /* or -1 and: */
    char *key, *sum; /* the sum in plain text, and in the notation asked for */
    ulong exponent;
    const mmm_space *space;
} factor;

typedef struct product {
    fmpz_t constant;
    factor *factors;
    slong count;
} product;

static int compare_factors(const factor *a, const factor *b)
{
    if ((a->atom >= 0) != (b->atom >= 0)) return a->atom >= 0 ? -1 : 1;
    if (a->atom >= 0) return mmm_atom_compare(a->space, a->atom, b->atom);
    size_t x = strlen(a->key), y = strlen(b->key);
    return x != y ? x < y ? -1 : 1 : strcmp(a->key, b->key);
}

static mmm_status factor_product(mmm_space *space, const fmpz_mpoly_struct *p, mmm_notation notation, product *out)
{
    mmm_status result = MMM_OK;
    fmpz_mpoly_factor_t factors;
    fmpz_mpoly_t base;
    fmpz_mpoly_factor_init(factors, space->ctx);
    fmpz_mpoly_init(base, space->ctx);
    if (!mmm_factor(space, factors, p)) FAIL(MMM_INVALID, "the expression could not be factored");
    fmpz_mpoly_factor_get_constant_fmpz(out->constant, factors, space->ctx);
    TRY(mmm_alloc(&out->factors, factors->num, sizeof *out->factors));
    for (slong i = 0; i < factors->num; i++) {
        factor *f = &out->factors[out->count++];
        bool negative = false;
        fmpz_mpoly_factor_get_base(base, factors, i, space->ctx);
        f->exponent = (ulong)fmpz_mpoly_factor_get_exp_si(factors, i, space->ctx);
        f->atom = -1;
        f->space = space;
        TRY(starts_negative(space, base, &negative));
        if (negative) {
            fmpz_mpoly_neg(base, base, space->ctx);
            if (f->exponent % 2) fmpz_neg(out->constant, out->constant);
        }
        for (int j = 0; j < space->count; j++)
            if (fmpz_mpoly_is_gen(base, j, space->ctx)) f->atom = j;
        if (f->atom >= 0) continue;
        TRY(mmm_polynomial_print(space, base, MMM_TEXT, &f->key));
        TRY(mmm_polynomial_print(space, base, notation, &f->sum));
    }
    /* No qsort: to compare takes memory, and lacking it the guard must not jump out of the C library. */
    for (slong i = 1; i < out->count; i++) {
        factor moved = out->factors[i];
        slong j = i;
        for (; j > 0 && compare_factors(&moved, &out->factors[j - 1]) < 0; j--)
            out->factors[j] = out->factors[j - 1];
        out->factors[j] = moved;
    }
done:
    fmpz_mpoly_clear(base, space->ctx);
    fmpz_mpoly_factor_clear(factors, space->ctx);
    return result;
}

static void clear_product(product *p)
{
    for (slong i = 0; i < p->count; i++)
        mmm_free(p->factors[i].key), mmm_free(p->factors[i].sum);
    mmm_free(p->factors);
    fmpz_clear(p->constant);
}

/* How many factors print, the constant included. */
static slong width(const product *p)
{
    return p->count + (!fmpz_is_one(p->constant) || p->count == 0);
}

static mmm_status add_product(mmm_space *space, mmm_text *out, const product *p, bool bare, mmm_notation notation)
{
    mmm_status result = MMM_OK;
    bool shown = false;
    if (!fmpz_is_one(p->constant) || p->count == 0) {
        TRY(add_number(out, p->constant, notation));
        shown = true;
    }
    for (slong i = 0; i < p->count; i++) {
        const factor *f = &p->factors[i];
        TRY(mmm_text_add(out, "%s", shown ? times(notation) : ""));
        if (bare && f->sum && f->exponent == 1)
            TRY(mmm_text_add(out, "%s", f->sum));
        else
            TRY(add_power(space, out, f->atom, f->sum, f->exponent, notation));
        shown = true;
    }
done:
    return result;
}

mmm_status mmm_value_print(mmm_space *space, const mmm_fraction *value, mmm_notation notation, char **out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    product top = {.count = 0}, bottom = {.count = 0};
    fmpz_init(top.constant);
    fmpz_init(bottom.constant);
    if (fmpz_mpoly_q_is_zero(value, space->ctx)) {
        TRY(add_number(&text, top.constant, notation));
    } else {
        TRY(factor_product(space, fmpz_mpoly_q_numref(value), notation, &top));
        TRY(factor_product(space, fmpz_mpoly_q_denref(value), notation, &bottom));
        bool whole = bottom.count == 0 && fmpz_is_pm1(bottom.constant);
        bool negative = (fmpz_sgn(top.constant) < 0) != (fmpz_sgn(bottom.constant) < 0);
        fmpz_abs(top.constant, top.constant);
        fmpz_abs(bottom.constant, bottom.constant);
        bool latex = notation == MMM_LATEX;
        if (negative) TRY(mmm_text_add(&text, "-"));
        if (!whole && latex) TRY(mmm_text_add(&text, "\\frac{"));
        bool bare = !negative && width(&top) == 1 && (whole || latex);
        TRY(add_product(space, &text, &top, bare || (latex && !whole && width(&top) == 1), notation));
        if (!whole) {
            bool single =
                width(&bottom) == 1 && !(notation == MMM_C && bottom.count && bottom.factors[0].exponent == 2);
            bool bracket = !latex && !single;
            TRY(mmm_text_add(&text, latex ? "}{" : bracket ? "/(" : "/"));
            TRY(add_product(space, &text, &bottom, width(&bottom) == 1 && latex, notation));
            TRY(mmm_text_add(&text, latex ? "}" : bracket ? ")" : ""));
        }
    }
    *out = text.data;
    text.data = NULL;
done:
    mmm_free(text.data);
    clear_product(&top);
    clear_product(&bottom);
    return result;
}
