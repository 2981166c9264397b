/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parameters of an analysis may lie: its constraints, what is assumed, and what was measured under. */
#include "paper/paper.h"

#include <string.h>

mmm_status mmm_region_add(mmm_evaluator *e, mmm_region *region, const char *relation, const mmm_scope *scope)
{
    mmm_status result = MMM_OK;
    mmm_expression x = {0};
    mmm_fraction left, right;
    mmm_value_init(e->space, &left);
    mmm_value_init(e->space, &right);
    TRY(mmm_expression_parse(relation, &x));
    if (x.root->kind != NODE_RELATION || !strchr("<>lg", x.root->relation)) {
        result = mmm_fail_at(x.text, x.root->position, "a relation with <, <=, > or >= was expected");
        goto done;
    }
    TRY(mmm_evaluate(e, &x, x.root->left, scope, &left));
    TRY(mmm_evaluate(e, &x, x.root->right, scope, &right));
    if (strchr("<l", x.root->relation)) fmpz_mpoly_q_swap(&left, &right, e->space->ctx);
    TRY(mmm_value_subtract(e->space, &left, &left, &right));
    TRY(mmm_grow(&region->differences, &region->room, region->count + 1, sizeof *region->differences));
    TRY(mmm_grow(&region->strict, &region->strict_room, region->count + 1, sizeof *region->strict));
    region->strict[region->count] = strchr("<>", x.root->relation) != NULL;
    mmm_value_init(e->space, &region->differences[region->count]);
    fmpz_mpoly_q_swap(&region->differences[region->count++], &left, e->space->ctx);
done:
    mmm_value_clear(e->space, &left);
    mmm_value_clear(e->space, &right);
    mmm_expression_free(&x);
    return result;
}

typedef struct region_context {
    mmm_evaluator *evaluator;
    mmm_region *region;
    const mmm_scope *scope;
} region_context;

static mmm_status add_piece(void *context, char *piece)
{
    const region_context *c = context;
    return mmm_region_add(c->evaluator, c->region, piece, c->scope);
}

mmm_status mmm_region_formula(mmm_evaluator *e, mmm_region *region, const mmm_scope *scope, const char *assume)
{
    mmm_status result = MMM_OK;
    region_context context = {e, region, scope};
    for (int64_t i = 0; e->formula && i < e->formula->constraint_count; i++)
        TRY(mmm_region_add(e, region, e->formula->constraints[i], scope));
    if (assume) TRY(mmm_pieces_read(assume, add_piece, &context));
done:
    return result;
}

/* ---- Conditions of measured forms ---------------------------------------------------------------------------------
 */

typedef struct given_context {
    mmm_evaluator *evaluator;
    mmm_region *region;
    const mmm_scope *scope;
    const char *as;
    const mmm_fraction *value;
    bool *possible;
} given_context;

static mmm_status find_named(void *context, char *name)
{
    const char **wanted = context;
    if (*wanted && strcmp(*wanted, name) == 0) *wanted = NULL;
    return MMM_OK;
}

/* Whether the condition speaks of a variable that the value does not depend on: such a one can be chosen to fit. */
static mmm_status is_free(const given_context *c, const mmm_fraction *difference, bool *free_choice)
{
    const mmm_space *space = c->evaluator->space;
    mmm_status result = MMM_OK;
    *free_choice = false;
    for (int i = 0; i < space->count && !*free_choice; i++) {
        if (space->atoms[i].kind != ATOM_VARIABLE || !mmm_value_mentions(space, difference, i) ||
            mmm_value_mentions(space, c->value, i))
            continue;
        const char *wanted = space->atoms[i].name;
        if (c->as) TRY(mmm_pieces_read(c->as, find_named, &wanted));
        *free_choice = wanted != NULL;
    }
done:
    return result;
}

