/* SPDX-License-Identifier: Apache-2.0 */
/* Expression trees to values: names are looked up in substitutions, then among a formula's quantities. */
#include "paper/paper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static mmm_status evaluate(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree, const mmm_scope *scope,
                           mmm_fraction *out);

static const mmm_fraction *scope_find(const mmm_scope *scope, const char *name)
{
    for (; scope; scope = scope->outer)
        for (int i = 0; i < scope->count; i++)
            if (strcmp(scope->names[i], name) == 0) return &scope->values[i];
    return NULL;
}

/* ---- Names --------------------------------------------------------------------------------------------------------
 */

static const char *const machine_names[] = {"U", "Z", "P"};

static bool is_parameter(const mmm_formula *formula, const char *name)
{
    if (!formula) return true;
    for (int64_t i = 0; i < formula->parameter_count; i++)
        if (strcmp(formula->parameters[i].name, name) == 0) return true;
    for (size_t i = 0; i < sizeof machine_names / sizeof *machine_names; i++)
        if (strcmp(machine_names[i], name) == 0) return true;
    return false;
}

static mmm_status unknown_name(const mmm_formula *formula, const char *text, int position, const char *name)
{
    char list[300] = "";
    const char *known;
    for (int i = 0; (known = mmm_formula_name(formula, i, NULL)); i++)
        if (strlen(list) + strlen(known) + 2 < sizeof list) {
            strcat(list, " ");
            strcat(list, known);
        }
    if (!text) return mmm_fail(MMM_INVALID, "unknown name '%s'; accepted are%s", name, list);
    return mmm_fail_at(text, position, "unknown name '%s'; accepted are%s", name, list);
}

mmm_status mmm_check_parameter(const mmm_formula *formula, const char *name)
{
    return is_parameter(formula, name) ? MMM_OK : unknown_name(formula, NULL, 0, name);
}

static void note_given(mmm_evaluator *e, const char *given)
{
    if (given && e->calls) e->elsewhere = true;
    for (int i = 0; i < e->given_count; i++)
        if (given && strcmp(e->given[i], given) == 0) return;
    if (given && e->given_count < MMM_BINDINGS) e->given[e->given_count++] = given;
}

/* A quantity in the form asked for, stated or measured. */
static mmm_status evaluate_definition(mmm_evaluator *e, const mmm_definition *definition, const mmm_scope *scope,
                                      mmm_fraction *out)
{
    mmm_status result = MMM_OK;
    const mmm_expression *x = &definition->states;
    if (++e->depth > 24) FAIL(MMM_INVALID, "'%s' is defined by itself", definition->name);
    if (e->at) TRY(mmm_check_conditions(e, definition, scope));
    if (e->measured && definition->measured.root) {
        x = &definition->measured;
        e->met = true;
        note_given(e, definition->given);
    } else if (e->measured && definition->row) {
        e->missing = true;
        FAIL(MMM_INVALID, "%s has no measured form: a line 'measured ...' below it in the formulas would be one",
             definition->name);
    }
    result = evaluate(e, x, x->root, scope, out);
    if (result == MMM_INVALID && !e->missing && !strstr(mmm_message(), " (in ")) {
        char message[400];
        snprintf(message, sizeof message, "%s", mmm_message());
        result = mmm_fail(MMM_INVALID, "%s (in %s)", message, definition->name);
    }
done:
    e->depth--;
    return result;
}

/* W1, S1, ... : the naive form, or the program parameter at 1. */
static mmm_status evaluate_naive(mmm_evaluator *e, const char *base, const mmm_scope *scope, mmm_fraction *out)
{
    mmm_status result = MMM_OK;
    const mmm_definition *definition = mmm_formula_find(e->formula, base);
    mmm_scope inner = {.outer = scope};
    mmm_fraction one;
    mmm_value_init(e->space, &one);
    fmpz_mpoly_q_one(&one, e->space->ctx);
    TRY(mmm_scope_add(e->space, &inner, e->formula->program, &one));
    e->calls++;
    result = evaluate_definition(e, definition, &inner, out);
    e->calls--;
done:
    mmm_scope_free(e->space, &inner);
    mmm_value_clear(e->space, &one);
    return result;
}

