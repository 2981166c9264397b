/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: what each is part of, so that nothing is written that must not be. */
#include "kernel/generator.h"

#include <string.h>

static const gen_value unknown = {.unknown = true, .lvalue = true};

/* Whether a plain variable that all threads may share is what the value is, or points into. */
bool mmm_gen_outer(generator *g, const gen_value *value)
{
    return g->where == WHERE_PART && value->object && !value->object->inner;
}

void mmm_gen_shared(generator *g, const gen_token *at, const gen_symbol *symbol)
{
    mmm_gen_error(g, at,
                  "'%s' is declared outside this region and written in it: one machine would share it, another not; "
                  "declare it PRIVATE (each thread's own) or LOCAL (the block's), or inside the region",
                  symbol->name->text);
}

void mmm_gen_check_write(generator *g, const gen_token *at, const gen_value *v)
{
    const gen_symbol *object = v->object;
    if (g->lost || v->unknown) return;
    if (g->pure) {
        mmm_gen_error(g, at,
                      "something is written in %s, which may be looked at more than once or never; write it before",
                      g->pure);
    } else if (v->name || (object && object->kind != SYMBOL_VARIABLE)) {
        mmm_gen_error(g, at, "'%s' is %s and cannot be written; use a variable of your own",
                      v->name ? v->name->text : object->name->text,
                      v->name                           ? "given"
                      : object->kind == SYMBOL_THREAD   ? "the name of a thread or an item"
                      : object->kind == SYMBOL_COUNTER  ? "counted by EACH"
                      : object->kind == SYMBOL_CONSTANT ? "a CONSTANT"
                                                        : "a number");
    } else if (!v->lvalue || v->array) {
        mmm_gen_error(g, at, "what is written here is neither a variable nor an element of an array");
    } else if (v->levels > 0 ? object->fixed : v->constant) {
        mmm_gen_error(g, at, "'%s' is const and written; leave const out where it is declared",
                      object ? object->name->text : "it");
    } else if (v->levels > 0 || v->place == PLACE_PLAIN) {
        if (mmm_gen_outer(g, v)) mmm_gen_shared(g, at, object);
        if (g->first_group && g->where == WHERE_BETWEEN && object && object->scope < g->first_group)
            mmm_gen_error(g, at,
                          "'%s' is declared outside FIRST_GROUP and written in it: the other threads would not know; "
                          "declare it LOCAL, or inside",
                          object->name->text);
    } else if (v->place == PLACE_GLOBAL || v->place == PLACE_LOCAL) {
        if (mmm_gen_in_lanes(g) && !g->element)
            mmm_gen_error(g, at,
                          "an element of %s '%s' is written in LANES, which takes several threads at once; write "
                          "lanes_store(a[i], x)",
                          v->place == PLACE_GLOBAL ? "GLOBAL" : "LOCAL", object ? object->name->text : "memory");
        if (g->where == WHERE_THREAD)
            g->function->shared = true;
        else if (g->where != WHERE_PART)
            mmm_gen_error(g, at,
                          "an element of %s '%s' is written outside a region: every thread would do it; write THREADS "
                          "(t, 0, 1) before it",
                          v->place == PLACE_GLOBAL ? "GLOBAL" : "LOCAL", object ? object->name->text : "memory");
    }
}

static void compute(generator *g, bool data)
{
    if (data && g->index == 0 && g->function) g->function->computes = true;
}

static gen_value element(gen_value base)
{
    base.levels--;
    base.array = base.levels > 0;
    base.lvalue = base.levels == 0;
    base.data = base.place != PLACE_PLAIN || (base.object && base.object->data);
    return base;
}

/* Numbers of 64 bits, with which one could reach from one array into another. */
static bool is_far(const gen_value *number)
{
    return !number->unknown && (mmm_gen_types[number->type].bytes == 8 || number->type == TYPE_WORD);
}

