/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's strategy (introduction): with W(s0)/W(s) in Theta(1), take the s that maximises O(s0)/O(s), and let
 * Corollary 1 say whether it pays. */
#include "formula/formula.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct strategy {
    mmm_evaluator evaluator;
    mmm_space *space;
    mmm_scope scope;
    mmm_region region;
    const char *name; /* of the parameter */
    int s;
    mmm_value work, overhead, time; /* naive divided by chosen */
    bool lost;                      /* a ratio has no finite limit as the sizes grow */
    int leader; /* the size that grows, -1: none; and those that were put equal to it */
    bool equal[MMM_ATOMS];
    char *low, *high; /* the ends of the range, as text; NULL: open */
    mmm_strategy *out;
} strategy;

static mmm_status print(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static mmm_status print(char **out, const char *format, ...)
{
    char buffer[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    free(*out);
    *out = mmm_copy_string(buffer);
    return *out ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for a strategy");
}

/* ---- The range ---------------------------------------------------------------------------------------------------- */

/* Adds an end; of several upper ends the least counts. */
static mmm_status add_end(char **end, const char *text, const char *several)
{
    char old[400];
    if (!*end) return print(end, "%s", text);
    snprintf(old, sizeof old, "%s", *end);
    size_t length = strlen(several);
    if (strncmp(old, several, length) == 0 && old[strlen(old) - 1] == ')') {
        old[strlen(old) - 1] = 0;
        return print(end, "%s, %s)", old, text);
    }
    return print(end, "%s%s, %s)", several, old, text);
}

static mmm_status find_range(strategy *t)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    for (int64_t i = 0; i < t->region.count; i++) {
        const mmm_value *difference = &t->region.differences[i];
        mmm_region rest = t->region;
        bool known;
        if (!mmm_value_mentions(t->space, difference, t->s)) continue;
        TRY(mmm_solve(t->space, &rest, difference, t->region.strict[i] ? '>' : 'g', t->s, MMM_TEXT, &text, &known));
        size_t length = strlen(t->name);
        if (known && strncmp(text, t->name, length) == 0 && !strstr(text, " or ")) {
            const char *relation = text + length + 1, *end = strchr(relation, ' ') + 1;
            if (*relation == '>') TRY(add_end(&t->low, end, "max("));
            if (*relation == '<') TRY(add_end(&t->high, end, "min("));
        }
        free(text);
        text = NULL;
    }
    if (t->low && t->high)
        TRY(print(&t->out->range, "%s <= %s <= %s", t->low, t->name, t->high));
    else if (t->high)
        TRY(print(&t->out->range, "%s <= %s", t->name, t->high));
    else
        TRY(print(&t->out->range, "%s >= %s", t->name, t->low ? t->low : "0"));
done:
    free(text);
    return result;
}

/* ---- Ratios ------------------------------------------------------------------------------------------------------- */

/* A ratio for large inputs: all sizes equal, then growing. */
static mmm_status large_input(strategy *t, mmm_value *ratio)
{
    mmm_status result = MMM_OK;
    const mmm_formula *f = t->evaluator.formula;
    mmm_scope equal = {0};
    mmm_value first;
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

static mmm_status write_assumptions(strategy *t)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    for (int i = 0; i < t->space->count; i++)
        if (t->equal[i])
            TRY(mmm_text_add(&text, "%s = %s, ", t->space->atoms[i].name, t->space->atoms[t->leader].name));
    if (t->leader >= 0) TRY(mmm_text_add(&text, "%s grows", t->space->atoms[t->leader].name));
    TRY(print(&t->out->assumptions, "%s", text.used ? text.data : "none"));
done:
    free(text.data);
    return result;
}

static mmm_status find_ratio(strategy *t, const char *quotient, mmm_value *out, char **text)
{
    mmm_status result = MMM_OK;
    TRY(mmm_evaluate_text(&t->evaluator, quotient, &t->scope, out));
    TRY(large_input(t, out));
    TRY(mmm_value_print(t->space, out, MMM_TEXT, text));
done:
    return result;
}

/* ---- Ratios that are quotients of polynomials in s ----------------------------------------------------------------- */

static mmm_status judge_work(strategy *t)
{
    mmm_status result = MMM_OK;
    mmm_value limit;
    mmm_limit_kind kind;
    mmm_sign sign;
    mmm_value_init(t->space, &limit);
    TRY(mmm_value_limit(t->space, &t->region, &t->work, t->s, &limit, &kind));
    t->out->work_bounded = -1;
    if (kind == LIMIT_PLUS || kind == LIMIT_MINUS) t->out->work_bounded = 0;
    if (kind == LIMIT_FINITE) {
        TRY(mmm_value_sign(t->space, &t->region, &limit, &sign));
        if (sign == SIGN_POSITIVE) t->out->work_bounded = 1;
        if (sign == SIGN_ZERO) t->out->work_bounded = 0;
    }
done:
    mmm_value_clear(t->space, &limit);
    return result;
}

/* Whether T(s0)/T(s) exceeds 1 for large s; the condition goes to *text. */
static mmm_status judge_time(strategy *t, char **text)
{
    mmm_status result = MMM_OK;
    mmm_value one;
    bool known;
    int holds;
    char *solution = NULL;
    mmm_value_init(t->space, &one);
    fmpz_mpoly_q_one(&one, t->space->ctx);
    t->out->confirmed = -1;
    TRY(mmm_relation_holds(t->space, &t->region, &t->time, &one, 'l', &holds));
    if (holds == 1) {
        t->out->confirmed = 0;
        TRY(print(text, "never"));
        goto done;
    }
    TRY(mmm_value_subtract(t->space, &one, &t->time, &one));
    TRY(mmm_solve(t->space, &t->region, &one, '>', t->s, MMM_TEXT, &solution, &known));
    size_t length = strlen(t->name);
    if (known && strcmp(solution, "always") == 0) t->out->confirmed = 1;
    if (known && strcmp(solution, "never") == 0) t->out->confirmed = 0;
    if (known && strncmp(solution, t->name, length) == 0 && !strstr(solution, " or "))
        t->out->confirmed = solution[length + 1] == '>';
    TRY(print(text, "%s", solution));
done:
    free(solution);
    mmm_value_clear(t->space, &one);
    return result;
}

static mmm_status choose_by_slope(strategy *t)
{
    mmm_status result = MMM_OK;
    mmm_strategy *out = t->out;
    mmm_value slope;
    mmm_sign sign;
    char *condition = NULL;
    const char *high = t->high ? t->high : "infinity", *low = t->low ? t->low : "0";
    mmm_value_init(t->space, &slope);
    TRY(judge_work(t));
    TRY(mmm_value_derivative(t->space, &slope, &t->overhead, t->s));
    TRY(mmm_value_sign(t->space, &t->region, &slope, &sign));
    TRY(judge_time(t, &condition));
    if (sign == SIGN_POSITIVE)
        TRY(print(&out->best, "%s = %s, the largest", t->name, high));
    else if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        TRY(print(&out->best, "%s = %s, the smallest", t->name, low));
    else
        TRY(print(&out->best, "cannot be decided"));
    if (sign == SIGN_NEGATIVE || sign == SIGN_ZERO)
        TRY(print(&out->verdict, "small %s: a larger %s does not lower the overhead", t->name, t->name));
    else if (sign == SIGN_POSITIVE && out->confirmed == 1 && out->work_bounded == 1)
        TRY(print(&out->verdict,
                  "large %s: the overhead falls as %s grows, the work stays within a constant factor, and Corollary 1 "
                  "confirms it when %s",
                  t->name, t->name, condition));
    else if (sign == SIGN_POSITIVE && out->confirmed == 0)
        TRY(print(&out->verdict,
                  "small %s: the overhead falls as %s grows, but Corollary 1 does not confirm it: the running time "
                  "estimate grows",
                  t->name, t->name));
    else
        TRY(print(&out->verdict, "cannot be decided"));
done:
    free(condition);
    mmm_value_clear(t->space, &slope);
    return result;
}

/* ---- Ratios with 2^s: s such that 2^s = Theta(l^e) ------------------------------------------------------------------ */

/* The parameter that 2^s is to be compared with: the first that the ratio depends on and that can grow. */
static int companion(const strategy *t, const mmm_value *ratio)
{
    const mmm_formula *f = t->evaluator.formula;
    for (int64_t i = 0; i < f->parameter_count; i++) {
        int atom = mmm_space_name(t->space, f->parameters[i].name);
        if (!f->parameters[i].size && atom != t->s && mmm_value_mentions(t->space, ratio, atom)) return atom;
    }
    return -1;
}

/* ratio / log2(l)^logs at s = log2(k l^e), as l grows: 1 tends to a positive number, 0 to zero, -1 anything else. */
static mmm_status along(strategy *t, const mmm_value *ratio, int l, int exponent, int logs, int *out)
{
    mmm_status result = MMM_OK;
    mmm_scope scope = {0};
    mmm_value value, log;
    mmm_limit_kind kind;
    mmm_sign sign;
    int k;
    *out = -1;
    mmm_value_init(t->space, &value);
    mmm_value_init(t->space, &log);
    TRY(mmm_space_variable(t->space, "k", &k));
    fmpz_mpoly_q_gen(&value, l, t->space->ctx);
    TRY(mmm_value_log2(t->space, &log, &value));
    TRY(mmm_value_raise(t->space, &log, &log, logs));
    TRY(mmm_value_raise(t->space, &value, &value, exponent));
    mmm_value constant;
    mmm_value_init(t->space, &constant);
    fmpz_mpoly_q_gen(&constant, k, t->space->ctx);
    result = mmm_value_multiply(t->space, &value, &value, &constant);
    mmm_value_clear(t->space, &constant);
    if (result == MMM_OK) result = mmm_value_log2(t->space, &value, &value);
    if (result == MMM_OK) result = mmm_scope_add(t->space, &scope, t->name, &value);
    if (result != MMM_OK) goto done;
    TRY(mmm_value_substitute(t->space, &value, ratio, &scope));
    TRY(mmm_value_divide(t->space, &value, &value, &log));
    TRY(mmm_value_limit(t->space, &t->region, &value, l, &value, &kind));
    if (kind != LIMIT_FINITE) goto done;
    TRY(mmm_value_sign(t->space, &t->region, &value, &sign));
    *out = sign == SIGN_POSITIVE ? 1 : sign == SIGN_ZERO ? 0 : -1;
done:
    mmm_scope_free(t->space, &scope);
    mmm_value_clear(t->space, &value);
    mmm_value_clear(t->space, &log);
    return result;
}

/* Corollary 1 at s = log2(l), where U grows as log2(l): the least U/log2(l) from which on the ratio exceeds 1. */
static mmm_status judge_power_time(strategy *t, int l, char **condition)
{
    mmm_status result = MMM_OK;
    mmm_scope scope = {0};
    mmm_value log, value, one;
    mmm_limit_kind kind;
    bool known = false;
    char *solution = NULL;
    int u, U = mmm_space_name(t->space, "U");
    t->out->confirmed = -1;
    mmm_value_init(t->space, &log);
    mmm_value_init(t->space, &value);
    mmm_value_init(t->space, &one);
    fmpz_mpoly_q_one(&one, t->space->ctx);
    TRY(mmm_space_variable(t->space, "u", &u));
    fmpz_mpoly_q_gen(&log, l, t->space->ctx);
    TRY(mmm_value_log2(t->space, &log, &log));
    TRY(mmm_scope_add(t->space, &scope, t->name, &log));
    fmpz_mpoly_q_gen(&value, u, t->space->ctx);
    TRY(mmm_value_multiply(t->space, &value, &value, &log));
    if (mmm_value_mentions(t->space, &t->time, U)) TRY(mmm_scope_add(t->space, &scope, "U", &value));
    TRY(mmm_value_substitute(t->space, &value, &t->time, &scope));
    TRY(mmm_value_limit(t->space, &t->region, &value, l, &value, &kind));
    if (kind == LIMIT_PLUS) t->out->confirmed = 1;
    if (kind != LIMIT_FINITE) goto done;
    TRY(mmm_value_subtract(t->space, &value, &value, &one));
    TRY(mmm_solve(t->space, &t->region, &value, '>', u, MMM_TEXT, &solution, &known));
    if (!known) goto done;
    t->out->confirmed = strncmp(solution, "u > ", 4) == 0 || strcmp(solution, "always") == 0;
    TRY(print(condition, strncmp(solution, "u > ", 4) == 0 ? "U > %s*log2(%s)" : "%s (%s)",
              strncmp(solution, "u > ", 4) == 0 ? solution + 4 : solution, t->space->atoms[l].name));
done:
    free(solution);
    mmm_scope_free(t->space, &scope);
    mmm_value_clear(t->space, &log);
    mmm_value_clear(t->space, &value);
    mmm_value_clear(t->space, &one);
    return result;
}

static mmm_status choose_by_power(strategy *t)
{
    mmm_status result = MMM_OK;
    mmm_strategy *out = t->out;
    int l = companion(t, &t->overhead), best = 0;
    char *condition = NULL;
    out->work_bounded = -1;
    /* 2^s = Theta(l^e) is good while the work keeps its order and the overhead falls by a factor of s. */
    for (int e = 1; e <= 3 && l >= 0; e++) {
        int work, overhead;
        TRY(along(t, &t->work, l, e, 0, &work));
        TRY(along(t, &t->overhead, l, e, 1, &overhead));
        if (work == 1 && overhead == 1) best = e;
        if (work != 1 || overhead != 1) break;
    }
    if (best == 0 || best == 3) {
        TRY(print(&out->best, "cannot be decided"));
        TRY(print(&out->verdict, "cannot be decided"));
        goto done;
    }
    const char *name = t->space->atoms[l].name;
    char power[64];
    snprintf(power, sizeof power, best == 1 ? "%s" : "%s^%d", name, best);
    out->work_bounded = 1;
    TRY(judge_power_time(t, l, &condition));
    TRY(print(&out->best, "2^%s = Theta(%s): beyond it the overhead does not fall by a factor of %s", t->name, power,
              t->name));
    if (out->confirmed == 1)
        TRY(print(&out->verdict,
                  "2^%s = Theta(%s): the overhead falls by a factor of %s, the work stays within a constant factor, and "
                  "Corollary 1 confirms it when %s (for 2^%s = %s)",
                  t->name, power, t->name, condition ? condition : "always", t->name, power));
    else
        TRY(print(&out->verdict, "2^%s = Theta(%s) for the overhead; Corollary 1 %s", t->name, power,
                  out->confirmed == 0 ? "does not confirm it" : "does not decide it"));
done:
    free(condition);
    return result;
}

/* ------------------------------------------------------------------------------------------------------------------- */

static mmm_status optimize(strategy *t, const char *parameter, const char *set)
{
    mmm_status result = MMM_OK;
    const mmm_formula *f = t->evaluator.formula;
    t->name = parameter ? parameter : f->program;
    if (!t->name) FAIL(MMM_INVALID, "%s names no parameter to choose; give one with --param", f->title);
    TRY(mmm_check_parameter(f, t->name));
    if (!f->program || strcmp(t->name, f->program) != 0)
        FAIL(MMM_INVALID, "'%s' is not the parameter to choose; accepted is %s", t->name, f->program ? f->program : "none");
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
    TRY(print(&t->out->parameter, "%s", t->name));
    TRY(find_range(t));
    TRY(find_ratio(t, "W1/W", &t->work, &t->out->work));
    TRY(find_ratio(t, "O1/O", &t->overhead, &t->out->overhead));
    TRY(find_ratio(t, "T1/T", &t->time, &t->out->time));
    TRY(write_assumptions(t));
    int power = mmm_space_find(t->space, ATOM_POWER, t->s), log = mmm_space_find(t->space, ATOM_LOG, t->s);
    if (t->lost || (log >= 0 && mmm_value_uses(t->space, &t->overhead, log))) {
        t->out->work_bounded = t->out->confirmed = -1;
        TRY(print(&t->out->best, "cannot be decided"));
        TRY(print(&t->out->verdict, "cannot be decided"));
    } else if (power >= 0 && mmm_value_uses(t->space, &t->overhead, power)) {
        TRY(choose_by_power(t));
    } else {
        TRY(choose_by_slope(t));
    }
done:
    return result;
}

mmm_status mmm_formula_optimize(const mmm_formula *formula, const char *parameter, const char *set, mmm_strategy *out)
{
    mmm_strategy strategy_out = {0};
    strategy t = {.evaluator = {.formula = formula}, .out = &strategy_out, .leader = -1};
    mmm_place_clear();
    mmm_status result = optimize(&t, parameter, set);
    if (t.space) {
        mmm_region_free(t.space, &t.region);
        mmm_scope_free(t.space, &t.scope);
        mmm_value_clear(t.space, &t.work);
        mmm_value_clear(t.space, &t.overhead);
        mmm_value_clear(t.space, &t.time);
        mmm_space_free(t.space);
    }
    free(t.low);
    free(t.high);
    if (result == MMM_OK)
        *out = strategy_out;
    else
        mmm_strategy_clear(&strategy_out);
    return result;
}

void mmm_strategy_clear(mmm_strategy *s)
{
    free(s->parameter), free(s->range), free(s->work), free(s->overhead), free(s->best), free(s->time);
    free(s->assumptions), free(s->verdict);
    memset(s, 0, sizeof *s);
}
