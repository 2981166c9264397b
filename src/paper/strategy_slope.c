/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing s by the slope of the overhead ratio: the largest s, the smallest, or the place between where it turns. */
#include "algebra/extremum.h"
#include "paper/strategy.h"

#include <string.h>

/* The value at an s given as text; false in *known where the text is no quotient, as sqrt(n). */
static mmm_status at_text(mmm_chooser *t, const mmm_fraction *value, const char *s, mmm_fraction *out, bool *known)
{
    mmm_status result = MMM_OK;
    mmm_scope scope = {0};
    mmm_fraction place;
    mmm_value_init(t->space, &place);
    *known = !strstr(s, "sqrt") && mmm_evaluate_text(&t->evaluator, s, NULL, &place) == MMM_OK;
    if (!*known) goto done;
    TRY(mmm_scope_add(t->space, &scope, t->name, &place));
    TRY(mmm_value_substitute(t->space, out, value, &scope));
done:
    mmm_scope_free(t->space, &scope);
    mmm_value_clear(t->space, &place);
    return result;
}

/* ---- Work ---------------------------------------------------------------------------------------------------------
 */

/* W(s0)/W(s) at the end of the range of s, as other parameters grow: does it vanish? */
static mmm_status vanishes(mmm_chooser *t, bool *out)
{
    mmm_status result = MMM_OK;
    mmm_fraction end, limit;
    mmm_limit_kind kind = LIMIT_UNKNOWN;
    bool known = true;
    *out = false;
    mmm_value_init(t->space, &end);
    mmm_value_init(t->space, &limit);
    if (t->top_count == 0) {
        TRY(mmm_value_limit(t->space, &t->region, &t->work, t->s, &limit, &kind));
        *out = kind == LIMIT_FINITE && fmpz_mpoly_q_is_zero(&limit, t->space->ctx);
        goto done;
    }
    if (t->top_count > 1) goto done;
    TRY(at_text(t, &t->work, t->tops[0], &end, &known));
    for (int i = 0; i < t->space->count && known && !*out; i++) {
        if (t->space->atoms[i].kind != ATOM_VARIABLE || !mmm_value_mentions(t->space, &end, i)) continue;
        TRY(mmm_value_limit(t->space, &t->region, &end, i, &limit, &kind));
        *out = kind == LIMIT_FINITE && fmpz_mpoly_q_is_zero(&limit, t->space->ctx);
    }
done:
    mmm_value_clear(t->space, &end);
    mmm_value_clear(t->space, &limit);
    return result;
}

/* Whether W(s0)/W(s) >= 1/k is shown for some k, or its limit is positive; or else vanishes. */
static mmm_status judge_work(mmm_chooser *t, const mmm_fraction *work)
{
    static const int parts[] = {1, 2, 4, 8, 16, 100};
    mmm_status result = MMM_OK;
    mmm_fraction part, limit;
    mmm_limit_kind kind;
    mmm_sign sign = SIGN_UNKNOWN;
    int holds = -1;
    bool zero;
    mmm_value_init(t->space, &part);
    mmm_value_init(t->space, &limit);
    t->out->work_bounded = -1;
    if (t->lost_work) goto done;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && holds != 1; i++) {
        fmpz_mpoly_q_one(&part, t->space->ctx);
        fmpz_mpoly_q_div_si(&part, &part, parts[i], t->space->ctx);
        TRY(mmm_relation_holds(t->space, &t->region, work, &part, 'g', &holds));
    }
    TRY(mmm_value_limit(t->space, &t->region, work, t->s, &limit, &kind));
    if (kind == LIMIT_FINITE) TRY(mmm_value_sign(t->space, &t->region, &limit, &sign));
    if (holds == 1 || sign == SIGN_POSITIVE) t->out->work_bounded = 1;
    if (t->out->work_bounded == 1) goto done;
    TRY(vanishes(t, &zero));
    if (zero) t->out->work_bounded = 0;
done:
    mmm_value_clear(t->space, &part);
    mmm_value_clear(t->space, &limit);
    return result;
}

/* ---- Time ---------------------------------------------------------------------------------------------------------
 */