static bool is_quantity(const mmm_formula *formula, const char *name);

/* (N/K + L) C of Corollary 1, or (N/P + L) C of Theorem 1 when `sms` is given. */
static mmm_status evaluate_time(mmm_evaluator *e, bool naive, const mmm_fraction *sms, const mmm_scope *scope,
                                mmm_fraction *out)
{
    static const char *const texts[][2] = {{"(N/K+L)*C", "(N/P+L)*C"}, {"(N1/K1+L1)*C1", "(N1/P+L1)*C1"}};
    mmm_status result = MMM_OK;
    mmm_expression x = {0};
    mmm_scope inner = {.outer = scope};
    if (!is_quantity(e->formula, "N") || !is_quantity(e->formula, "L") || !is_quantity(e->formula, "C") ||
        (!sms && !is_quantity(e->formula, "K")))
        FAIL(MMM_INVALID, "T needs N, L, C%s, and the formula does not define them all", sms ? "" : " and K");
    TRY(mmm_expression_parse(texts[naive][sms != NULL], &x));
    if (sms) TRY(mmm_scope_add(e->space, &inner, "P", sms));
    TRY(evaluate(e, &x, x.root, &inner, out));
done:
    mmm_scope_free(e->space, &inner);
    mmm_expression_free(&x);
    return result;
}

static bool naive_base(const mmm_formula *formula, const char *name, char *base)
{
    size_t length = strlen(name);
    if (length < 2 || name[length - 1] != '1') return false;
    memcpy(base, name, length);
    base[length - 1] = 0;
    return strcmp(base, "T") == 0 || (formula->program && mmm_formula_find(formula, base));
}

static bool is_quantity(const mmm_formula *formula, const char *name)
{
    char base[MMM_NAME + 1];
    return formula && (mmm_formula_find(formula, name) || strcmp(name, "T") == 0 || naive_base(formula, name, base));
}

