/* SPDX-License-Identifier: Apache-2.0 */
/* The top level of a kernel file: kernels, functions and their parameters. */
#include "kernel/generator.h"

#include <string.h>

static const gen_token end_token = {.text = "", .kind = TOKEN_END};

const gen_token *mmm_gen_peek(generator *g, int64_t ahead)
{
    if (g->lost || g->status != MMM_OK || g->errors >= GEN_ERRORS || g->at + ahead >= g->tokens.count)
        return &end_token;
    return &g->tokens.at[g->at + ahead];
}

static const gen_token *here(const generator *g)
{
    return &g->tokens.at[g->at];
}

bool mmm_gen_is(generator *g, int op)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    return token->kind == TOKEN_OPERATOR && token->op == op;
}

bool mmm_gen_is_word(generator *g, gen_keyword word)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    return token->kind == TOKEN_NAME && token->name->word && token->name->word->class == CLASS_KEYWORD &&
           token->name->word->value == (int)word;
}

bool mmm_gen_accept(generator *g, int op)
{
    bool is = mmm_gen_is(g, op);
    g->at += is;
    return is;
}

void mmm_gen_expect(generator *g, int op, const char *where)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    if (mmm_gen_accept(g, op)) return;
    if (token->kind == TOKEN_END)
        mmm_gen_lost(g, here(g), "'%c' is missing %s, where the file ends", op, where);
    else
        mmm_gen_lost(g, token, "'%c' is missing %s, before '%.*s'", op, where, token->length < 60 ? token->length : 60,
                     token->text);
}

bool mmm_gen_enter(generator *g)
{
    if (++g->nesting <= GEN_NESTING) return true;
    mmm_gen_lost(g, here(g), "more than %d brackets or statements inside each other", GEN_NESTING);
    return false;
}

gen_edit *mmm_gen_edit(generator *g, int64_t token)
{
    return &g->edits[token];
}

void mmm_gen_wrap(generator *g, int64_t first, int64_t last, const char *before)
{
    if (g->lost || g->status != MMM_OK || first > last) return;
    gen_edit *begin = &g->edits[first], *end = &g->edits[last];
    begin->before = mmm_gen_format(g, "%s%s", before, begin->before ? begin->before : "");
    end->after = mmm_gen_format(g, "%s)", end->after ? end->after : "");
}

static bool has_class(const gen_token *token, gen_class class)
{
    return token->kind == TOKEN_NAME && token->name->word && token->name->word->class == class;
}

/* To the end of the item that begins at `first`: its last } or ; outside brackets. */
static void skip_item(generator *g, int64_t first)
{
    int depth = 0;
    for (g->at = first; g->tokens.at[g->at].kind != TOKEN_END; g->at++) {
        const gen_token *token = here(g);
        if (token->kind != TOKEN_OPERATOR) continue;
        if (token->op == '{' || token->op == '(' || token->op == '[') depth++;
        if (token->op == '}' || token->op == ')' || token->op == ']') depth--;
        if (depth <= 0 && (token->op == '}' || token->op == ';')) break;
    }
    if (here(g)->kind != TOKEN_END) g->at++;
}

