/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds: where a rational function is positive, as a condition on one variable. */
#include "algebra/roots.h"

#include <stdlib.h>
#include <string.h>

/* sqrt(square) and the value beside it. */
static mmm_status radical_text(mmm_solver *s, const mmm_root *r, mmm_notation notation, mmm_text *out)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    TRY(mmm_value_print(s->space, &r->square, notation, &text));
    TRY(mmm_text_add(out, notation == MMM_LATEX ? "\\sqrt{%s}" : "sqrt(%s)", text));
    if (fmpz_mpoly_q_is_zero(&r->value, s->space->ctx)) goto done;
    mmm_free(text);
    text = NULL;
    TRY(mmm_value_print(s->space, &r->value, notation, &text));
    TRY(mmm_text_add(out, *text == '-' ? " - %s" : " + %s", *text == '-' ? text + 1 : text));
done:
    mmm_free(text);
    return result;
}

static mmm_status root_text(mmm_solver *s, const mmm_root *r, mmm_notation notation, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_atom_kind kind = s->space->atoms[s->scale].kind;
    char *text = NULL;
    mmm_fraction value;
    if (r->radical) return radical_text(s, r, notation, out);
    mmm_value_init(s->space, &value);
    if (r->irrational) {
        char *digits = arb_get_str(r->number, 15, ARB_STR_NO_RADIUS);
        result = mmm_text_add(out, kind == ATOM_LOG ? "2^(%s)" : kind == ATOM_POWER ? "log2(%s)" : "%s", digits);
        flint_free(digits);
        goto done;
    }
    mmm_status mapped = kind == ATOM_LOG     ? mmm_value_exp2(s->space, &value, &r->value)
                        : kind == ATOM_POWER ? mmm_value_log2(s->space, &value, &r->value)
                                             : MMM_INVALID;
    TRY(mmm_value_print(s->space, mapped == MMM_OK ? &value : &r->value, notation, &text));
    if (kind == ATOM_VARIABLE || mapped == MMM_OK)
        TRY(mmm_text_add(out, "%s", text));
    else
        TRY(mmm_text_add(out, kind == ATOM_LOG ? notation == MMM_LATEX ? "2^{%s}" : "2^(%s)" : "log2(%s)", text));
done:
    mmm_value_clear(s->space, &value);
    mmm_free(text);
    return result;
}

/* A solution under way. */
typedef struct writer {
    mmm_solver *solver;
    mmm_notation notation;
    mmm_text text;
    mmm_solution_kind kind;
    int64_t bound;
} writer;

/* One more condition: of several, none is the whole. */
static mmm_status begin(writer *w, mmm_solution_kind kind)
{
    w->kind = w->text.used ? SOLUTION_OTHER : kind;
    return w->text.used ? mmm_text_add(&w->text, " or ") : MMM_OK;
}

/* The condition between root `low` and root `high` (-1 and count: open). */
static mmm_status add_interval(writer *w, int low, int high, bool closed)
{
    mmm_status result = MMM_OK;
    mmm_solver *s = w->solver;
    bool from = low >= 0, to = high < s->count;
    TRY(begin(w, from == to ? SOLUTION_OTHER : from ? SOLUTION_ABOVE : SOLUTION_BELOW));
    if (from && to) {
        TRY(root_text(s, &s->roots[low], w->notation, &w->text));
        TRY(mmm_text_add(&w->text, " %s ", closed && !s->roots[low].pole ? "<=" : "<"));
    }
    TRY(mmm_text_add(&w->text, "%s", s->space->atoms[s->variable].name));
    if (!from && !to) goto done;
    int end = to ? high : low;
    bool reached = closed && !s->roots[end].pole;
    TRY(mmm_text_add(&w->text, " %s ", to ? reached ? "<=" : "<" : reached ? ">=" : ">"));
    w->bound = w->text.used;
    TRY(root_text(s, &s->roots[end], w->notation, &w->text));
done:
    return result;
}

