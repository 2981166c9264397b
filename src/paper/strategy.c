/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's strategy (introduction): with W(s0)/W(s) in Theta(1), take the s that maximises O(s0)/O(s), and let
 * Corollary 1 say whether it pays. */
#include "paper/strategy.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

mmm_status mmm_set_text(char **out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    mmm_free(*out);
    *out = NULL;
    mmm_status result = mmm_alloc(out, length + 1, 1);
    if (result != MMM_OK) return result;
    va_start(arguments, format);
    vsnprintf(*out, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return MMM_OK;
}

/* ---- The range ----------------------------------------------------------------------------------------------------
 */

/* Adds an end: min(a, b) of several. */
static mmm_status add_end(char **end, const char *text, const char *several)
{
    if (!*end) return mmm_set_text(end, "%s", text);
    char *old = *end;
    size_t open = strlen(several), length = strlen(old);
    bool list = strncmp(old, several, open) == 0;
    *end = NULL;
    mmm_status result = mmm_set_text(end, "%s%.*s, %s)", several, (int)(list ? length - open - 1 : length),
                                     list ? old + open : old, text);
    mmm_free(old);
    return result;
}

static mmm_status find_range(mmm_chooser *t)
{
    mmm_status result = MMM_OK;
    mmm_solution solution = {0};
    for (int64_t i = 0; i < t->region.count; i++) {
        const mmm_fraction *difference = &t->region.differences[i];
        mmm_region rest = t->region;
        if (!mmm_value_mentions(t->space, difference, t->s)) continue;
        TRY(mmm_solve(t->space, &rest, difference, t->region.strict[i] ? '>' : 'g', t->s, MMM_TEXT, &solution));
        if (solution.kind == SOLUTION_ABOVE) TRY(add_end(&t->low, solution.text + solution.bound, "max("));
        if (solution.kind == SOLUTION_BELOW) TRY(add_end(&t->high, solution.text + solution.bound, "min("));
        mmm_free(solution.text);
        solution.text = NULL;
    }
    if (t->low && t->high)
        TRY(mmm_set_text(&t->out->range, "%s <= %s <= %s", t->low, t->name, t->high));
    else if (t->high)
        TRY(mmm_set_text(&t->out->range, "%s <= %s", t->name, t->high));
    else
        TRY(mmm_set_text(&t->out->range, "%s >= %s", t->name, t->low ? t->low : "0"));
done:
    mmm_free(solution.text);
    return result;
}

/* ---- Ratios -------------------------------------------------------------------------------------------------------
 */

/* A ratio for large inputs: all sizes equal, then growing. */
static mmm_status large_input(mmm_chooser *t, mmm_fraction *ratio)
{
    mmm_status result = MMM_OK;
    const mmm_formula *f = t->evaluator.formula;
    mmm_scope equal = {0};
    mmm_fraction first;
    mmm_limit_kind kind;
    int leader = -1;
    bool mentioned = false;
    mmm_value_init(t->space, &first);
    for (int64_t i = 0; i < f->parameter_count; i++) {
        if (!f->parameters[i].size) continue;
        int atom = mmm_space_name(t->space, f->parameters[i].name);
        bool own = mmm_value_mentions(t->space, ratio, atom);
        mentioned = mentioned || own;
        if (leader < 0) {
            leader = atom;
            fmpz_mpoly_q_gen(&first, atom, t->space->ctx);
        } else if (own) {
            TRY(mmm_scope_add(t->space, &equal, f->parameters[i].name, &first));
            t->equal[atom] = true;
        }
    }
    if (!mentioned) goto done;
    t->leader = leader;
    TRY(mmm_value_substitute(t->space, ratio, ratio, &equal));
    TRY(mmm_value_limit(t->space, &t->region, ratio, leader, ratio, &kind));
    if (kind != LIMIT_FINITE) t->lost = true;
done:
    mmm_scope_free(t->space, &equal);
    mmm_value_clear(t->space, &first);
    return result;
}

static mmm_status write_assumptions(mmm_chooser *t)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    for (int i = 0; i < t->space->count; i++)
        if (t->equal[i])
            TRY(mmm_text_add(&text, "%s = %s, ", t->space->atoms[i].name, t->space->atoms[t->leader].name));
    if (t->leader >= 0) TRY(mmm_text_add(&text, "%s grows", t->space->atoms[t->leader].name));
    TRY(mmm_set_text(&t->out->assumptions, "%s", text.used ? text.data : "none"));
done:
    mmm_free(text.data);
    return result;
}