/* Whether T(s0)/T(s) exceeds 1 for large s; the condition goes to *text. */
static mmm_status judge_time(mmm_chooser *t, char **text)
{
    mmm_status result = MMM_OK;
    mmm_fraction one;
    int holds;
    mmm_solution solution = {0};
    mmm_value_init(t->space, &one);
    fmpz_mpoly_q_one(&one, t->space->ctx);
    t->out->confirmed = -1;
    TRY(mmm_set_text(text, "never"));
    if (t->lost_time) goto done;
    TRY(mmm_relation_holds(t->space, &t->region, &t->time, &one, 'l', &holds));
    if (holds == 1) {
        t->out->confirmed = 0;
        goto done;
    }
    TRY(mmm_value_subtract(t->space, &one, &t->time, &one));
    TRY(mmm_solve(t->space, &t->region, &one, '>', t->s, MMM_TEXT, &solution));
    if (solution.kind == SOLUTION_ALWAYS || solution.kind == SOLUTION_ABOVE) t->out->confirmed = 1;
    if (solution.kind == SOLUTION_NEVER || solution.kind == SOLUTION_BELOW) t->out->confirmed = 0;
    t->always = solution.kind == SOLUTION_ALWAYS;
    TRY(mmm_set_text(text, "%s", solution.text));
done:
    mmm_free(solution.text);
    mmm_value_clear(t->space, &one);
    return result;
}

/* Both at one whole s. */
static mmm_status confirm_at(mmm_chooser *t, slong s, char **condition)
{
    mmm_status result = MMM_OK;
    mmm_fraction value, one;
    char text[32];
    bool known;
    mmm_value_init(t->space, &value);
    mmm_value_init(t->space, &one);
    fmpz_mpoly_q_one(&one, t->space->ctx);
    snprintf(text, sizeof text, "%ld", (long)s);
    TRY(at_text(t, &t->work, text, &value, &known));
    TRY(judge_work(t, &value));
    TRY(at_text(t, &t->time, text, &value, &known));
    if (!t->lost_time) TRY(mmm_relation_holds(t->space, &t->region, &value, &one, '>', &t->out->confirmed));
    TRY(mmm_set_text(condition, "always"));
done:
    mmm_value_clear(t->space, &value);
    mmm_value_clear(t->space, &one);
    return result;
}

/* ---- Where the overhead ratio turns --------------------------------------------------------------------------------
 */

/* As an exact condition: the slope is positive where s is below something. */
static mmm_status turn_exactly(mmm_chooser *t, const mmm_fraction *slope, mmm_sign *sign, bool *found)
{
    mmm_status result = MMM_OK;
    mmm_solution solution = {0};
    mmm_fraction zero, end;
    mmm_text text = {0};
    int inside = 1;
    *found = false;
    mmm_value_init(t->space, &zero);
    mmm_value_init(t->space, &end);
    TRY(mmm_solve(t->space, &t->region, slope, '>', t->s, MMM_TEXT, &solution));
    if (solution.kind != SOLUTION_BELOW) goto done;
    /* It is reached where the slope is no longer positive at the ends of the range. */
    TRY(mmm_text_add(&text, "%s", solution.text + solution.bound));
    for (int i = 0; i < t->top_count; i++) {
        bool known;
        int holds = -1;
        TRY(at_text(t, slope, t->tops[i], &end, &known));
        if (known) TRY(mmm_relation_holds(t->space, &t->region, &end, &zero, 'l', &holds));
        if (holds == 1) continue;
        if (known) TRY(mmm_relation_holds(t->space, &t->region, &end, &zero, '>', &holds));
        if (known && holds == 1) *sign = SIGN_POSITIVE; /* the range ends before */
        if (*sign == SIGN_POSITIVE) goto done;
        TRY(mmm_text_add(&text, ", %s", t->tops[i]));
        inside = 0;
    }
    TRY(mmm_set_text(&t->out->best, inside ? "%s = %s" : "%s = min(%s)", t->name, text.data));
    *found = true;
done:
    mmm_free(text.data);
    mmm_free(solution.text);
    mmm_value_clear(t->space, &zero);
    mmm_value_clear(t->space, &end);
    return result;
}

/* The larger of two numbers that the ratio has at whole s. */
static mmm_status better_whole(mmm_chooser *t, slong below, slong *out)
{
    mmm_status result = MMM_OK;
    mmm_fraction first, second;
    char text[32];
    bool known;
    int sign = 0;
    mmm_value_init(t->space, &first);
    mmm_value_init(t->space, &second);
    snprintf(text, sizeof text, "%ld", (long)below);
    TRY(at_text(t, &t->overhead, text, &first, &known));
    snprintf(text, sizeof text, "%ld", (long)below + 1);
    TRY(at_text(t, &t->overhead, text, &second, &known));
    TRY(mmm_value_subtract(t->space, &second, &second, &first));
    if (mmm_value_number(t->space, &second, NULL, &sign)) *out = sign > 0 ? below + 1 : below;
done:
    mmm_value_clear(t->space, &first);
    mmm_value_clear(t->space, &second);
    return result;
}