/* GLOBAL const word *a, int n, CONSTANT int s, PRIVATE word *x, word *own */
static void read_parameter(generator *g, gen_function *f)
{
    const gen_token *start = mmm_gen_peek(g, 0);
    int64_t at = g->at;
    gen_parameter parameter = {0};
    if (mmm_gen_is_word(g, WORD_GLOBAL) || mmm_gen_is_word(g, WORD_LOCAL) || mmm_gen_is_word(g, WORD_PRIVATE)) {
        parameter.place = mmm_gen_is_word(g, WORD_GLOBAL)  ? PLACE_GLOBAL
                          : mmm_gen_is_word(g, WORD_LOCAL) ? PLACE_LOCAL
                                                           : PLACE_PRIVATE;
        static const char *const emitted[] = {"", "MMM_GLOBAL", "MMM_IN_LOCAL", "MMM_IN_PRIVATE"};
        mmm_gen_edit(g, at)->instead = emitted[parameter.place];
        g->at++;
    } else if (mmm_gen_is_word(g, WORD_CONSTANT)) {
        parameter.compiled_in = true;
        g->at++;
    }
    const gen_token *type = mmm_gen_peek(g, 0);
    parameter.type = mmm_gen_read_type(g, &parameter.constant);
    parameter.pointer = mmm_gen_accept(g, '*');
    bool fixed = !parameter.pointer && parameter.constant;
    if (mmm_gen_is_word(g, WORD_CONST)) {
        fixed = true;
        g->at++;
    }
    const gen_token *name = mmm_gen_peek(g, 0);
    if (mmm_gen_is(g, '*')) {
        mmm_gen_lost(g, name, "a parameter that points to pointers: write one array and offsets into it");
    } else if (mmm_gen_is(g, '(')) {
        mmm_gen_lost(g, name, "a parameter that points to a function: call the function by its name");
    } else if (name->kind != TOKEN_NAME) {
        mmm_gen_lost(g, start, "a parameter needs a type and a name, as in 'GLOBAL const word *a' or 'int n'");
    }
    if (name->kind != TOKEN_NAME) return;
    g->at++;
    if (mmm_gen_is(g, '[')) {
        mmm_gen_lost(g, name, "the parameter '%s' is an array; write a pointer, as in 'GLOBAL word *%s'",
                     name->name->text, name->name->text);
        return;
    }
    parameter.name = name->name;
    if (f->kernel && parameter.pointer && parameter.constant)
        mmm_gen_edit(g, g->at - 1)->before = mmm_gen_format(g, "MMM_ALONE(%s) ", name->name->text);
    mmm_gen_check_name(g, name, false, f->kernel);
    const gen_type_facts *facts = &mmm_gen_types[parameter.type];
    if (parameter.compiled_in) {
        if (!f->kernel)
            mmm_gen_error(g, name, "CONSTANT '%s' in a function: only kernels have CONSTANT parameters; write int",
                          name->name->text);
        if (parameter.type != TYPE_INT || parameter.pointer)
            mmm_gen_error(g, name, "the CONSTANT '%s' is no int; write CONSTANT int %s", name->name->text,
                          name->name->text);
        for (int64_t i = at; i < g->at; i++)
            mmm_gen_edit(g, i)->instead = "";
        mmm_gen_edit(g, at)->instead = mmm_gen_format(g, "MMM_CONSTANT(%s)", name->name->text);
    } else if (parameter.type == TYPE_VOID || parameter.type == TYPE_PRODUCTS || parameter.type == TYPE_DOTS ||
               parameter.type == TYPE_MULTIPLIER || mmm_gen_is_lanes(parameter.type)) {
        mmm_gen_error(g, type, "the parameter '%s' is %s: %s", name->name->text, facts->name,
                      parameter.type == TYPE_VOID ? "write its type" : "only variables are; pass the value as a word");
    } else if (parameter.type == TYPE_OPERAND && (f->kernel || parameter.place == PLACE_GLOBAL)) {
        mmm_gen_error(g, type, "the parameter '%s' is operand, whose size differs between machines; write word",
                      name->name->text);
    } else if (f->kernel && parameter.pointer && parameter.place != PLACE_GLOBAL) {
        mmm_gen_error(g, name, "the kernel's parameter '%s' points to memory that is not GLOBAL; write GLOBAL %s *%s",
                      name->name->text, facts->name, name->name->text);
    } else if (f->kernel && !parameter.pointer && !facts->scalar) {
        mmm_gen_error(g, name,
                      "the kernel's parameter '%s' is %s; write int, unsigned, word, i32, u32, i64, u64, float "
                      "or double",
                      name->name->text, facts->name);
    }
    if (!parameter.pointer && parameter.place != PLACE_PLAIN)
        mmm_gen_error(g, name, "the parameter '%s' is no pointer; write %s *%s", name->name->text, facts->name,
                      name->name->text);
    if (parameter.place == PLACE_PRIVATE && !f->regions)
        mmm_gen_error(
            g, name,
            "PRIVATE '%s' in a function without regions: a thread passes its value; write %s %s, without the *",
            name->name->text, facts->name, name->name->text);
    if (f->parameter_count == GEN_PARAMETERS) {
        mmm_gen_error(g, name, "'%s' has more than %d parameters; put numbers into an array", f->name->text,
                      GEN_PARAMETERS);
        return;
    }
    f->parameters[f->parameter_count++] = parameter;
    gen_symbol symbol = {.kind = parameter.compiled_in ? SYMBOL_CONSTANT : SYMBOL_VARIABLE,
                         .type = parameter.type,
                         .levels = parameter.pointer,
                         .place = parameter.pointer ? parameter.place : PLACE_PLAIN,
                         .array = parameter.place == PLACE_PRIVATE,
                         .constant = parameter.pointer ? parameter.constant : fixed,
                         .fixed = fixed,
                         .parameter = true};
    symbol.data = !parameter.pointer &&
                  (parameter.type == TYPE_WORD || parameter.type == TYPE_FLOAT || parameter.type == TYPE_DOUBLE);
    mmm_gen_declare(g, name, symbol);
}