static mmm_status add_given(void *context, char *piece)
{
    given_context *c = context;
    mmm_space *space = c->evaluator->space;
    mmm_status result = MMM_OK;
    mmm_limit_kind kind;
    mmm_sign sign = SIGN_UNKNOWN;
    int level = 0;
    mmm_region before = *c->region;
    mmm_fraction end;
    bool free_choice;
    if (strstr(piece, " is whole")) return MMM_OK;
    mmm_value_init(space, &end);
    TRY(mmm_region_add(c->evaluator, c->region, piece, c->scope));
    before.differences = c->region->differences;
    before.strict = c->region->strict;
    fmpz_mpoly_q_set(&end, &c->region->differences[before.count], space->ctx);
    TRY(is_free(c, &end, &free_choice));
    if (free_choice) goto done;
    TRY(mmm_limits(c->evaluator, &before, c->as, &end, &kind));
    if (kind == LIMIT_FINITE) TRY(mmm_value_sign(space, &before, &end, &sign));
    if (sign == SIGN_UNKNOWN && kind == LIMIT_FINITE) TRY(mmm_region_prove(space, &before, &end, &level));
    if (kind == LIMIT_FINITE ? sign == SIGN_NEGATIVE || (sign == SIGN_UNKNOWN && !level) : kind != LIMIT_PLUS)
        *c->possible = false, snprintf(c->evaluator->impossible, sizeof c->evaluator->impossible, "%s", piece);
done:
    mmm_value_clear(space, &end);
    return result;
}

mmm_status mmm_region_given(mmm_evaluator *e, mmm_region *region, const mmm_scope *scope, const char *as,
                            const mmm_fraction *value, bool *possible)
{
    mmm_status result = MMM_OK;
    bool measured = e->measured;
    given_context context = {e, region, scope, as, value, possible};
    *possible = true;
    e->measured = false;
    for (int64_t i = 0; i < e->formula->given_count; i++)
        TRY(mmm_pieces_read(e->formula->givens[i], add_given, &context));
    for (int i = 0; i < e->given_count; i++)
        TRY(mmm_pieces_read(e->given[i], add_given, &context));
done:
    e->measured = measured;
    return result;
}

typedef struct value_check {
    mmm_evaluator *evaluator;
    const mmm_scope *scope, *at;
    const char *what; /* holds under the condition */
} value_check;

/* A condition whose variables all have values holds or fails; one with a variable left is not judged. */
static mmm_status check_piece(void *context, char *piece)
{
    const value_check *c = context;
    mmm_space *space = c->evaluator->space;
    mmm_status result = MMM_OK;
    mmm_expression x = {0};
    mmm_fraction left, right;
    char *is = NULL, *whole = strstr(piece, " is whole");
    int sign;
    mmm_value_init(space, &left);
    mmm_value_init(space, &right);
    if (whole) *whole = 0;
    TRY(mmm_expression_parse(piece, &x));
    TRY(mmm_evaluate(c->evaluator, &x, whole ? x.root : x.root->left, c->scope, &left));
    if (!whole) TRY(mmm_evaluate(c->evaluator, &x, x.root->right, c->scope, &right));
    if (!whole && strchr("<l", x.root->relation)) fmpz_mpoly_q_swap(&left, &right, space->ctx);
    TRY(mmm_value_subtract(space, &left, &left, &right));
    TRY(mmm_value_substitute(space, &left, &left, c->at));
    if (!mmm_value_number(space, &left, NULL, &sign)) goto done;
    if (whole && !fmpz_mpoly_q_is_fmpz(&left, space->ctx)) {
        TRY(mmm_value_print(space, &left, MMM_TEXT, &is));
        FAIL(MMM_INVALID, "%s where %s is whole, and here it is %s", c->what, piece, is);
    }
    if (!whole && (sign < 0 || (sign == 0 && strchr("<>", x.root->relation))))
        FAIL(MMM_INVALID, "%s where %s, which is not so here", c->what, piece);
done:
    mmm_free(is);
    mmm_value_clear(space, &left);
    mmm_value_clear(space, &right);
    mmm_expression_free(&x);
    return result;
}

mmm_status mmm_check_conditions(mmm_evaluator *e, const mmm_definition *definition, const mmm_scope *scope)
{
    mmm_status result = MMM_OK;
    const bool measured = e->measured;
    value_check check = {e, scope, e->at, "the formulas hold"};
    e->measured = false;
    e->at = NULL;
    for (int64_t i = 0; i < e->formula->constraint_count; i++)
        TRY(mmm_pieces_read(e->formula->constraints[i], check_piece, &check));
    if (!measured || !definition->measured.root) goto done;
    check.what = "what is measured holds";
    for (int64_t i = 0; i < e->formula->given_count; i++)
        TRY(mmm_pieces_read(e->formula->givens[i], check_piece, &check));
    if (definition->given) TRY(mmm_pieces_read(definition->given, check_piece, &check));
done:
    e->measured = measured;
    e->at = check.at;
    return result;
}
