/* SPDX-License-Identifier: Apache-2.0 */
/* One question about a formula, from text to text. */
#include "paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mmm_status mmm_formula_space(const mmm_formula *formula, mmm_space **out)
{
    static const char *const machine[] = {"U", "Z", "P"};
    mmm_status result = MMM_OK;
    mmm_space *space;
    int atom;
    TRY(mmm_space_new(&space));
    for (int64_t i = 0; i < formula->parameter_count && result == MMM_OK; i++)
        result = mmm_space_variable(space, formula->parameters[i].name, &atom);
    for (size_t i = 0; i < sizeof machine / sizeof *machine && result == MMM_OK; i++)
        result = mmm_space_variable(space, machine[i], &atom);
    if (result == MMM_OK)
        *out = space;
    else
        mmm_space_free(space);
done:
    return result;
}

/* ---- Limits -------------------------------------------------------------------------------------------------------
 */

typedef struct limits {
    mmm_evaluator *evaluator;
    const mmm_region *region;
    mmm_fraction *value;
    mmm_limit_kind *kind;
} limits;

static mmm_status next_limit(void *context, char *name)
{
    limits *l = context;
    int atom;
    mmm_status result = mmm_check_parameter(l->evaluator->formula, name);
    if (result == MMM_OK) result = mmm_space_variable(l->evaluator->space, name, &atom);
    if (result != MMM_OK || *l->kind != LIMIT_FINITE) return result;
    return mmm_value_limit(l->evaluator->space, l->region, l->value, atom, l->value, l->kind);
}

mmm_status mmm_limits(mmm_evaluator *evaluator, const mmm_region *region, const char *variables, mmm_fraction *value,
                      mmm_limit_kind *kind)
{
    limits l = {evaluator, region, value, kind};
    *kind = LIMIT_FINITE;
    return variables ? mmm_pieces_read(variables, next_limit, &l) : MMM_OK;
}

static mmm_status next_leading(void *context, char *name)
{
    limits *l = context;
    bool known;
    int atom;
    mmm_status result = mmm_check_parameter(l->evaluator->formula, name);
    if (result == MMM_OK) result = mmm_space_variable(l->evaluator->space, name, &atom);
    if (result != MMM_OK || *l->kind != LIMIT_FINITE) return result;
    result = mmm_value_leading(l->evaluator->space, l->value, atom, l->value, &known);
    if (!known) *l->kind = LIMIT_UNKNOWN;
    return result;
}

mmm_status mmm_leadings(mmm_evaluator *evaluator, const char *variables, mmm_fraction *value, mmm_limit_kind *kind)
{
    limits l = {evaluator, NULL, value, kind};
    *kind = LIMIT_FINITE;
    return variables ? mmm_pieces_read(variables, next_leading, &l) : MMM_OK;
}

/* ---- Relations ----------------------------------------------------------------------------------------------------
 */

mmm_status mmm_relation_holds(mmm_space *space, const mmm_region *region, const mmm_fraction *left,
                              const mmm_fraction *right, char relation, int *holds)
{
    mmm_status result = MMM_OK;
    mmm_fraction difference;
    mmm_sign sign;
    bool negative, zero, positive;
    int level = 0;
    mmm_value_init(space, &difference);
    *holds = -1;
    if (relation == '=' || relation == '~') {
        *holds = mmm_value_same(space, left, right);
        if (*holds || !(mmm_value_rounds(space, left) || mmm_value_rounds(space, right))) goto done;
        TRY(mmm_value_subtract(space, &difference, left, right));
        TRY(mmm_region_sample(space, region, &difference, &negative, &zero, &positive));
        *holds = negative || positive ? 0 : -1;
        goto done;
    }
    if (strchr("<l", relation))
        TRY(mmm_value_subtract(space, &difference, right, left));
    else
        TRY(mmm_value_subtract(space, &difference, left, right));
    bool strict = strchr("<>", relation) != NULL;
    TRY(mmm_value_sign(space, region, &difference, &sign));
    if (sign == SIGN_POSITIVE || sign == SIGN_ZERO || sign == SIGN_NEGATIVE) {
        *holds = sign == SIGN_POSITIVE || (sign == SIGN_ZERO && !strict);
        goto done;
    }
    if (!strict) TRY(mmm_region_prove(space, region, &difference, &level));
    if (level > 0) {
        *holds = 1;
        goto done;
    }
    TRY(mmm_region_sample(space, region, &difference, &negative, &zero, &positive));
    if (negative || (strict && zero)) *holds = 0;
done:
    mmm_value_clear(space, &difference);
    return result;
}