static void read_parameters(generator *g, gen_function *f)
{
    mmm_gen_expect(g, '(', "after the name of a function");
    int64_t open = g->at - 1;
    const gen_token *next = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    if (has_class(next, CLASS_TYPE) && next->name->word->value == TYPE_VOID && after->kind == TOKEN_OPERATOR &&
        after->op == ')') {
        mmm_gen_edit(g, g->at)->instead = "";
        g->at++;
    }
    while (!mmm_gen_is(g, ')') && mmm_gen_peek(g, 0)->kind != TOKEN_END) {
        read_parameter(g, f);
        if (!mmm_gen_is(g, ')')) mmm_gen_expect(g, ',', "between parameters");
    }
    if (mmm_gen_is(g, ')')) {
        if (f->parameter_count > 0)
            mmm_gen_edit(g, g->at)->before = f->kernel ? " MMM_KERNEL_BLOCK" : " MMM_BLOCK";
        else
            mmm_gen_edit(g, open)->after = f->kernel ? "MMM_KERNEL_BLOCK_ONLY" : "MMM_BLOCK_ONLY";
    }
    mmm_gen_expect(g, ')', "after the parameters");
}

/* Whether the body that begins after the next { has regions, or calls of functions that have. */
static bool has_regions(generator *g)
{
    int depth = 0;
    for (int64_t i = g->at; i < g->tokens.count; i++) {
        const gen_token *token = &g->tokens.at[i];
        if (token->kind == TOKEN_OPERATOR) {
            depth += (token->op == '{') - (token->op == '}');
            if (token->op == '}' && depth <= 0) return false;
        } else if (token->kind == TOKEN_NAME && depth > 0) {
            const gen_word *word = token->name->word;
            const gen_symbol *symbol = token->name->symbol;
            if (word && word->class == CLASS_KEYWORD && word->value >= WORD_THREADS && word->value <= WORD_THREADS_2D)
                return true;
            if (symbol && symbol->kind == SYMBOL_FUNCTION && symbol->function->regions && token[1].op == '(')
                return true;
        }
    }
    return false;
}

static void check_kernel(generator *g, gen_function *f, const gen_token *name)
{
    if (f->type != TYPE_VOID)
        mmm_gen_error(g, name, "the kernel '%s' returns %s; write KERNEL void, and results to a GLOBAL array",
                      f->name->text, mmm_gen_types[f->type].name);
    if (!f->regions)
        mmm_gen_error(g, name, "the kernel '%s' has no region; write THREADS (t) before what its threads do",
                      f->name->text);
    if (f->computes && !f->charges)
        mmm_gen_warn(g, name, "the kernel '%s' computes but charges no operation; write OPS(1); where it does",
                     f->name->text);
}