static mmm_status evaluate_name(mmm_evaluator *e, const char *text, int position, const char *name,
                                const mmm_fraction *sms, const mmm_scope *scope, mmm_fraction *out)
{
    const mmm_fraction *bound = scope_find(scope, name);
    const mmm_definition *definition = e->formula ? mmm_formula_find(e->formula, name) : NULL;
    char base[MMM_NAME + 1];
    int atom;
    if (bound) {
        fmpz_mpoly_q_set(out, bound, e->space->ctx);
        return MMM_OK;
    }
    bool quantity = definition && (definition->row || definition->measured.root);
    if (quantity && e->opaque && e->calls) return mmm_fail(MMM_INVALID, "%s elsewhere is another quantity", name);
    if (definition && !(quantity && e->opaque)) return evaluate_definition(e, definition, scope, out);
    if (quantity || is_parameter(e->formula, name)) {
        mmm_status result = mmm_space_variable(e->space, name, &atom);
        if (result == MMM_OK) fmpz_mpoly_q_gen(out, atom, e->space->ctx);
        return result;
    }
    if (strcmp(name, "T") == 0 || strcmp(name, "T1") == 0) return evaluate_time(e, name[1] == '1', sms, scope, out);
    if (e->formula && naive_base(e->formula, name, base)) return evaluate_naive(e, base, scope, out);
    return unknown_name(e->formula, text, position, name);
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

static mmm_status evaluate_function(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree,
                                    const mmm_scope *scope, mmm_fraction *out)
{
    mmm_status result = MMM_OK;
    const mmm_tree *first = tree->left, *second = first ? first->next : NULL;
    bool power = strcmp(tree->name, "pow") == 0;
    if (!first || first->name[0] || (power ? !second || second->name[0] || second->next : second != NULL))
        return mmm_fail_at(x->text, tree->position, "%s takes %s", tree->name,
                           power ? "two arguments" : "one argument");
    if (power) {
        mmm_tree node = {.kind = NODE_POWER, .position = tree->position, .left = first->right, .right = second->right};
        return evaluate(e, x, &node, scope, out);
    }
    TRY(evaluate(e, x, first->right, scope, out));
    result = strcmp(tree->name, "log2") == 0   ? mmm_value_log2(e->space, out, out)
             : strcmp(tree->name, "exp2") == 0 ? mmm_value_exp2(e->space, out, out)
                                               : mmm_value_round(e->space, out, out, strcmp(tree->name, "ceil") == 0);
    if (result == MMM_INVALID) result = mmm_fail_at(x->text, tree->position, "%s", mmm_message());
done:
    return result;
}

/* W(s=1), W(1) (the program parameter), T(P) (Theorem 1), T(P, s=1). */
static mmm_status evaluate_call(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree, const mmm_scope *scope,
                                mmm_fraction *out)
{
    static const char *const functions[] = {"log2", "pow", "exp2", "ceil", "floor"};
    mmm_status result = MMM_OK;
    mmm_scope inner = {.outer = scope};
    mmm_fraction value, sms;
    bool time = strcmp(tree->name, "T") == 0 || strcmp(tree->name, "T1") == 0, theorem = false;
    mmm_value_init(e->space, &value);
    mmm_value_init(e->space, &sms);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(tree->name, functions[i]) == 0) {
            TRY(evaluate_function(e, x, tree, scope, out));
            goto done;
        }
    if (!is_quantity(e->formula, tree->name)) {
        if (e->formula && is_parameter(e->formula, tree->name))
            result = mmm_fail_at(x->text, tree->position, "'%s' is a parameter; write %s*(...) for a product",
                                 tree->name, tree->name);
        else if (e->formula)
            result = unknown_name(e->formula, x->text, tree->position, tree->name);
        else
            result = mmm_fail_at(x->text, tree->position, "'%s' is no function; write %s*(...) for a product",
                                 tree->name, tree->name);
        goto done;
    }
    for (const mmm_tree *argument = tree->left; argument; argument = argument->next) {
        TRY(evaluate(e, x, argument->right, scope, &value));
        if (argument->name[0]) {
            if (!is_parameter(e->formula, argument->name)) {
                result = unknown_name(e->formula, x->text, argument->position, argument->name);
                goto done;
            }
            TRY(mmm_scope_add(e->space, &inner, argument->name, &value));
        } else if (argument != tree->left) {
            result =
                mmm_fail_at(x->text, argument->position, "only the first argument may go without a name, as in s=1");
            goto done;
        } else if (time && !mmm_formula_find(e->formula, tree->name)) {
            theorem = true;
            fmpz_mpoly_q_set(&sms, &value, e->space->ctx);
        } else if (!e->formula->program) {
            result = mmm_fail_at(x->text, argument->position, "the argument needs a name, as in s=1");
            goto done;
        } else {
            TRY(mmm_scope_add(e->space, &inner, e->formula->program, &value));
        }
    }
    e->calls += inner.count > 0;
    result = evaluate_name(e, x->text, tree->position, tree->name, theorem ? &sms : NULL, &inner, out);
    e->calls -= inner.count > 0;
done:
    mmm_scope_free(e->space, &inner);
    mmm_value_clear(e->space, &value);
    mmm_value_clear(e->space, &sms);
    return result;
}

/* ---- Trees --------------------------------------------------------------------------------------------------------
 */

static mmm_status evaluate_number(mmm_evaluator *e, const char *digits, mmm_fraction *out)
{
    char whole[MMM_DIGITS + 2] = "";
    int length = 0, places = -1;
    fmpq_t number;
    fmpq_init(number);
    for (; *digits; digits++) {
        if (*digits == '.') {
            places = 0;
            continue;
        }
        whole[length++] = *digits;
        if (places >= 0) places++;
    }
    whole[length] = 0;
    fmpz_set_str(fmpq_numref(number), whole, 10);
    if (places > 0) fmpz_ui_pow_ui(fmpq_denref(number), 10, (ulong)places);
    fmpq_canonicalise(number);
    fmpz_mpoly_q_set_fmpq(out, number, e->space->ctx);
    fmpq_clear(number);
    return MMM_OK;
}

