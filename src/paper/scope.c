/* SPDX-License-Identifier: Apache-2.0 */
/* What names stand for: substitutions such as "l=Z/2, s=Z/7", and expressions given as text. */
#include "paper/paper.h"

#include <string.h>

void mmm_scope_free(mmm_space *space, mmm_scope *scope)
{
    for (int i = 0; i < scope->count; i++)
        mmm_value_clear(space, &scope->values[i]);
    scope->count = 0;
}

mmm_status mmm_scope_add(mmm_space *space, mmm_scope *scope, const char *name, const mmm_fraction *value)
{
    for (int i = 0; i < scope->count; i++)
        if (strcmp(scope->names[i], name) == 0) return mmm_fail(MMM_INVALID, "'%s' is set twice", name);
    if (scope->count == MMM_BINDINGS) return mmm_fail(MMM_INVALID, "more than %d substitutions", MMM_BINDINGS);
    snprintf(scope->names[scope->count], sizeof scope->names[0], "%s", name);
    mmm_value_init(space, &scope->values[scope->count]);
    fmpz_mpoly_q_set(&scope->values[scope->count++], value, space->ctx);
    return MMM_OK;
}

typedef struct scope_context {
    mmm_evaluator *evaluator;
    mmm_scope *scope;
} scope_context;

/* Each substitution sees the earlier ones, and they see it: "s=log2(l),l=256" and "l=256,s=log2(l)" both give s=8. */
static mmm_status set_name(void *context, const char *name, const char *text)
{
    mmm_status result = MMM_OK;
    scope_context *c = context;
    mmm_space *space = c->evaluator->space;
    mmm_scope own = {0};
    mmm_fraction value;
    mmm_value_init(space, &value);
    TRY(mmm_check_parameter(c->evaluator->formula, name));
    TRY(mmm_evaluate_text(c->evaluator, text, c->scope, &value));
    TRY(mmm_scope_add(space, &own, name, &value));
    for (int i = 0; i < c->scope->count; i++)
        TRY(mmm_value_substitute(space, &c->scope->values[i], &c->scope->values[i], &own));
    TRY(mmm_scope_add(space, c->scope, name, &value));
done:
    mmm_scope_free(space, &own);
    mmm_value_clear(space, &value);
    return result;
}

mmm_status mmm_scope_set(mmm_evaluator *evaluator, mmm_scope *scope, const char *text)
{
    scope_context context = {.evaluator = evaluator, .scope = scope};
    return text ? mmm_settings_read(text, set_name, &context) : MMM_OK;
}

mmm_status mmm_evaluate_text(mmm_evaluator *evaluator, const char *text, const mmm_scope *scope, mmm_fraction *out)
{
    mmm_expression x;
    mmm_status result = mmm_expression_parse(text, &x);
    if (result != MMM_OK) return result;
    result = mmm_evaluate(evaluator, &x, x.root, scope, out);
    mmm_expression_free(&x);
    return result;
}
