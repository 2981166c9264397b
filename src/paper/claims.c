/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's claims, checked: what it states against what follows from its own quantities, and against what the
 * abstract machine measures.  A verdict is always computed here; no file says one. */
#include "paper/paper.h"

#include <stdlib.h>
#include <string.h>

/* A claim made ready: "A = B", "A ~ B", "A = Theta(B)", "A > B", or "A > B iff C > D". */
typedef enum claim_kind { CLAIM_EQUAL, CLAIM_LIKE, CLAIM_THETA, CLAIM_RELATION, CLAIM_IFF } claim_kind;

typedef struct checker {
    const mmm_formula *formula;
    const mmm_claim_text *text;
    claim_kind kind;
    mmm_expression x, stated; /* stated: of an iff */
} checker;

typedef struct outcome {
    char *text; /* what follows; NULL when a measured form is missing */
    bool agrees;
} outcome;

/* ---- One claim, with stated or with measured quantities ------------------------------------------------------------
 */

typedef struct work {
    mmm_evaluator evaluator;
    mmm_scope scope;
    mmm_region region;
    mmm_fraction left, right;
    bool possible; /* false: nothing was measured where the claim speaks of */
} work;

static mmm_status work_new(work *w, const checker *c, bool measured)
{
    mmm_status result = MMM_OK;
    memset(w, 0, sizeof *w);
    w->possible = true;
    w->evaluator.formula = c->formula;
    TRY(mmm_formula_space(c->formula, &w->evaluator.space));
    mmm_value_init(w->evaluator.space, &w->left);
    mmm_value_init(w->evaluator.space, &w->right);
    TRY(mmm_scope_set(&w->evaluator, &w->scope, c->text->with));
    TRY(mmm_region_formula(&w->evaluator, &w->region, &w->scope, c->text->when));
    w->evaluator.measured = measured;
done:
    return result;
}

static void work_free(work *w)
{
    if (!w->evaluator.space) return;
    mmm_region_free(w->evaluator.space, &w->region);
    mmm_scope_free(w->evaluator.space, &w->scope);
    mmm_value_clear(w->evaluator.space, &w->left);
    mmm_value_clear(w->evaluator.space, &w->right);
    mmm_space_free(w->evaluator.space);
}

/* Both sides of a relation; what is stated on the right never takes measured forms. */
static mmm_status evaluate_sides(work *w, const checker *c, const mmm_expression *x, const mmm_tree *right)
{
    mmm_status result = MMM_OK;
    bool measured = w->evaluator.measured;
    TRY(mmm_evaluate(&w->evaluator, x, x->root->left, &w->scope, &w->left));
    if (measured && w->evaluator.met)
        TRY(mmm_region_given(&w->evaluator, &w->region, &w->scope, c->text->as, &w->left, &w->possible));
    w->evaluator.measured = false;
    TRY(mmm_evaluate(&w->evaluator, x, right, &w->scope, &w->right));
done:
    w->evaluator.measured = measured;
    return result;
}

static mmm_status print_limit(work *w, const mmm_fraction *value, mmm_limit_kind kind, char **out)
{
    if (kind == LIMIT_FINITE) return mmm_value_print(w->evaluator.space, value, MMM_TEXT, out);
    *out = mmm_copy_string(kind == LIMIT_PLUS ? "infinity" : kind == LIMIT_MINUS ? "-infinity" : "cannot be decided");
    return *out ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for a claim");
}

static mmm_status check_equal(work *w, const checker *c, outcome *out)
{
    mmm_status result = MMM_OK;
    mmm_limit_kind kind;
    TRY(evaluate_sides(w, c, &c->x, c->x.root->right));
    TRY(mmm_limits(&w->evaluator, &w->region, c->text->as, &w->left, &kind));
    out->agrees = kind == LIMIT_FINITE && mmm_value_same(w->evaluator.space, &w->left, &w->right);
    TRY(print_limit(w, &w->left, kind, &out->text));
done:
    return result;
}