static mmm_status find_ratio(mmm_chooser *t, const char *quotient, mmm_fraction *out, char **text)
{
    mmm_status result = MMM_OK;
    TRY(mmm_evaluate_text(&t->evaluator, quotient, &t->scope, out));
    TRY(large_input(t, out));
    TRY(mmm_value_print(t->space, out, MMM_TEXT, text));
done:
    return result;
}

/* ---- Ratios that are quotients of polynomials in s -----------------------------------------------------------------
 */

static mmm_status judge_work(mmm_chooser *t)
{
    mmm_status result = MMM_OK;
    const mmm_formula *f = t->evaluator.formula;
    mmm_fraction limit;
    mmm_limit_kind kind;
    mmm_sign sign;
    mmm_value_init(t->space, &limit);
    TRY(mmm_value_limit(t->space, &t->region, &t->work, t->s, &limit, &kind));
    t->out->work_bounded = -1;
    /* With numbers for the sizes the range of s ends before any limit: then only a positive limit says something. */
    bool sizes_set = false;
    for (int64_t i = 0; i < f->parameter_count; i++)
        for (int j = 0; j < t->scope.count; j++)
            if (f->parameters[i].size && strcmp(f->parameters[i].name, t->scope.names[j]) == 0) sizes_set = true;
    if ((kind == LIMIT_PLUS || kind == LIMIT_MINUS) && !sizes_set) t->out->work_bounded = 0;
    if (kind == LIMIT_FINITE) {
        TRY(mmm_value_sign(t->space, &t->region, &limit, &sign));
        if (sign == SIGN_POSITIVE) t->out->work_bounded = 1;
        if (sign == SIGN_ZERO && !sizes_set) t->out->work_bounded = 0;
    }
done:
    mmm_value_clear(t->space, &limit);
    return result;
}

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
    TRY(mmm_relation_holds(t->space, &t->region, &t->time, &one, 'l', &holds));
    if (holds == 1) {
        t->out->confirmed = 0;
        TRY(mmm_set_text(text, "never"));
        goto done;
    }
    TRY(mmm_value_subtract(t->space, &one, &t->time, &one));
    TRY(mmm_solve(t->space, &t->region, &one, '>', t->s, MMM_TEXT, &solution));
    if (solution.kind == SOLUTION_ALWAYS || solution.kind == SOLUTION_ABOVE) t->out->confirmed = 1;
    if (solution.kind == SOLUTION_NEVER || solution.kind == SOLUTION_BELOW) t->out->confirmed = 0;
    TRY(mmm_set_text(text, "%s", solution.text));
done:
    mmm_free(solution.text);
    mmm_value_clear(t->space, &one);
    return result;
}

static mmm_status choose_by_slope(mmm_chooser *t)
{
    mmm_status result = MMM_OK;
    mmm_strategy *out = t->out;
    mmm_fraction slope;
    mmm_sign sign;
    char *condition = NULL;
    const char *high = t->high ? t->high : "infinity", *low = t->low ? t->low : "0";
    mmm_value_init(t->space, &slope);
    TRY(judge_work(t));
    TRY(mmm_value_derivative(t->space, &slope, &t->overhead, t->s));
    TRY(mmm_value_sign(t->space, &t->region, &slope, &sign));
    TRY(judge_time(t, &condition));
    if (sign == SIGN_POSITIVE)
        TRY(mmm_set_text(&out->best, "%s = %s, the largest", t->name, high));
    else if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        TRY(mmm_set_text(&out->best, "%s = %s, the smallest", t->name, low));
    else
        TRY(mmm_set_text(&out->best, "cannot be decided"));
    if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        TRY(mmm_set_text(&out->verdict, "small %s: a larger %s does not lower the overhead", t->name, t->name));
    else if (sign == SIGN_POSITIVE && out->confirmed == 1 && out->work_bounded == 1)
        TRY(mmm_set_text(
            &out->verdict,
            "large %s: the overhead falls as %s grows, the work stays within a constant factor, and Corollary 1 "
            "confirms it when %s",
            t->name, t->name, condition));
    else if (sign == SIGN_POSITIVE && out->confirmed == 0)
        TRY(mmm_set_text(
            &out->verdict,
            "small %s: the overhead falls as %s grows, but Corollary 1 does not confirm it: the running time "
            "estimate grows",
            t->name, t->name));
    else
        TRY(mmm_set_text(&out->verdict, "cannot be decided"));
done:
    mmm_free(condition);
    mmm_value_clear(t->space, &slope);
    return result;
}