/* The end of the range as a number, where it is one. */
static mmm_status numeric_top(mmm_chooser *t, fmpq_t out, bool *known)
{
    mmm_status result = MMM_OK;
    mmm_fraction s, end;
    fmpq_t own;
    bool fine;
    fmpq_init(own);
    mmm_value_init(t->space, &s);
    mmm_value_init(t->space, &end);
    fmpz_mpoly_q_gen(&s, t->s, t->space->ctx);
    *known = false;
    for (int i = 0; i < t->top_count; i++) {
        TRY(at_text(t, &s, t->tops[i], &end, &fine));
        if (!fine || !fmpz_mpoly_q_is_fmpq(&end, t->space->ctx)) continue;
        fmpz_mpoly_get_fmpz(fmpq_numref(own), fmpz_mpoly_q_numref(&end), t->space->ctx);
        fmpz_mpoly_get_fmpz(fmpq_denref(own), fmpz_mpoly_q_denref(&end), t->space->ctx);
        if (!*known || fmpq_cmp(own, out) < 0) fmpq_set(out, own);
        *known = true;
    }
done:
    fmpq_clear(own);
    mmm_value_clear(t->space, &s);
    mmm_value_clear(t->space, &end);
    return result;
}

/* Whether the slope is negative from `high` on. */
static mmm_status falls_beyond(mmm_chooser *t, const mmm_fraction *slope, const fmpq_t high, bool *out)
{
    mmm_status result = MMM_OK;
    mmm_region *r = &t->region;
    mmm_sign sign = SIGN_UNKNOWN;
    TRY(mmm_grow(&r->differences, &r->room, r->count + 1, sizeof *r->differences));
    TRY(mmm_grow(&r->strict, &r->strict_room, r->count + 1, sizeof *r->strict));
    mmm_fraction *beyond = &r->differences[r->count];
    mmm_value_init(t->space, beyond);
    fmpz_mpoly_q_gen(beyond, t->s, t->space->ctx);
    fmpz_mpoly_q_sub_fmpq(beyond, beyond, high, t->space->ctx);
    r->strict[r->count++] = false;
    result = mmm_value_sign(t->space, r, slope, &sign);
    mmm_value_clear(t->space, &r->differences[--r->count]);
    *out = sign == SIGN_NEGATIVE;
done:
    return result;
}

/* As a number, where s is the only variable left.  Without an end to the range it looks up to FAR, and the slope must
 * be negative beyond. */
static mmm_status turn_numerically(mmm_chooser *t, const mmm_fraction *slope, slong *whole, mmm_sign *sign, bool *found)
{
    enum { FAR = 64 };
    mmm_status result = MMM_OK;
    mmm_turn turn = {0};
    fmpq_t low, high;
    char *digits = NULL;
    bool strict, ends, fine;
    *found = false;
    arb_init(turn.number);
    fmpq_init(low);
    fmpq_init(high);
    for (int i = 0; i < t->space->count; i++)
        if (i != t->s && t->space->atoms[i].kind == ATOM_VARIABLE && mmm_value_mentions(t->space, slope, i) &&
            strcmp(t->space->atoms[i].name, MMM_LN2) != 0)
            goto done;
    mmm_region_least(t->space, &t->region, t->s, low, &strict);
    if (fmpq_is_zero(low)) fmpq_set_si(low, 1, 1);
    TRY(numeric_top(t, high, &ends));
    if (!ends) fmpq_set_si(high, FAR, 1);
    if (fmpq_cmp(low, high) >= 0) goto done;
    TRY(mmm_turning_point(t->space, slope, t->s, low, high, &turn));
    if (ends && turn.sign) *sign = turn.sign > 0 ? SIGN_POSITIVE : SIGN_NEGATIVE;
    fine = ends;
    if (turn.found && !ends) TRY(falls_beyond(t, slope, high, &fine));
    if (!turn.found || !fine) goto done;
    digits = arb_get_str(turn.number, 15, ARB_STR_NO_RADIUS);
    *whole = (slong)arf_get_d(arb_midref(turn.number), ARF_RND_DOWN);
    TRY(better_whole(t, *whole, whole));
    TRY(mmm_set_text(&t->out->best, "%s = %s, of whole numbers %ld", t->name, digits, (long)*whole));
    *found = true;
done:
    flint_free(digits);
    arb_clear(turn.number);
    fmpq_clear(low);
    fmpq_clear(high);
    return result;
}

/* ---- The choice ---------------------------------------------------------------------------------------------------
 */