/* The quotient of both sides tends to 1 (~), or to a number that is not 0 (Theta). */
static mmm_status check_quotient(work *w, const checker *c, outcome *out)
{
    mmm_status result = MMM_OK;
    mmm_space *space = w->evaluator.space;
    mmm_limit_kind kind;
    mmm_fraction quotient, one;
    mmm_sign sign;
    mmm_value_init(space, &quotient);
    mmm_value_init(space, &one);
    fmpz_mpoly_q_one(&one, space->ctx);
    const mmm_tree *right = c->x.root->right;
    TRY(evaluate_sides(w, c, &c->x, c->kind == CLAIM_THETA ? right->left->right : right));
    TRY(mmm_value_divide(space, &quotient, &w->left, &w->right));
    TRY(mmm_limits(&w->evaluator, &w->region, c->text->as, &quotient, &kind));
    out->agrees = kind == LIMIT_FINITE;
    if (out->agrees && c->kind == CLAIM_LIKE) out->agrees = mmm_value_same(space, &quotient, &one);
    if (out->agrees && c->kind == CLAIM_THETA) {
        TRY(mmm_value_sign(space, &w->region, &quotient, &sign));
        out->agrees = sign == SIGN_POSITIVE;
    }
    if (c->kind == CLAIM_THETA) {
        char *text = NULL;
        mmm_text line = {0};
        TRY(print_limit(w, &quotient, kind, &text));
        char *order = NULL;
        result = mmm_value_print(space, &w->right, MMM_TEXT, &order);
        if (result == MMM_OK && mmm_value_same(space, &w->right, &one))
            result = mmm_text_add(&line, "tends to %s", text);
        else if (result == MMM_OK)
            result = mmm_text_add(&line, "divided by %s it tends to %s", order, text);
        mmm_free(order);
        mmm_free(text);
        out->text = line.data;
        goto done;
    }
    TRY(mmm_leadings(&w->evaluator, c->text->as, &w->left, &kind));
    TRY(print_limit(w, &w->left, kind, &out->text));
done:
    mmm_value_clear(space, &quotient);
    mmm_value_clear(space, &one);
    return result;
}

static mmm_status solve_atom(work *w, const checker *c, int *atom)
{
    mmm_status result = MMM_OK;
    if (!c->text->solve) FAIL(MMM_INVALID, "claim %s: an iff needs a line: solve VARIABLE", c->text->id);
    TRY(mmm_check_parameter(c->formula, c->text->solve));
    TRY(mmm_space_variable(w->evaluator.space, c->text->solve, atom));
done:
    return result;
}

static mmm_status check_relation(work *w, const checker *c, outcome *out)
{
    mmm_status result = MMM_OK;
    mmm_limit_kind kind;
    mmm_text line = {0};
    mmm_solution solution = {0};
    int holds, atom, never = 0;
    char relation = c->x.root->relation, opposite = relation == '<'   ? 'g'
                                                    : relation == '>' ? 'l'
                                                    : relation == 'l' ? '>'
                                                                      : '<';
    TRY(evaluate_sides(w, c, &c->x, c->x.root->right));
    TRY(mmm_limits(&w->evaluator, &w->region, c->text->as, &w->left, &kind));
    if (kind != LIMIT_FINITE) {
        TRY(print_limit(w, &w->left, kind, &out->text));
        goto done;
    }
    TRY(mmm_relation_holds(w->evaluator.space, &w->region, &w->left, &w->right, relation, &holds));
    out->agrees = holds == 1;
    if (holds == 0 && c->text->solve) { /* then say where it does hold */
        TRY(solve_atom(w, c, &atom));
        TRY(mmm_value_subtract(w->evaluator.space, &w->left, &w->left, &w->right));
        TRY(mmm_solve(w->evaluator.space, &w->region, &w->left, relation, atom, MMM_TEXT, &solution));
        if (solution.kind != SOLUTION_DOUBT) TRY(mmm_text_add(&line, "only when %s", solution.text));
    }
    if (!line.data && holds == 0)
        TRY(mmm_relation_holds(w->evaluator.space, &w->region, &w->left, &w->right, opposite, &never));
    if (!line.data)
        TRY(mmm_text_add(&line, "%s",
                         holds == 1   ? "always"
                         : never == 1 ? "never"
                         : holds == 0 ? "not always"
                                      : "cannot be decided"));
    out->text = line.data;
    line.data = NULL;
done:
    mmm_free(line.data);
    mmm_free(solution.text);
    return result;
}

