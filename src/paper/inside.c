/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a point lies where a formula speaks, in floating point: quick, for who looks for such points among very many.
 * What is said at one is then asked exactly. */
#include "paper/paper.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 100 };

/* A relation, or an expression that is whole. */
typedef struct one_condition {
    mmm_expression x;
    bool whole;
} one_condition;

struct mmm_conditions {
    const mmm_formula *formula;
    one_condition *list;
    int64_t count, room;
};

typedef struct values {
    const mmm_conditions *conditions;
    mmm_value_of *value_of;
    const void *context;
    int depth;
} values;

static double number_of(const char *digits)
{
    double value = 0, place = 0;
    for (; *digits; digits++) {
        if (*digits == '.') {
            place = 1;
            continue;
        }
        value = 10 * value + (*digits - '0');
        place *= 10;
    }
    return place > 0 ? value / place : value;
}

static double evaluate(values *v, const mmm_tree *t);

static double call(values *v, const mmm_tree *t)
{
    const mmm_tree *first = t->left;
    if (!first || first->name[0] || first->next) return NAN; /* W(s=1): nothing is said of it here */
    double x = evaluate(v, first->right);
    return strcmp(t->name, "log2") == 0    ? log2(x)
           : strcmp(t->name, "exp2") == 0  ? exp2(x)
           : strcmp(t->name, "ceil") == 0  ? ceil(x - 1e-9)
           : strcmp(t->name, "floor") == 0 ? floor(x + 1e-9)
                                           : NAN;
}

/* NaN where a variable has no value. */
static double evaluate(values *v, const mmm_tree *t)
{
    double left = NAN, right = NAN;
    const mmm_definition *definition;
    if (v->depth > DEEPEST) return NAN;
    v->depth++;
    if (t->kind >= NODE_NEGATE) left = evaluate(v, t->left);
    if (t->kind >= NODE_ADD) right = evaluate(v, t->right);
    switch (t->kind) {
    case NODE_NUMBER: left = number_of(t->digits); break;
    case NODE_NAME:
        definition = mmm_formula_find(v->conditions->formula, t->name);
        left = definition ? evaluate(v, definition->states.root) : v->value_of(v->context, t->name);
        break;
    case NODE_CALL: left = call(v, t); break;
    case NODE_NEGATE: left = -left; break;
    case NODE_ADD: left += right; break;
    case NODE_SUBTRACT: left -= right; break;
    case NODE_MULTIPLY: left *= right; break;
    case NODE_DIVIDE: left /= right; break;
    case NODE_POWER: left = pow(left, right); break;
    default: left = NAN;
    }
    v->depth--;
    return left;
}

bool mmm_conditions_hold(const mmm_conditions *c, mmm_value_of *value_of, const void *context)
{
    for (int64_t i = 0; i < c->count; i++) {
        values v = {c, value_of, context, 0};
        const mmm_tree *root = c->list[i].x.root;
        if (c->list[i].whole) {
            double x = evaluate(&v, root);
            if (fabs(x - nearbyint(x)) > 1e-9 * fmax(1, fabs(x))) return false;
            continue;
        }
        double left = evaluate(&v, root->left), right = evaluate(&v, root->right);
        const double slack = 1e-9 * fmax(1, fabs(right)),
                     by = strchr("<l", root->relation) ? right - left : left - right;
        if (strchr("<>", root->relation) ? by <= slack : by < -slack) return false;
    }
    return true;
}

static mmm_status add_one(void *context, char *piece)
{
    mmm_status result = MMM_OK;
    mmm_conditions *c = context;
    char *whole = strstr(piece, " is whole");
    if (whole) *whole = 0;
    TRY(mmm_grow(&c->list, &c->room, c->count + 1, sizeof *c->list));
    one_condition *one = &c->list[c->count];
    *one = (one_condition){.whole = whole};
    TRY(mmm_expression_parse(piece, &one->x));
    c->count++;
    if (!whole && (one->x.root->kind != NODE_RELATION || !strchr("<>lg", one->x.root->relation)))
        FAIL(MMM_INVALID, "'%.60s' is no condition", piece);
done:
    return result;
}

mmm_status mmm_conditions_read(const mmm_formula *formula, const char *quantity, mmm_conditions **out)
{
    mmm_status result = MMM_OK;
    mmm_conditions *c = NULL;
    const mmm_definition *of = mmm_formula_find(formula, quantity);
    TRY(mmm_alloc(&c, 1, sizeof *c));
    c->formula = formula;
    for (int64_t i = 0; i < formula->constraint_count; i++)
        TRY(mmm_pieces_read(formula->constraints[i], add_one, c));
    for (int64_t i = 0; i < formula->given_count; i++)
        TRY(mmm_pieces_read(formula->givens[i], add_one, c));
    if (of && of->given) TRY(mmm_pieces_read(of->given, add_one, c));
    *out = c;
    c = NULL;
done:
    mmm_conditions_free(c);
    return result;
}

void mmm_conditions_free(mmm_conditions *c)
{
    for (int64_t i = 0; c && i < c->count; i++)
        mmm_expression_free(&c->list[i].x);
    if (c) mmm_free(c->list);
    mmm_free(c);
}