/* ---- Questions ----------------------------------------------------------------------------------------------------
 */

typedef struct question {
    mmm_evaluator evaluator;
    const mmm_query *query;
    mmm_expression x;
    mmm_scope scope, values;
    mmm_region region;
    mmm_fraction left, right;
} question;

static mmm_status set_text(char **out, const char *text)
{
    *out = mmm_copy_string(text);
    return *out ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for an answer");
}

static mmm_status undecided(mmm_answer *out, const char *why)
{
    mmm_text text = {0};
    mmm_status result = mmm_text_add(&text, "cannot be decided: %s", why);
    out->decided = 0;
    out->text = text.data;
    return result;
}

static mmm_status infinite(mmm_limit_kind kind, mmm_notation notation, mmm_answer *out)
{
    static const char *const names[][2] = {
        [MMM_TEXT] = {"infinity", "-infinity"},
        [MMM_LATEX] = {"\\infty", "-\\infty"},
        [MMM_C] = {"INFINITY", "-INFINITY"},
        [MMM_PYTHON] = {"inf", "-inf"},
    };
    if (kind == LIMIT_UNKNOWN) return undecided(out, "how fast the expression grows is not known");
    return set_text(&out->text, names[notation][kind == LIMIT_MINUS]);
}

static mmm_status answer_value(question *q, mmm_answer *out)
{
    mmm_status result = MMM_OK;
    mmm_space *space = q->evaluator.space;
    TRY(mmm_value_print(space, &q->left, q->query->notation, &out->text));
    if (mmm_value_number(space, &q->left, &out->number, NULL)) TRY(mmm_value_decimal(space, &q->left, &out->decimal));
done:
    return result;
}

static mmm_status answer_relation(question *q, mmm_answer *out)
{
    mmm_status result = MMM_OK;
    mmm_space *space = q->evaluator.space;
    char relation = q->x.root->relation;
    mmm_solution solution;
    int holds, never = 0, atom;
    if (!q->query->solve) {
        TRY(mmm_relation_holds(space, &q->region, &q->left, &q->right, relation, &holds));
        if (holds < 0) return undecided(out, "the sign of the difference is not known");
        if (strchr("=~", relation)) return set_text(&out->text, holds ? "true" : "false");
        char opposite = relation == '<' ? 'g' : relation == '>' ? 'l' : relation == 'l' ? '>' : '<';
        if (!holds) TRY(mmm_relation_holds(space, &q->region, &q->left, &q->right, opposite, &never));
        return set_text(&out->text, holds ? "always" : never == 1 ? "never" : "not always");
    }
    if (relation == '~') FAIL(MMM_INVALID, "'~' cannot be solved; use one of < <= = >= >");
    TRY(mmm_check_parameter(q->evaluator.formula, q->query->solve));
    TRY(mmm_space_variable(space, q->query->solve, &atom));
    TRY(mmm_value_subtract(space, &q->left, &q->left, &q->right));
    TRY(mmm_solve(space, &q->region, &q->left, relation, atom, q->query->notation, &solution));
    out->text = solution.text;
    out->decided = solution.kind != SOLUTION_DOUBT;
done:
    return result;
}

static mmm_status apply_values(question *q, mmm_fraction *value)
{
    mmm_status result = mmm_value_substitute(q->evaluator.space, value, value, &q->values);
    if (result == MMM_INVALID && strcmp(mmm_message(), "division by zero") == 0)
        result = mmm_fail(MMM_INVALID, "division by zero: the values make a denominator vanish");
    return result;
}

static mmm_status prepare(question *q, const mmm_formula *formula, const mmm_query *query)
{
    mmm_status result = MMM_OK;
    q->query = query;
    q->evaluator.formula = formula;
    TRY(mmm_formula_space(formula, &q->evaluator.space));
    mmm_value_init(q->evaluator.space, &q->left);
    mmm_value_init(q->evaluator.space, &q->right);
    TRY(mmm_scope_set(&q->evaluator, &q->scope, query->set));
    TRY(mmm_scope_set(&q->evaluator, &q->values, query->evaluate));
    TRY(mmm_region_formula(&q->evaluator, &q->region, &q->scope, query->assume));
    TRY(mmm_expression_parse(query->expression, &q->x));
    const mmm_tree *root = q->x.root;
    bool relation = root->kind == NODE_RELATION;
    q->evaluator.measured = query->measured;
    q->evaluator.at = &q->values;
    TRY(mmm_evaluate(&q->evaluator, &q->x, relation ? root->left : root, &q->scope, &q->left));
    if (relation) TRY(mmm_evaluate(&q->evaluator, &q->x, root->right, &q->scope, &q->right));
    if (query->solve && !relation)
        FAIL(MMM_INVALID, "--solve needs a relation, such as '%.40s > 1'", query->expression);
done:
    return result;
}