static mmm_status solve_side(work *w, const checker *c, const mmm_expression *x, char **text, bool *known)
{
    mmm_status result = MMM_OK;
    mmm_limit_kind kind;
    mmm_solution solution;
    int atom;
    if (x->root->kind != NODE_RELATION) FAIL(MMM_INVALID, "claim %s: iff needs a relation on both sides", c->text->id);
    TRY(solve_atom(w, c, &atom));
    TRY(evaluate_sides(w, c, x, x->root->right));
    TRY(mmm_limits(&w->evaluator, &w->region, c->text->as, &w->left, &kind));
    if (kind != LIMIT_FINITE) {
        *known = false;
        TRY(print_limit(w, &w->left, kind, text));
        goto done;
    }
    TRY(mmm_value_subtract(w->evaluator.space, &w->left, &w->left, &w->right));
    TRY(mmm_solve(w->evaluator.space, &w->region, &w->left, x->root->relation, atom, MMM_TEXT, &solution));
    *text = solution.text;
    *known = solution.kind != SOLUTION_DOUBT;
done:
    return result;
}

static mmm_status check_iff(work *w, const checker *c, outcome *out)
{
    mmm_status result = MMM_OK;
    char *stated = NULL;
    bool known, stated_known;
    TRY(solve_side(w, c, &c->x, &out->text, &known));
    w->evaluator.measured = false;
    TRY(solve_side(w, c, &c->stated, &stated, &stated_known));
    out->agrees = known && stated_known && strcmp(out->text, stated) == 0;
done:
    mmm_free(stated);
    return result;
}

/* Says under which conditions of their own the measured forms stand. */
static mmm_status add_given(const work *w, outcome *out)
{
    mmm_status result = MMM_OK;
    mmm_text line = {0};
    TRY(mmm_text_add(&line, "%s", out->text));
    for (int i = 0; i < w->evaluator.given_count; i++)
        TRY(mmm_text_add(&line, ", %s%s", i ? "" : "given ", w->evaluator.given[i]));
    mmm_free(out->text);
    out->text = line.data;
    line.data = NULL;
done:
    mmm_free(line.data);
    return result;
}

