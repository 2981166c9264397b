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

static bool mentions_size(const mmm_chooser *t, const mmm_fraction *value)
{
    const mmm_formula *f = t->evaluator.formula;
    for (int64_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].size &&
            mmm_value_mentions(t->space, value, mmm_space_name(t->space, f->parameters[i].name)))
            return true;
    return false;
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
        if (solution.kind == SOLUTION_BELOW) {
            TRY(add_end(&t->high, solution.text + solution.bound, "min("));
            if (t->top_count < MMM_BINDINGS)
                TRY(mmm_set_text(&t->tops[t->top_count++], "%s", solution.text + solution.bound));
            t->fixed = t->fixed || !mentions_size(t, difference);
        }
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

/* A ratio for large inputs: all sizes equal, then growing.  Where s may grow with them, that limit would be another
 * function, so that the ratio stays as it is. */
static mmm_status large_input(mmm_chooser *t, mmm_fraction *ratio, bool *lost)
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
        } else if (own && t->fixed) {
            TRY(mmm_scope_add(t->space, &equal, f->parameters[i].name, &first));
            t->equal[atom] = true;
        }
    }
    if (!mentioned || !t->fixed) goto done;
    t->leader = leader;
    TRY(mmm_value_substitute(t->space, ratio, ratio, &equal));
    TRY(mmm_value_limit(t->space, &t->region, ratio, leader, ratio, &kind));
    *lost = kind != LIMIT_FINITE;
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

static mmm_status find_ratio(mmm_chooser *t, const char *quotient, mmm_fraction *out, char **text, bool *lost)
{
    mmm_status result = MMM_OK;
    fmpz_mpoly_q_one(out, t->space->ctx);
    if (fmpz_mpoly_q_is_zero(&t->nothing, t->space->ctx) && quotient[0] == 'W')
        return mmm_set_text(text, "W = 0: nothing is computed");
    TRY(mmm_evaluate_text(&t->evaluator, quotient, &t->scope, out));
    TRY(large_input(t, out, lost));
    TRY(mmm_value_print(t->space, out, MMM_TEXT, text));
done:
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
    mmm_value_init(t->space, &t->nothing);
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
    TRY(mmm_evaluate_text(&t->evaluator, "W", &t->scope, &t->nothing));
    TRY(find_ratio(t, "W1/W", &t->work, &t->out->work, &t->lost_work));
    TRY(find_ratio(t, "O1/O", &t->overhead, &t->out->overhead, &t->lost));
    TRY(find_ratio(t, "T1/T", &t->time, &t->out->time, &t->lost_time));
    TRY(write_assumptions(t));
    int power = mmm_space_find(t->space, ATOM_POWER, t->s);
    bool decided = false;
    if (!t->lost) TRY(mmm_choose_by_slope(t, &decided));
    if (!decided && !t->lost && power >= 0 && mmm_value_uses(t->space, &t->overhead, power)) {
        TRY(mmm_choose_by_power(t));
    } else if (!decided) {
        t->out->work_bounded = t->out->confirmed = -1;
        TRY(mmm_set_text(&t->out->best, "cannot be decided"));
        TRY(mmm_set_text(&t->out->verdict, "cannot be decided"));
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
        mmm_value_clear(t.space, &t.nothing);
        mmm_value_clear(t.space, &t.work);
        mmm_value_clear(t.space, &t.overhead);
        mmm_value_clear(t.space, &t.time);
        mmm_space_free(t.space);
    }
    while (t.top_count)
        mmm_free(t.tops[--t.top_count]);
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