/* What was measured up to some size says nothing beyond it. */
static mmm_status check_limit(question *q)
{
    mmm_status result = MMM_OK;
    bool possible = true;
    mmm_region region = {0};
    if (!q->evaluator.met) return MMM_OK;
    TRY(mmm_region_formula(&q->evaluator, &region, &q->scope, q->query->assume));
    TRY(mmm_region_given(&q->evaluator, &region, &q->scope, q->query->limit, &q->left, &possible));
    if (!possible)
        FAIL(MMM_INVALID, "what is measured holds where %s, which is not known to be so as %s grows",
             q->evaluator.impossible, q->query->limit);
done:
    mmm_region_free(q->evaluator.space, &region);
    return result;
}

static void release(question *q)
{
    mmm_expression_free(&q->x);
    if (!q->evaluator.space) return;
    mmm_region_free(q->evaluator.space, &q->region);
    mmm_scope_free(q->evaluator.space, &q->scope);
    mmm_scope_free(q->evaluator.space, &q->values);
    mmm_value_clear(q->evaluator.space, &q->left);
    mmm_value_clear(q->evaluator.space, &q->right);
    mmm_space_free(q->evaluator.space);
}

typedef struct asked {
    const mmm_formula *formula;
    const mmm_query *query;
    mmm_answer *out;
} asked;

static mmm_status ask(void *context)
{
    mmm_status result = MMM_OK;
    const asked *a = context;
    const mmm_query *query = a->query;
    question q = {0};
    mmm_answer answer = {.decided = 1, .number = NAN};
    mmm_limit_kind kind = LIMIT_FINITE, kind_right = LIMIT_FINITE;
    mmm_place_clear();
    if (!query->expression) FAIL(MMM_INVALID, "an expression is needed");
    if ((unsigned)query->notation > MMM_PYTHON) FAIL(MMM_INVALID, "the notation %d is none", (int)query->notation);
    TRY(prepare(&q, a->formula, query));
    bool relation = q.x.root->kind == NODE_RELATION;
    if (relation && q.x.root->relation == '~') {
        if (!query->limit) FAIL(MMM_INVALID, "'~' needs the variable that grows: --limit n");
        TRY(mmm_value_divide(q.evaluator.space, &q.left, &q.left, &q.right));
        fmpz_mpoly_q_one(&q.right, q.evaluator.space->ctx);
    }
    if (query->measured && query->limit) TRY(check_limit(&q));
    TRY(mmm_limits(&q.evaluator, &q.region, query->limit, &q.left, &kind));
    if (relation) TRY(mmm_limits(&q.evaluator, &q.region, query->limit, &q.right, &kind_right));
    if (query->leading && kind == LIMIT_FINITE) {
        if (relation) FAIL(MMM_INVALID, "leading terms are those of an expression, not of a relation");
        TRY(mmm_leadings(&q.evaluator, query->leading, &q.left, &kind));
    }
    if (kind == LIMIT_FINITE && query->evaluate) TRY(apply_values(&q, &q.left));
    if (relation && query->evaluate) TRY(apply_values(&q, &q.right));
    if (relation && kind != kind_right)
        TRY(undecided(&answer, "a side of the relation has no finite limit"));
    else if (kind != LIMIT_FINITE)
        TRY(infinite(kind, query->notation, &answer));
    else if (relation)
        TRY(answer_relation(&q, &answer));
    else
        TRY(answer_value(&q, &answer));
    *a->out = answer;
    memset(&answer, 0, sizeof answer);
done:
    mmm_answer_clear(&answer);
    release(&q);
    return result;
}

mmm_status mmm_formula_ask(const mmm_formula *formula, const mmm_query *query, mmm_answer *out)
{
    NEED(formula, "the formula");
    NEED(query, "the question");
    NEED(out, "the place for the answer");
    return mmm_guarded(ask, &(asked){formula, query, out});
}

void mmm_answer_clear(mmm_answer *answer)
{
    if (!answer) return;
    mmm_free(answer->text);
    mmm_free(answer->decimal);
    memset(answer, 0, sizeof *answer);
}