static mmm_status check(const checker *c, bool measured, outcome *out)
{
    mmm_status result = MMM_OK;
    work w;
    memset(out, 0, sizeof *out);
    TRY(work_new(&w, c, measured));
    result = c->kind == CLAIM_IFF        ? check_iff(&w, c, out)
             : c->kind == CLAIM_RELATION ? check_relation(&w, c, out)
             : c->kind == CLAIM_EQUAL    ? check_equal(&w, c, out)
                                         : check_quotient(&w, c, out);
    /* Without one measured quantity in it, or with one missing, there is no measurement to compare with. */
    if (measured &&
        (w.evaluator.missing || (result == MMM_OK && (!w.evaluator.met || w.evaluator.elsewhere || !w.possible)))) {
        mmm_free(out->text);
        memset(out, 0, sizeof *out);
        result = MMM_OK;
    }
    if (result == MMM_OK && measured && out->text) TRY(add_given(&w, out));
done:
    work_free(&w);
    return result;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------
 */

/* Whether an equation holds whatever its quantities are. */
static mmm_status is_definition(const checker *c, bool *out)
{
    mmm_status result = MMM_OK;
    work w;
    *out = false;
    if (c->kind != CLAIM_EQUAL || c->text->as) return MMM_OK;
    TRY(work_new(&w, c, false));
    w.evaluator.opaque = true;
    mmm_status status = evaluate_sides(&w, c, &c->x, c->x.root->right);
    *out = status == MMM_OK && mmm_value_same(w.evaluator.space, &w.left, &w.right);
    if (status != MMM_INVALID) result = status;
done:
    work_free(&w);
    return result;
}

static mmm_status judge(const checker *c, mmm_claim *row)
{
    mmm_status result = MMM_OK;
    outcome follows = {0}, measured = {0};
    bool definition;
    TRY(is_definition(c, &definition));
    TRY(check(c, false, &follows));
    TRY(check(c, true, &measured));
    row->follows = follows.text;
    row->measured = measured.text;
    row->verdict = !follows.agrees                     ? MMM_CLAIM_DOES_NOT_FOLLOW
                   : definition                        ? MMM_CLAIM_BY_DEFINITION
                   : measured.text && !measured.agrees ? MMM_CLAIM_DIFFERS
                                                       : MMM_CLAIM_HOLDS;
    follows.text = measured.text = NULL;
done:
    mmm_free(follows.text);
    mmm_free(measured.text);
    return result;
}

static mmm_status row_text(char **out, const char *first, const char *second, const char *third)
{
    mmm_text text = {0};
    mmm_status result = mmm_text_add(&text, "%s%s%s", first, second, third);
    *out = text.data;
    return result;
}

/* Of an analysis in a file: the name of the file, or of its folder where that is an application's; without the ending.
 */
static mmm_status row_id(char **out, const mmm_formula *f, const char *id)
{
    const char *slash = strrchr(f->name, '/'), *start = slash ? slash + 1 : f->name, *end = start + strlen(start);
    mmm_text text = {0};
    if (slash && strcmp(start, "formulas.txt") == 0) {
        for (start = end = slash; start > f->name && start[-1] != '/';)
            start--;
        if (start[0] == '.' || start == end) start = slash + 1, end = start + strlen(start);
    }
    if (end - start > 4 && memcmp(end - 4, ".txt", 4) == 0) end -= 4;
    mmm_status result = mmm_text_add(&text, "%.*s.%s", (int)(end - start), start, id);
    *out = text.data;
    return result;
}

/* A quantity: W1 = ... is stated; it follows from its `because`, or stands for itself. */
static mmm_status definition_row(const mmm_formula *f, const mmm_definition *d, mmm_claim *row)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    mmm_claim_text claim = {.id = d->name};
    checker c = {.formula = f, .text = &claim, .kind = CLAIM_EQUAL};
    outcome follows = {0}, measured = {0};
    const char *states = d->states.text;
    TRY(row_id(&row->id, f, d->name));
    TRY(row_text(&row->section, d->section ? d->section : f->section ? f->section : "", "", ""));
    TRY(row_text(&row->states, d->name, " = ", states));
    TRY(mmm_text_add(&text, "%s = %s", d->because.text ? d->because.text : d->name, states));
    claim.text = text.data;
    TRY(mmm_expression_parse(text.data, &c.x));
    TRY(check(&c, false, &follows));
    row->follows = follows.text;
    row->verdict = !follows.agrees                       ? MMM_CLAIM_DOES_NOT_FOLLOW
                   : d->because.root || d->measured.root ? MMM_CLAIM_HOLDS
                                                         : MMM_CLAIM_BY_DEFINITION;
    if (d->measured.root) {
        text.used = 0;
        TRY(mmm_text_add(&text, "%s = %s", d->name, states));
        claim.text = text.data;
        mmm_expression_free(&c.x);
        TRY(mmm_expression_parse(text.data, &c.x));
        TRY(check(&c, true, &measured));
        row->measured = measured.text;
        if (follows.agrees && measured.text && !measured.agrees) row->verdict = MMM_CLAIM_DIFFERS;
    }
done:
    mmm_free(text.data);
    mmm_expression_free(&c.x);
    return result;
}

