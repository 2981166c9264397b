/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds: where a rational function is positive, as a condition on one variable. */
#include "algebra/roots.h"

#include <stdlib.h>
#include <string.h>

static mmm_status root_text(mmm_solver *s, const mmm_root *r, mmm_notation notation, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_atom_kind kind = s->space->atoms[s->scale].kind;
    char *text = NULL;
    mmm_fraction value;
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

/* The condition between root `low` and root `high` (-1 and count: open). */
static mmm_status add_interval(mmm_solver *s, int low, int high, bool closed, mmm_notation notation, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const char *name = s->space->atoms[s->variable].name;
    bool from = low >= 0, to = high < s->count;
    if (out->used) TRY(mmm_text_add(out, " or "));
    if (from && to) {
        TRY(root_text(s, &s->roots[low], notation, out));
        TRY(mmm_text_add(out, " %s ", closed && !s->roots[low].pole ? "<=" : "<"));
    }
    TRY(mmm_text_add(out, "%s", name));
    if (to) {
        TRY(mmm_text_add(out, " %s ", closed && !s->roots[high].pole ? "<=" : "<"));
        TRY(root_text(s, &s->roots[high], notation, out));
    } else if (from) {
        TRY(mmm_text_add(out, " %s ", closed && !s->roots[low].pole ? ">=" : ">"));
        TRY(root_text(s, &s->roots[low], notation, out));
    }
done:
    return result;
}

static mmm_status write_solution(mmm_solver *s, char relation, mmm_notation notation, mmm_text *out)
{
    mmm_status result = MMM_OK;
    bool closed = relation == 'g' || relation == 'l', holds[MMM_ROOTS + 1];
    int sign = s->sign, wanted = relation == '<' || relation == 'l' ? -1 : 1, open = -2;
    for (int i = s->count; i >= 0; i--) { /* holds[i]: just above root i-1 */
        holds[i] = relation != '=' && sign == wanted;
        if (i > 0 && s->roots[i - 1].odd) sign = -sign;
    }
    for (int i = 0; i <= s->count; i++) {
        bool joined = i > 0 && holds[i - 1] && closed && !s->roots[i - 1].pole;
        if (open != -2 && !(holds[i] && joined)) {
            TRY(add_interval(s, open, i - 1, closed, notation, out));
            open = -2;
        } else if (i > 0 && open == -2 && !holds[i] && (closed || relation == '=') && !s->roots[i - 1].pole) {
            TRY(mmm_text_add(out, "%s%s = ", out->used ? " or " : "", s->space->atoms[s->variable].name));
            TRY(root_text(s, &s->roots[i - 1], notation, out));
        }
        if (holds[i] && open == -2) open = i - 1;
    }
    if (open == -1 && !out->used)
        TRY(mmm_text_add(out, "always"));
    else if (open != -2)
        TRY(add_interval(s, open, s->count, closed, notation, out));
    if (!out->used) TRY(mmm_text_add(out, "never"));
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
                           int variable, mmm_notation notation, mmm_text *out, bool *known)
{
    mmm_status result = MMM_OK;
    mmm_solver s = {.space = space, .region = region, .variable = variable, .scale = -1, .sign = 1};
    TRY(mmm_roots_find(&s, value));
    *known = !s.doubt;
    if (s.doubt)
        TRY(mmm_text_add(out, "cannot be decided: %s", s.doubt));
    else
        TRY(write_solution(&s, relation, notation, out));
done:
    mmm_roots_clear(&s);
    return result;
}

mmm_status mmm_solve(mmm_space *space, const mmm_region *region, const mmm_fraction *value, char relation, int variable,
                     mmm_notation notation, char **out, bool *known)
{
    mmm_status result = MMM_OK;
    mmm_region open = {0};
    mmm_text text = {0}, wide = {0};
    bool wide_known = false;
    *known = true;
    if (fmpz_mpoly_q_is_zero(value, space->ctx)) {
        TRY(mmm_text_add(&text, relation == '<' || relation == '>' ? "never" : "always"));
    } else {
        TRY(solve_on(space, region, value, relation, variable, notation, &text, known));
        if (*known && strcmp(text.data, "always") == 0) {
            TRY(open_region(space, region, variable, &open));
            TRY(solve_on(space, &open, value, relation, variable, notation, &wide, &wide_known));
        }
    }
    *out = wide_known ? wide.data : text.data;
    *(wide_known ? &wide.data : &text.data) = NULL;
done:
    mmm_free(open.differences);
    mmm_free(open.strict);
    mmm_free(text.data);
    mmm_free(wide.data);
    return result;
}