static void wrap_far(generator *g, const gen_value *pointer, const gen_value *number, int64_t first, int64_t last)
{
    if (!is_far(number) || pointer->unknown || (pointer->place != PLACE_GLOBAL && pointer->place != PLACE_LOCAL))
        return;
    mmm_gen_wrap(g, first, last,
                 mmm_gen_format(g, "MMM_FAR(%s, ", pointer->object ? pointer->object->name->text : "0"));
}

static bool is_op(const gen_token *token, int op)
{
    return token->kind == TOKEN_OPERATOR && token->op == op;
}

/* Whether these tokens are a sum of which one term is the thread, which is in no other: neighbours have neighbouring
 * elements. */
static bool goes_with_thread(const generator *g, int64_t first, int64_t last)
{
    int depth = 0, threads = 0;
    for (int64_t i = first; i <= last; i++) {
        const gen_token *t = &g->tokens.at[i], *before = t - 1, *after = t + 1;
        depth += is_op(t, '(') - is_op(t, ')');
        const bool joins = !depth && t->kind == TOKEN_OPERATOR;
        if (joins && !is_op(t, '+') && !is_op(t, '-') && !is_op(t, '*') && !is_op(t, '/') && !is_op(t, '%') &&
            !is_op(t, ')'))
            return false;
        if (t->kind != TOKEN_NAME || !g->thread || t->name != g->thread) continue;
        if (depth || (i > first && !is_op(before, '+')) || (i < last && !is_op(after, '+') && !is_op(after, '-')))
            return false;
        threads++;
    }
    return threads == 1 && last > first;
}

/* Sums of 32 bits in a part: see MMM_SUM of CPUs. */
static void wrap_sum(generator *g, const gen_value *array, const gen_value *index, int64_t first, int64_t last)
{
    if (index->unknown || index->levels || array->unknown || mmm_gen_types[index->type].same != TYPE_I32) return;
    if (array->place != PLACE_GLOBAL && array->place != PLACE_LOCAL) return;
    if (g->where == WHERE_PART && goes_with_thread(g, first, last)) mmm_gen_wrap(g, first, last, "MMM_SUM(");
}

gen_value mmm_gen_index(generator *g)
{
    g->index++;
    const gen_token *at = mmm_gen_peek(g, 0);
    gen_value index = mmm_gen_assignment(g);
    g->index--;
    mmm_gen_want_scalar(g, at, index.type, "an index");
    if (!index.unknown && index.levels > 0 && !g->lost) mmm_gen_error(g, at, "this index is a pointer, not a number");
    if (mmm_gen_is(g, ',')) mmm_gen_lost(g, mmm_gen_peek(g, 0), "a comma in an index; write [i][j] or [i * n + j]");
    mmm_gen_expect(g, ']', "after an index");
    return index;
}

/* An element by its index, whose tokens begin after the [. */
static gen_value read_element(generator *g, gen_value base)
{
    int64_t first = g->at;
    gen_value index = mmm_gen_index(g);
    if (base.levels == 0 || base.unknown) return unknown;
    if (base.array && base.place == PLACE_PLAIN && base.object)
        mmm_gen_wrap(g, first, g->at - 2,
                     mmm_gen_format(g, "MMM_OWN(%s%s, ", base.object->name->text,
                                    base.levels < base.object->levels ? "[0]" : ""));
    wrap_far(g, &base, &index, first, g->at - 2);
    wrap_sum(g, &base, &index, first, g->at - 2);
    gen_value value = element(base);
    if (value.levels == 0 && base.place == PLACE_PLAIN && base.array && !mmm_gen_is(g, '='))
        mmm_gen_value_read(g, base.object, &g->tokens.at[first - 2]);
    return value;
}