static void read_body(generator *g, gen_function *f, const gen_token *name)
{
    if (mmm_gen_is(g, ';')) {
        mmm_gen_lost(g, name, "'%s' is declared before its body; write functions before those that call them",
                     f->name->text);
        return;
    }
    int64_t open = g->at;
    mmm_gen_expect(g, '{', "before the body of a function");
    g->body_scope = g->scope;
    while (!mmm_gen_is(g, '}') && mmm_gen_peek(g, 0)->kind != TOKEN_END)
        mmm_gen_statement(g);
    mmm_gen_expect(g, '}', "at the end of the body of a function");
    if (!f->kernel || g->lost) return;
    const char *begin = f->groups ? " MMM_BEGIN_1" : " MMM_BEGIN_0"; /* known only now */
    for (int i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].compiled_in)
            begin = mmm_gen_format(g, "%s MMM_CONSTANT_HERE(%s)", begin, f->parameters[i].name->text);
    mmm_gen_edit(g, open)->after = begin;
}

static void read_function(generator *g, int64_t first)
{
    gen_function *f = mmm_gen_take(g, sizeof *f);
    if (!f) return;
    f->first = first;
    f->last_local = &f->locals;
    g->function = f;
    bool constant, functional = false;
    for (;; g->at++) {
        if (mmm_gen_is_word(g, WORD_KERNEL)) {
            f->kernel = true;
            mmm_gen_edit(g, g->at)->instead = "MMM_KERNEL";
        } else if (mmm_gen_is_word(g, WORD_STATIC) || mmm_gen_is_word(g, WORD_INLINE)) {
            mmm_gen_edit(g, g->at)->instead = "";
        } else {
            break;
        }
    }
    const gen_token *start = mmm_gen_peek(g, 0);
    if (!f->kernel) mmm_gen_edit(g, g->at)->before = "MMM_FUNCTION ";
    if (mmm_gen_is_type(start)) {
        functional = true;
        f->type = mmm_gen_read_type(g, &constant);
    }
    const gen_token *name = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    if (mmm_gen_is(g, '*'))
        mmm_gen_lost(g, name, "a function that returns a pointer; return an index");
    else if (!functional || name->kind != TOKEN_NAME)
        mmm_gen_lost(g, start, "neither a function nor a kernel: '%.*s'; write KERNEL void name(...) { ... }",
                     start->length < 60 ? start->length : 60, start->text);
    else if (after->kind != TOKEN_OPERATOR || after->op != '(')
        mmm_gen_lost(g, name, "'%s' is a variable outside functions; make it a parameter, or a #define",
                     name->name->text);
    if (g->lost || g->status != MMM_OK || !name->name) return;
    f->name = name->name;
    mmm_gen_check_name(g, name, true, false);
    if (name->name->symbol) mmm_gen_error(g, name, "'%s' is defined twice; choose another name", name->name->text);
    if (mmm_gen_is_lanes(f->type))
        mmm_gen_error(g, name, "'%s' returns %s, which only variables in a region LANES are; write a #define",
                      name->name->text, mmm_gen_types[f->type].name);
    if (!f->kernel && (f->type == TYPE_PRODUCTS || f->type == TYPE_DOTS))
        mmm_gen_error(g, name, "'%s' returns %s; return a word, %s_value(...)", name->name->text,
                      mmm_gen_types[f->type].name, mmm_gen_types[f->type].name);
    if (f->type == TYPE_MULTIPLIER)
        mmm_gen_error(g, name, "'%s' returns multiplier; return the word", name->name->text);
    g->at++;
    f->regions = has_regions(g);
    g->where = f->regions || f->kernel ? WHERE_BETWEEN : WHERE_THREAD;
    /* Declared before its body, so that a call of itself is known. */
    gen_symbol symbol = {.kind = SYMBOL_FUNCTION, .function = f, .type = f->type};
    if (!name->name->symbol) mmm_gen_declare(g, name, symbol);
    g->scope++;
    read_parameters(g, f);
    read_body(g, f, name);
    mmm_gen_leave(g, 0);
    if (f->kernel && !g->lost) check_kernel(g, f, name);
    f->last = g->at;
    *g->last_function = f;
    g->last_function = &f->next;
}