/* -------------------------------------------------------------------------------------------------------------------
 */

static mmm_status optimize(mmm_chooser *t, const char *parameter, const char *set)
{
    mmm_status result = MMM_OK;
    const mmm_formula *f = t->evaluator.formula;
    t->name = parameter ? parameter : f->program;
    if (!t->name) FAIL(MMM_INVALID, "%s names no parameter to choose; give one with --param", f->title);
    TRY(mmm_check_parameter(f, t->name));
    if (!f->program || strcmp(t->name, f->program) != 0)
        FAIL(MMM_INVALID, "'%s' is not the parameter to choose; accepted is %s", t->name,
             f->program ? f->program : "none");
    TRY(mmm_formula_space(f, &t->space));
    t->evaluator.space = t->space;
    mmm_value_init(t->space, &t->work);
    mmm_value_init(t->space, &t->overhead);
    mmm_value_init(t->space, &t->time);
    t->s = mmm_space_name(t->space, t->name);
    TRY(mmm_scope_set(&t->evaluator, &t->scope, set));
    for (int i = 0; i < t->scope.count; i++)
        if (strcmp(t->scope.names[i], t->name) == 0) FAIL(MMM_INVALID, "'%s' is set, and cannot be chosen", t->name);
    TRY(mmm_region_formula(&t->evaluator, &t->region, &t->scope, NULL));
    TRY(mmm_set_text(&t->out->parameter, "%s", t->name));
    TRY(find_range(t));
    TRY(find_ratio(t, "W1/W", &t->work, &t->out->work));
    TRY(find_ratio(t, "O1/O", &t->overhead, &t->out->overhead));
    TRY(find_ratio(t, "T1/T", &t->time, &t->out->time));
    TRY(write_assumptions(t));
    int power = mmm_space_find(t->space, ATOM_POWER, t->s), log = mmm_space_find(t->space, ATOM_LOG, t->s);
    if (t->lost || (log >= 0 && mmm_value_uses(t->space, &t->overhead, log))) {
        t->out->work_bounded = t->out->confirmed = -1;
        TRY(mmm_set_text(&t->out->best, "cannot be decided"));
        TRY(mmm_set_text(&t->out->verdict, "cannot be decided"));
    } else if (power >= 0 && mmm_value_uses(t->space, &t->overhead, power)) {
        TRY(mmm_choose_by_power(t));
    } else {
        TRY(choose_by_slope(t));
    }
done:
    return result;
}

typedef struct wanted {
    const mmm_formula *formula;
    const char *parameter, *set;
    mmm_strategy *out;
} wanted;

static mmm_status optimize_guarded(void *context)
{
    const wanted *w = context;
    mmm_strategy strategy_out = {0};
    mmm_chooser t = {.evaluator = {.formula = w->formula}, .out = &strategy_out, .leader = -1};
    mmm_place_clear();
    mmm_status result = optimize(&t, w->parameter, w->set);
    if (t.space) {
        mmm_region_free(t.space, &t.region);
        mmm_scope_free(t.space, &t.scope);
        mmm_value_clear(t.space, &t.work);
        mmm_value_clear(t.space, &t.overhead);
        mmm_value_clear(t.space, &t.time);
        mmm_space_free(t.space);
    }
    mmm_free(t.low);
    mmm_free(t.high);
    if (result == MMM_OK)
        *w->out = strategy_out;
    else
        mmm_strategy_clear(&strategy_out);
    return result;
}

mmm_status mmm_formula_optimize(const mmm_formula *formula, const char *parameter, const char *set, mmm_strategy *out)
{
    NEED(formula, "the formula");
    NEED(out, "the place for the strategy");
    return mmm_guarded(optimize_guarded, &(wanted){formula, parameter, set, out});
}

void mmm_strategy_clear(mmm_strategy *s)
{
    if (!s) return;
    mmm_free(s->parameter), mmm_free(s->range), mmm_free(s->work), mmm_free(s->overhead), mmm_free(s->best),
        mmm_free(s->time);
    mmm_free(s->assumptions), mmm_free(s->verdict);
    memset(s, 0, sizeof *s);
}