/* Where ln(2) lies, for slopes that have it in them. */
static mmm_status add_ln2(mmm_chooser *t)
{
    mmm_status result = MMM_OK;
    int atom = mmm_space_name(t->space, MMM_LN2);
    static const slong ends[2] = {6931, 6932};
    if (atom < 0) return MMM_OK;
    for (int i = 0; i < 2; i++) {
        mmm_region *r = &t->region;
        mmm_fraction number;
        TRY(mmm_grow(&r->differences, &r->room, r->count + 1, sizeof *r->differences));
        TRY(mmm_grow(&r->strict, &r->strict_room, r->count + 1, sizeof *r->strict));
        r->strict[r->count] = true;
        mmm_value_init(t->space, &r->differences[r->count]);
        mmm_value_init(t->space, &number);
        fmpz_mpoly_q_gen(&r->differences[r->count], atom, t->space->ctx);
        fmpz_mpoly_q_set_si(&number, ends[i], t->space->ctx);
        fmpz_mpoly_q_div_si(&number, &number, 10000, t->space->ctx);
        fmpz_mpoly_q_sub(&r->differences[r->count], &r->differences[r->count], &number, t->space->ctx);
        if (i) fmpz_mpoly_q_neg(&r->differences[r->count], &r->differences[r->count], t->space->ctx);
        mmm_value_clear(t->space, &number);
        r->count++;
    }
done:
    return result;
}

static mmm_status write_verdict(mmm_chooser *t, mmm_sign sign, bool turns, const char *condition)
{
    mmm_strategy *out = t->out;
    const char *name = t->name;
    bool always = t->always || strcmp(condition, "always") == 0;
    if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        return mmm_set_text(&out->verdict, "small %s: a larger %s does not lower the overhead", name, name);
    if (turns && out->confirmed == 1 && out->work_bounded != 0)
        return mmm_set_text(&out->verdict, "%s: beyond it the overhead grows again%s; Corollary 1 confirms it%s%s",
                            out->best, out->work_bounded == 1 ? ", the work stays within a constant factor" : "",
                            always ? "" : " when ", always ? "" : condition);
    if (turns)
        return mmm_set_text(&out->verdict, "%s for the overhead, which grows again beyond it; Corollary 1 %s",
                            out->best, out->confirmed == 0 ? "does not confirm it" : "does not decide it");
    if (sign == SIGN_POSITIVE && out->confirmed == 1 && out->work_bounded == 1)
        return mmm_set_text(
            &out->verdict,
            "large %s: the overhead falls as %s grows, the work stays within a constant factor, and Corollary 1 "
            "confirms it when %s",
            name, name, condition);
    if (sign == SIGN_POSITIVE && out->confirmed == 0)
        return mmm_set_text(
            &out->verdict,
            "small %s: the overhead falls as %s grows, but Corollary 1 does not confirm it: the running time "
            "estimate does not fall",
            name, name);
    return mmm_set_text(&out->verdict, "cannot be decided");
}

mmm_status mmm_choose_by_slope(mmm_chooser *t, bool *decided)
{
    mmm_status result = MMM_OK;
    mmm_strategy *out = t->out;
    mmm_fraction slope;
    mmm_sign sign;
    char *condition = NULL;
    bool turns = false;
    slong whole = 0;
    mmm_value_init(t->space, &slope);
    *decided = false;
    TRY(mmm_value_derivative(t->space, &slope, &t->overhead, t->s));
    TRY(add_ln2(t));
    TRY(mmm_value_sign(t->space, &t->region, &slope, &sign));
    bool mixed = sign == SIGN_UNKNOWN || sign == SIGN_MIXED;
    if (mixed) TRY(turn_exactly(t, &slope, &sign, &turns));
    if (mixed && !turns && sign != SIGN_POSITIVE) TRY(turn_numerically(t, &slope, &whole, &sign, &turns));
    if (sign == SIGN_POSITIVE)
        TRY(mmm_set_text(&out->best, "%s = %s, the largest", t->name, t->high ? t->high : "infinity"));
    if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        TRY(mmm_set_text(&out->best, "%s = %s, the smallest", t->name, t->low ? t->low : "0"));
    if (!out->best) goto done;
    *decided = true;
    TRY(judge_time(t, &condition));
    if (whole)
        TRY(confirm_at(t, whole, &condition));
    else
        TRY(judge_work(t, &t->work));
    TRY(write_verdict(t, sign, turns, condition));
done:
    mmm_free(condition);
    mmm_value_clear(t->space, &slope);
    return result;
}