/* enum { A, B = 3 }; without a tag: names for numbers. */
static void read_enum(generator *g, int64_t first)
{
    gen_function *item = mmm_gen_take(g, sizeof *item);
    if (!item) return;
    g->at++;
    const gen_token *token = mmm_gen_peek(g, 0);
    if (token->kind == TOKEN_NAME)
        mmm_gen_lost(g, token, "the enum '%s' has a tag; leave it out, and write int for its values",
                     token->name->text);
    mmm_gen_expect(g, '{', "after enum");
    g->function = item;
    while (!mmm_gen_is(g, '}') && mmm_gen_peek(g, 0)->kind != TOKEN_END) {
        token = mmm_gen_peek(g, 0);
        if (token->kind != TOKEN_NAME) {
            mmm_gen_lost(g, token, "an enum has names, commas and numbers in it");
            break;
        }
        g->at++;
        mmm_gen_check_name(g, token, true, false);
        if (mmm_gen_accept(g, '=')) mmm_gen_condition(g);
        mmm_gen_declare(g, token, (gen_symbol){.kind = SYMBOL_NUMBER, .type = TYPE_INT});
        if (!mmm_gen_is(g, '}')) mmm_gen_expect(g, ',', "in an enum");
    }
    mmm_gen_expect(g, '}', "at the end of an enum");
    if (mmm_gen_peek(g, 0)->kind == TOKEN_NAME) mmm_gen_lost(g, mmm_gen_peek(g, 0), "a variable outside functions");
    mmm_gen_expect(g, ';', "after an enum");
    item->first = first;
    item->last = g->at;
    *g->last_function = item;
    g->last_function = &item->next;
}

/* What an item that was lost may have left. */
static void begin_item(generator *g)
{
    g->lost = false;
    g->function = NULL;
    g->where = WHERE_THREAD;
    g->loops = g->switches = g->index = g->nesting = g->parts = 0;
    g->pure = NULL;
    g->thread = g->thread_y = NULL;
    g->flow.count = 0;
    g->flow.jump = -1;
    g->flow.dead = g->flow.clears = false;
}

void mmm_gen_parse(generator *g)
{
    int kernels = 0;
    g->last_function = &g->functions;
    while (mmm_gen_peek(g, 0)->kind != TOKEN_END) {
        int64_t first = g->at;
        const gen_token *token = mmm_gen_peek(g, 0);
        if (mmm_gen_accept(g, ';')) continue;
        begin_item(g);
        if (has_class(token, CLASS_REFUSED) ||
            (has_class(token, CLASS_BAD_TYPE) && mmm_gen_types[token->name->word->value].bytes == 0))
            mmm_gen_lost(g, token, "'%s' is not part of the dialect: %s", token->name->text, token->name->word->advice);
        else if (mmm_gen_is_word(g, WORD_ENUM))
            read_enum(g, first);
        else
            read_function(g, first);
        mmm_gen_leave(g, 0);
        if (!g->lost) continue;
        g->lost = false;
        skip_item(g, first);
    }
    for (const gen_function *f = g->functions; f; f = f->next)
        kernels += f->kernel;
    if (kernels == 0 && g->errors == 0)
        mmm_gen_error_at(g, 0, 1, "this file has no kernel; write KERNEL void name(...) { THREADS (t) ... }");
}