static mmm_status prepare_claim(const mmm_claim_text *claim, checker *c)
{
    mmm_status result = MMM_OK;
    char *copy = mmm_copy_string(claim->text), *iff;
    if (!copy) FAIL(MMM_MEMORY, "no memory for a claim");
    iff = strstr(copy, " iff ");
    if (iff) {
        *iff = 0;
        TRY(mmm_expression_parse(iff + 5, &c->stated));
    }
    TRY(mmm_expression_parse(copy, &c->x));
    const mmm_tree *root = c->x.root, *right = root->right;
    if (root->kind != NODE_RELATION) FAIL(MMM_INVALID, "claim %s is no relation", claim->id);
    bool theta = right->kind == NODE_CALL && strcmp(right->name, "Theta") == 0;
    if (theta && (!right->left || right->left->name[0] || right->left->next))
        FAIL(MMM_INVALID, "claim %s: Theta takes one argument", claim->id);
    c->kind = iff                     ? CLAIM_IFF
              : theta                 ? CLAIM_THETA
              : root->relation == '~' ? CLAIM_LIKE
              : root->relation == '=' ? CLAIM_EQUAL
                                      : CLAIM_RELATION;
    if ((c->kind == CLAIM_LIKE || theta) && !claim->as)
        FAIL(MMM_INVALID, "claim %s: '~' and Theta need a line: as VARIABLE", claim->id);
done:
    mmm_free(copy);
    return result;
}

static mmm_status claim_row(const mmm_formula *f, const mmm_claim_text *claim, mmm_claim *row)
{
    mmm_status result = MMM_OK;
    checker c = {.formula = f, .text = claim};
    mmm_text states = {0};
    TRY(row_id(&row->id, f, claim->id));
    TRY(row_text(&row->section, claim->section ? claim->section : f->section ? f->section : "", "", ""));
    TRY(mmm_text_add(&states, "%s", claim->text));
    if (claim->with) TRY(mmm_text_add(&states, ", with %s", claim->with));
    if (claim->when) TRY(mmm_text_add(&states, ", when %s", claim->when));
    if (claim->as) TRY(mmm_text_add(&states, ", as %s grow%s", claim->as, strchr(claim->as, ',') ? "" : "s"));
    row->states = states.data;
    states.data = NULL;
    TRY(prepare_claim(claim, &c));
    TRY(judge(&c, row));
done:
    mmm_free(states.data);
    mmm_expression_free(&c.x);
    mmm_expression_free(&c.stated);
    return result;
}

const char *mmm_claim_verdict_name(mmm_claim_verdict verdict)
{
    static const char *const names[] = {
        [MMM_CLAIM_HOLDS] = "holds",
        [MMM_CLAIM_DOES_NOT_FOLLOW] = "does not follow",
        [MMM_CLAIM_DIFFERS] = "differs",
        [MMM_CLAIM_BY_DEFINITION] = "by definition",
    };
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "unknown";
}

typedef struct checked {
    const mmm_formula *formula;
    mmm_claim **claims;
    int *count;
} checked;

static mmm_status check_all(void *context)
{
    mmm_status result = MMM_OK;
    const checked *all = context;
    const mmm_formula *formula = all->formula;
    mmm_claim *rows = NULL;
    int used = 0;
    TRY(mmm_alloc(&rows, formula->definition_count + formula->claim_count, sizeof *rows));
    for (int64_t i = 0; i < formula->definition_count; i++)
        if (formula->definitions[i].row) TRY(definition_row(formula, &formula->definitions[i], &rows[used++]));
    for (int64_t i = 0; i < formula->claim_count; i++)
        TRY(claim_row(formula, &formula->claims[i], &rows[used++]));
    *all->claims = rows;
    *all->count = used;
    rows = NULL;
done:
    if (rows) mmm_claims_free(rows, used);
    return result;
}

mmm_status mmm_formula_claims(const mmm_formula *formula, mmm_claim **claims, int *count)
{
    NEED(formula, "the formula");
    NEED(claims, "the place for the claims");
    NEED(count, "the place for the number of claims");
    return mmm_guarded(check_all, &(checked){formula, claims, count});
}

void mmm_claims_free(mmm_claim *claims, int count)
{
    for (int i = 0; claims && i < count; i++) {
        mmm_free(claims[i].id), mmm_free(claims[i].section), mmm_free(claims[i].states);
        mmm_free(claims[i].follows), mmm_free(claims[i].measured);
    }
    mmm_free(claims);
}