static gen_value read_postfix(generator *g)
{
    gen_value value = mmm_gen_primary(g);
    for (;;) {
        const gen_token *token = mmm_gen_peek(g, 0);
        if (mmm_gen_accept(g, '[')) {
            if (value.levels == 0 && !value.unknown)
                mmm_gen_error(g, token, "[ after what is no array%s%s", value.object ? ": " : "",
                              value.object ? value.object->name->text : "");
            value = read_element(g, value);
        } else if (mmm_gen_is(g, OP2('+', '+')) || mmm_gen_is(g, OP2('-', '-'))) {
            g->at++;
            mmm_gen_check_write(g, token, &value);
            mmm_gen_want_scalar(g, token, value.type, "++ or --");
            compute(g, value.data && value.levels == 0);
            value.lvalue = false;
        } else if (value.unknown && mmm_gen_is(g, '.') && mmm_gen_peek(g, 1)->kind == TOKEN_NAME) {
            g->at += 2; /* threadIdx.x: said already */
        } else if (mmm_gen_is(g, '.') || mmm_gen_is(g, OP2('-', '>'))) {
            mmm_gen_lost(g, token, "a member with %.*s: there are no structs; write an array for each member",
                         token->length, token->text);
        } else if (mmm_gen_is(g, '(')) {
            mmm_gen_lost(g, token, "a call of what is no function; call functions by their names");
        } else {
            return value;
        }
    }
}

static gen_value read_address(generator *g, const gen_token *at, gen_value value)
{
    const gen_symbol *object = value.object;
    if (g->lost || value.unknown) return unknown;
    if (value.levels > 0) {
        mmm_gen_error(g, at, "& of a pointer or an array; write & and an element, as in &a[0]");
        return unknown;
    }
    if (value.place == PLACE_PRIVATE) {
        mmm_gen_error(g, at, "& of the PRIVATE '%s': a PRIVATE is reached as x or x[k]", object->name->text);
        return unknown;
    }
    if (value.name || !value.lvalue || (object && object->kind != SYMBOL_VARIABLE)) {
        mmm_gen_error(g, at, "& of %s%s%s: write & and a variable or an element",
                      value.name || object ? "'" : "a value",
                      value.name ? value.name->text
                      : object   ? object->name->text
                                 : "",
                      value.name || object ? "'" : "");
        return unknown;
    }
    if (value.place == PLACE_PLAIN && mmm_gen_outer(g, &value)) mmm_gen_shared(g, at, object);
    if (value.place == PLACE_PLAIN) mmm_gen_value_given(g, value.object); /* by whom it is given to */
    value.levels = 1;
    value.lvalue = value.array = false;
    return value;
}

gen_value mmm_gen_unary(generator *g)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    int op = token->kind == TOKEN_OPERATOR ? token->op : 0;
    bool write = op == OP2('+', '+') || op == OP2('-', '-');
    if (!write && op != '*' && op != '&' && op != '-' && op != '+' && op != '~' && op != '!') return read_postfix(g);
    if (!mmm_gen_enter(g)) return unknown;
    g->at++;
    gen_value value = mmm_gen_unary(g);
    g->nesting--;
    if (op == '&') return read_address(g, token, value);
    if (op == '*') {
        if (value.levels == 0 && !value.unknown && !g->lost) mmm_gen_error(g, token, "* before what is no pointer");
        return value.levels == 0 || value.unknown ? unknown : element(value);
    }
    if (write) mmm_gen_check_write(g, token, &value);
    mmm_gen_want_scalar(g, token, value.type, "a sign or ++, -- and !");
    if (op != '!' && op != '+') compute(g, value.data && value.levels == 0);
    if (op == '-' || op == '~' || op == '+') {
        if (value.levels > 0 && !value.unknown && !g->lost) mmm_gen_error(g, token, "a sign before a pointer");
        value.levels = 0;
    }
    if (op == '!') value.levels = 0, value.type = TYPE_INT;
    value.lvalue = false;
    value.name = NULL;
    return value;
}

/* The type of a sum of both, as C has it. */
gen_type mmm_gen_common(gen_type x, gen_type y)
{
    if (x == TYPE_DOUBLE || y == TYPE_DOUBLE) return TYPE_DOUBLE;
    if (x == TYPE_FLOAT || y == TYPE_FLOAT) return TYPE_FLOAT;
    return mmm_gen_types[y].bytes > mmm_gen_types[x].bytes ? y : x;
}

