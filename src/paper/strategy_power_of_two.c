/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing s where the ratios have 2^s in them: s such that 2^s = Theta(l^e), as in section 4. */
#include "paper/strategy.h"

#include <stdlib.h>
#include <string.h>

/* The parameter that 2^s is to be compared with: the first that the ratio depends on and that can grow. */
static int companion(const mmm_chooser *t, const mmm_fraction *ratio)
{
    const mmm_formula *f = t->evaluator.formula;
    for (int64_t i = 0; i < f->parameter_count; i++) {
        int atom = mmm_space_name(t->space, f->parameters[i].name);
        if (!f->parameters[i].size && atom != t->s && mmm_value_mentions(t->space, ratio, atom)) return atom;
    }
    return -1;
}

/* ratio / log2(l)^logs at s = log2(k l^e), as l grows: 1 tends to a positive number, 0 to zero, -1 anything else. */
static mmm_status along(mmm_chooser *t, const mmm_fraction *ratio, int l, int exponent, int logs, int *out)
{
    mmm_status result = MMM_OK;
    mmm_scope scope = {0};
    mmm_fraction value, log;
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
    mmm_fraction constant;
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
static mmm_status judge_power_time(mmm_chooser *t, int l, char **condition)
{
    mmm_status result = MMM_OK;
    mmm_scope scope = {0};
    mmm_fraction log, value, one;
    mmm_limit_kind kind;
    mmm_solution solution = {0};
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
    TRY(mmm_solve(t->space, &t->region, &value, '>', u, MMM_TEXT, &solution));
    if (solution.kind == SOLUTION_DOUBT) goto done;
    bool above = solution.kind == SOLUTION_ABOVE;
    t->out->confirmed = above || solution.kind == SOLUTION_ALWAYS;
    TRY(mmm_set_text(condition, above ? "U > %s*log2(%s)" : "%s (%s)",
                     above ? solution.text + solution.bound : solution.text, t->space->atoms[l].name));
done:
    mmm_free(solution.text);
    mmm_scope_free(t->space, &scope);
    mmm_value_clear(t->space, &log);
    mmm_value_clear(t->space, &value);
    mmm_value_clear(t->space, &one);
    return result;
}

mmm_status mmm_choose_by_power(mmm_chooser *t)
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
        TRY(mmm_set_text(&out->best, "cannot be decided"));
        TRY(mmm_set_text(&out->verdict, "cannot be decided"));
        goto done;
    }
    const char *name = t->space->atoms[l].name;
    char power[64];
    snprintf(power, sizeof power, best == 1 ? "%s" : "%s^%d", name, best);
    out->work_bounded = 1;
    TRY(judge_power_time(t, l, &condition));
    TRY(mmm_set_text(&out->best, "2^%s = Theta(%s): beyond it the overhead does not fall by a factor of %s", t->name,
                     power, t->name));
    if (out->confirmed == 1)
        TRY(mmm_set_text(
            &out->verdict,
            "2^%s = Theta(%s): the overhead falls by a factor of %s, the work stays within a constant factor, and "
            "Corollary 1 confirms it when %s (for 2^%s = %s)",
            t->name, power, t->name, condition ? condition : "always", t->name, power));
    else
        TRY(mmm_set_text(&out->verdict, "2^%s = Theta(%s) for the overhead; Corollary 1 %s", t->name, power,
                         out->confirmed == 0 ? "does not confirm it" : "does not decide it"));
done:
    mmm_free(condition);
    return result;
}