static mmm_status evaluate_power(mmm_evaluator *e, const mmm_fraction *base, const mmm_fraction *exponent,
                                 mmm_fraction *out)
{
    fmpz_t whole;
    mmm_status result = MMM_OK;
    fmpz_init(whole);
    if (fmpz_mpoly_q_is_fmpz(exponent, e->space->ctx)) {
        fmpz_mpoly_get_fmpz(whole, fmpz_mpoly_q_numref(exponent), e->space->ctx);
        if (!fmpz_fits_si(whole)) FAIL(MMM_INVALID, "a power beyond %d", MMM_BITS);
        TRY(mmm_value_raise(e->space, out, base, fmpz_get_si(whole)));
    } else {
        mmm_fraction two;
        mmm_value_init(e->space, &two);
        fmpz_mpoly_q_set_si(&two, 2, e->space->ctx);
        bool power_of_two = mmm_value_same(e->space, base, &two);
        mmm_value_clear(e->space, &two);
        if (!power_of_two) FAIL(MMM_INVALID, "only 2 can be raised to a power that is not a whole number");
        TRY(mmm_value_exp2(e->space, out, exponent));
    }
done:
    fmpz_clear(whole);
    return result;
}

/* out = out operator right, or -out. */
static mmm_status evaluate_operator(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree,
                                    const mmm_fraction *right, mmm_fraction *out)
{
    mmm_status result = MMM_OK;
    switch (tree->kind) {
    case NODE_NEGATE: fmpz_mpoly_q_neg(out, out, e->space->ctx); return MMM_OK;
    case NODE_ADD: return mmm_value_add(e->space, out, out, right);
    case NODE_SUBTRACT: return mmm_value_subtract(e->space, out, out, right);
    case NODE_MULTIPLY: return mmm_value_multiply(e->space, out, out, right);
    case NODE_DIVIDE:
        if (fmpz_mpoly_q_is_zero(right, e->space->ctx)) return mmm_fail_at(x->text, tree->position, "division by zero");
        return mmm_value_divide(e->space, out, out, right);
    default:
        result = evaluate_power(e, out, right, out);
        return result == MMM_INVALID ? mmm_fail_at(x->text, tree->position, "%s", mmm_message()) : result;
    }
}

static bool is_operator(const mmm_tree *tree)
{
    return tree->kind >= NODE_NEGATE && tree->kind <= NODE_POWER;
}

/* a + b + c + ... is a tree that is as deep to the left as the text is long: that way goes by a loop, and only brackets
 * go deeper, of which there are at most MMM_NESTING. */
static mmm_status evaluate(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree, const mmm_scope *scope,
                           mmm_fraction *out)
{
    mmm_status result = MMM_OK;
    mmm_fraction left, right;
    const mmm_tree **spine = NULL, *leaf = tree;
    int64_t count = 0;
    for (; is_operator(leaf); leaf = leaf->left)
        count++;
    e->space->budget -= count + 1;
    if (e->space->budget < 0) return mmm_fail(MMM_TOO_LARGE, "the expression grows too large to work with");
    switch (leaf->kind) {
    case NODE_NUMBER: result = evaluate_number(e, leaf->digits, out); break;
    case NODE_NAME: result = evaluate_name(e, x->text, leaf->position, leaf->name, NULL, scope, out); break;
    case NODE_CALL: result = evaluate_call(e, x, leaf, scope, out); break;
    default: return mmm_fail_at(x->text, leaf->position, "a relation cannot stand here");
    }
    if (result != MMM_OK || !count) return result;
    mmm_value_init(e->space, &left);
    mmm_value_init(e->space, &right);
    fmpz_mpoly_q_swap(&left, out, e->space->ctx);
    TRY(mmm_alloc(&spine, count, sizeof *spine));
    for (int64_t i = count; i > 0; tree = tree->left)
        spine[--i] = tree;
    for (int64_t i = 0; i < count; i++) {
        if (spine[i]->right) TRY(evaluate(e, x, spine[i]->right, scope, &right));
        TRY(evaluate_operator(e, x, spine[i], &right, &left));
    }
    fmpz_mpoly_q_swap(out, &left, e->space->ctx);
done:
    mmm_free(spine);
    mmm_value_clear(e->space, &left);
    mmm_value_clear(e->space, &right);
    return result;
}

mmm_status mmm_evaluate(mmm_evaluator *e, const mmm_expression *x, const mmm_tree *tree, const mmm_scope *scope,
                        mmm_fraction *out)
{
    mmm_place_clear();
    return evaluate(e, x, tree, scope, out);
}