static int precedence(const gen_token *token)
{
    static const struct {
        int op, precedence;
    } table[] = {{OP2('|', '|'), 1}, {OP2('&', '&'), 2}, {'|', 3},           {'^', 4}, {'&', 5},
                 {OP2('=', '='), 6}, {OP2('!', '='), 6}, {'<', 7},           {'>', 7}, {OP2('<', '='), 7},
                 {OP2('>', '='), 7}, {OP2('<', '<'), 8}, {OP2('>', '>'), 8}, {'+', 9}, {'-', 9},
                 {'*', 10},          {'/', 10},          {'%', 10}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (token->kind == TOKEN_OPERATOR && token->op == table[i].op) return table[i].precedence;
    return 0;
}

/* Residues are words or operands, and neither is the other. */
void mmm_gen_check_operand(generator *g, const gen_token *at, gen_type to, gen_type from)
{
    if (to == TYPE_OPERAND && from == TYPE_WORD)
        mmm_gen_error(g, at, "a word where an operand is expected; write operand_of(...)");
    else if (to == TYPE_WORD && from == TYPE_OPERAND)
        mmm_gen_error(g, at, "an operand where a word is expected; keep the word");
    else if (to == TYPE_MULTIPLIER && from != to)
        mmm_gen_error(g, at, "%s where a multiplier is expected; write multiplier_of(...)", mmm_gen_types[from].name);
    else if (from == TYPE_MULTIPLIER && from != to)
        mmm_gen_error(g, at, "a multiplier where %s is expected; keep the word", mmm_gen_types[to].name);
    else if (to != from && (mmm_gen_is_lanes(to) || mmm_gen_is_lanes(from)))
        mmm_gen_error(g, at, "%s where %s is expected; lanes come from lanes_load and go to lanes_store",
                      mmm_gen_types[from].name, mmm_gen_types[to].name);
}

static gen_value read_binary(generator *g, int least)
{
    int64_t first = g->at;
    gen_value left = mmm_gen_unary(g);
    for (;;) {
        const gen_token *token = mmm_gen_peek(g, 0);
        int level = precedence(token);
        if (level == 0 || level < least) return left;
        int64_t at = g->at++, mark = g->flow.count;
        gen_value right = read_binary(g, level + 1);
        if (level <= 2) mmm_gen_flow_back(g, mark); /* && and || may not come to it */
        bool vague = left.unknown || right.unknown || g->lost, logical = level <= 2 || level == 6 || level == 7;
        gen_value value = {.type = logical      ? TYPE_INT
                                   : level == 8 ? left.type /* a shift */
                                                : mmm_gen_common(left.type, right.type),
                           .data = left.data || right.data,
                           .unknown = left.unknown || right.unknown};
        if (!vague && (left.levels > 0 || right.levels > 0) && !logical) {
            bool sum = level == 9 && (left.levels == 0 || (right.levels == 0 && token->op == '-') ||
                                      (right.levels == 0 && token->op == '+'));
            bool difference = token->op == '-' && left.levels == right.levels;
            if (token->op == '-' && left.levels == 0) sum = false;
            if (!sum && !difference)
                mmm_gen_error(g, token, "'%.*s' with a pointer: only + and - of a number", token->length, token->text);
            if (difference) value.type = TYPE_INT;
            if (sum) {
                if (left.levels > 0)
                    wrap_far(g, &left, &right, at + 1, g->at - 1);
                else
                    wrap_far(g, &right, &left, first, at - 1);
                value = left.levels > 0 ? left : right;
                value.lvalue = value.array = false;
                value.name = NULL;
                if (value.levels == 2) mmm_gen_error(g, token, "a sum with an array of arrays; write its index");
            }
        } else if (!logical) {
            compute(g, left.data || right.data);
        }
        if (!vague && (left.type == TYPE_MULTIPLIER || right.type == TYPE_MULTIPLIER)) {
            mmm_gen_want_scalar(g, token, TYPE_MULTIPLIER, "this operation");
            value.unknown = true;
        } else if (!vague && level == 9)
            mmm_gen_check_lanes(g, token, left.type, right.type);
        else if (!vague)
            mmm_gen_want_scalar(g, token, mmm_gen_is_lanes(left.type) ? left.type : right.type, "this operation");
        left = value;
    }
}

gen_value mmm_gen_condition(generator *g)
{
    gen_value value = read_binary(g, 1);
    const gen_token *token = mmm_gen_peek(g, 0);
    if (!mmm_gen_accept(g, '?')) return value;
    if (!mmm_gen_enter(g)) return unknown;
    gen_ways ways = mmm_gen_ways(g);
    gen_value first = mmm_gen_expression(g);
    mmm_gen_expect(g, ':', "after ? and a value");
    mmm_gen_ways_other(g, &ways);
    gen_value second = mmm_gen_condition(g);
    mmm_gen_ways_meet(g, &ways);
    g->nesting--;
    if (g->lost || first.unknown || second.unknown) return (gen_value){.unknown = true};
    if (first.levels != second.levels)
        mmm_gen_error(g, token, "? between a pointer and a number");
    else if (first.levels > 0 &&
             (first.place != second.place || mmm_gen_types[first.type].same != mmm_gen_types[second.type].same))
        mmm_gen_error(g, token, "? between pointers to different memory or of different types");
    else if (first.levels > 0 && first.place == PLACE_PLAIN && first.object != second.object)
        mmm_gen_error(g, token, "? between two arrays of a thread; write if and else");
    if (first.levels == 0) first.type = mmm_gen_common(first.type, second.type);
    mmm_gen_want_scalar(g, token, first.type, "?");
    first.constant |= second.constant;
    first.data |= second.data;
    first.lvalue = first.array = false;
    first.name = NULL;
    return first;
}

gen_value mmm_gen_assignment(generator *g)
{
    if (!mmm_gen_enter(g)) return unknown;
    gen_value left = mmm_gen_condition(g);
    const gen_token *token = mmm_gen_peek(g, 0);
    bool assigns = token->kind == TOKEN_OPERATOR && token->text[token->length - 1] == '=' &&
                   (token->length != 2 || !strchr("=!<>", token->text[0]));
    if (assigns) {
        int64_t first = ++g->at;
        gen_value right = mmm_gen_assignment(g);
        mmm_gen_check_write(g, token, &left);
        if (token->op == '=' && left.object && (left.levels > 0 || left.place == PLACE_PLAIN))
            mmm_gen_value_given(g, left.object);
        if (token->op != '=' && left.levels > 0) wrap_far(g, &left, &right, first, g->at - 1);
        if (token->op != '=') compute(g, (left.data || right.data) && left.levels == 0);
        if (g->lost || left.unknown || right.unknown) {
            /* said already */
        } else if (left.levels > 0 && !left.array && token->op == '=') {
            mmm_gen_point(g, token, &right, left.type, left.place, left.constant,
                          left.object ? left.object->name->text : "it");
        } else if (left.levels > 0) {
            if (right.levels > 0 || (token->op != OP2('+', '=') && token->op != OP2('-', '=')))
                mmm_gen_error(g, token, "'%.*s' with a pointer: only = += and -=", token->length, token->text);
        } else if (right.levels > 0) {
            mmm_gen_error(g, token, "a pointer or an array where a number is expected");
        } else {
            mmm_gen_check_operand(g, token, left.type, right.type);
            if (token->op != '=') mmm_gen_want_scalar(g, token, left.type, "this assignment");
        }
        if (left.object && left.levels == 0 && left.place == PLACE_PLAIN) left.object->data |= right.data;
        left.lvalue = false;
    }
    g->nesting--;
    return left;
}

gen_value mmm_gen_expression(generator *g)
{
    gen_value value = mmm_gen_assignment(g);
    while (mmm_gen_accept(g, ',')) {
        value = mmm_gen_assignment(g);
        value.lvalue = false;
    }
    return value;
}