static mmm_status write_solution(writer *w, char relation)
{
    mmm_status result = MMM_OK;
    mmm_solver *s = w->solver;
    bool closed = relation == 'g' || relation == 'l', holds[MMM_ROOTS + 1];
    int sign = s->sign, wanted = relation == '<' || relation == 'l' ? -1 : 1, open = -2;
    for (int i = s->count; i >= 0; i--) { /* holds[i]: just above root i-1 */
        holds[i] = relation != '=' && sign == wanted;
        if (i > 0 && s->roots[i - 1].odd) sign = -sign;
    }
    for (int i = 0; i <= s->count; i++) {
        bool joined = i > 0 && holds[i - 1] && closed && !s->roots[i - 1].pole;
        if (open != -2 && !(holds[i] && joined)) {
            TRY(add_interval(w, open, i - 1, closed));
            open = -2;
        } else if (i > 0 && open == -2 && !holds[i] && (closed || relation == '=') && !s->roots[i - 1].pole) {
            TRY(begin(w, SOLUTION_OTHER));
            TRY(mmm_text_add(&w->text, "%s = ", s->space->atoms[s->variable].name));
            TRY(root_text(s, &s->roots[i - 1], w->notation, &w->text));
        }
        if (holds[i] && open == -2) open = i - 1;
    }
    bool always = open == -1 && !w->text.used;
    if (!always && open != -2) TRY(add_interval(w, open, s->count, closed));
    if (!w->text.used) {
        w->kind = always ? SOLUTION_ALWAYS : SOLUTION_NEVER;
        TRY(mmm_text_add(&w->text, always ? "always" : "never"));
    }
done:
    return result;
}

/* The region without the numbers that bound the variable: "Z > 28/5" says more than "always" where Z >= 7. */
static mmm_status open_region(mmm_space *space, const mmm_region *region, int variable, mmm_region *out)
{
    mmm_status result = MMM_OK;
    fmpq_t slope, rest;
    fmpq_init(slope);
    fmpq_init(rest);
    *out = (mmm_region){0};
    TRY(mmm_alloc(&out->differences, region->count, sizeof *out->differences));
    TRY(mmm_alloc(&out->strict, region->count, sizeof *out->strict));
    for (int64_t i = 0; i < region->count; i++) {
        if (mmm_linear_bound(space, &region->differences[i], variable, slope, rest)) continue;
        out->strict[out->count] = region->strict[i];
        out->differences[out->count++] = region->differences[i]; /* borrowed */
    }
done:
    fmpq_clear(slope);
    fmpq_clear(rest);
    return result;
}

static mmm_status solve_on(mmm_space *space, const mmm_region *region, const mmm_fraction *value, char relation,
                           int variable, mmm_notation notation, mmm_solution *out)
{
    mmm_status result = MMM_OK;
    mmm_solver s = {.space = space, .region = region, .variable = variable, .scale = -1, .sign = 1};
    writer w = {.solver = &s, .notation = notation, .kind = SOLUTION_DOUBT};
    TRY(mmm_roots_find(&s, value));
    if (s.doubt)
        TRY(mmm_text_add(&w.text, "cannot be decided: %s", s.doubt));
    else
        TRY(write_solution(&w, relation));
    *out = (mmm_solution){w.kind, w.text.data, w.bound};
    w.text.data = NULL;
done:
    mmm_free(w.text.data);
    mmm_roots_clear(&s);
    return result;
}

mmm_status mmm_solve(mmm_space *space, const mmm_region *region, const mmm_fraction *value, char relation, int variable,
                     mmm_notation notation, mmm_solution *out)
{
    mmm_status result = MMM_OK;
    mmm_region open = {0};
    mmm_text text = {0};
    mmm_solution solution = {0}, wide = {0};
    if (fmpz_mpoly_q_is_zero(value, space->ctx)) {
        bool never = relation == '<' || relation == '>';
        TRY(mmm_text_add(&text, never ? "never" : "always"));
        *out = (mmm_solution){never ? SOLUTION_NEVER : SOLUTION_ALWAYS, text.data, 0};
        text.data = NULL;
        goto done;
    }
    TRY(solve_on(space, region, value, relation, variable, notation, &solution));
    if (solution.kind == SOLUTION_ALWAYS) {
        TRY(open_region(space, region, variable, &open));
        TRY(solve_on(space, &open, value, relation, variable, notation, &wide));
    }
    mmm_solution *better = wide.kind != SOLUTION_DOUBT ? &wide : &solution;
    *out = *better;
    better->text = NULL;
done:
    mmm_free(open.differences);
    mmm_free(open.strict);
    mmm_free(text.data);
    mmm_free(solution.text);
    mmm_free(wide.text);
    return result;
}
