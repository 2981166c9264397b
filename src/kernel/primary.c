/* SPDX-License-Identifier: Apache-2.0 */
/* The simplest expressions: names, numbers, conversions, and a thread's PRIVATE values. */
#include "kernel/generator.h"

#include <ctype.h>

static const gen_value number = {.type = TYPE_INT};
static const gen_value unknown = {.unknown = true, .lvalue = true};

/* 0 where it is no number of the dialect; 1 for an integer, 2 for a fraction. */
int mmm_gen_number(const gen_token *token)
{
    const char *c = token->text, *end = c + token->length;
    bool hexadecimal = token->length > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X'), fraction = false;
    int digits = 0;
    for (c += hexadecimal ? 2 : 0; c < end; c++) {
        char lower = (char)tolower((unsigned char)*c);
        if (hexadecimal ? isxdigit((unsigned char)*c) : isdigit((unsigned char)*c)) {
            digits++;
        } else if (*c == '.' && !fraction) {
            fraction = true;
        } else if (digits > 0 && lower == (hexadecimal ? 'p' : 'e')) {
            fraction = true;
            c += c + 1 < end && (c[1] == '+' || c[1] == '-');
            if (c + 1 >= end) return 0;
            while (c + 1 < end && isdigit((unsigned char)c[1]))
                c++;
            break;
        } else {
            c--;
            break;
        }
    }
    if (c < end) c++;
    if (digits == 0) return 0;
    if (c == end) return fraction ? 2 : 1;
    if (c + 1 != end) return 0;
    return fraction ? (*c == 'f' || *c == 'F' ? 2 : 0) : (*c == 'u' || *c == 'U');
}

/* A PRIVATE x or x[k]; it becomes MMM_MINE(x, t, k). */
static gen_value read_private(generator *g, const gen_symbol *symbol, const gen_token *token)
{
    gen_value value = {.type = symbol->type,
                       .lvalue = true,
                       .place = PLACE_PRIVATE,
                       .constant = symbol->constant,
                       .data = true,
                       .object = (gen_symbol *)symbol};
    const char *name = symbol->name->text;
    int64_t at = g->at++;
    bool indexed = mmm_gen_is(g, '[');
    value.unknown =
        g->where != WHERE_PART || g->part == WORD_ITEMS || mmm_gen_in_lanes(g) || indexed != (symbol->levels == 1);
    if (g->where != WHERE_PART) {
        mmm_gen_error(g, token,
                      "the PRIVATE '%s' is used outside a region, where no thread is meant; use it in THREADS", name);
    } else if (g->part == WORD_ITEMS) {
        mmm_gen_error(g, token, "the PRIVATE '%s' is used in ITEMS, whose items are no threads; use it in THREADS",
                      name);
    } else if (mmm_gen_in_lanes(g)) {
        mmm_gen_error(g, token,
                      "the PRIVATE '%s' is used in LANES, which takes several threads at once; use LOCAL memory", name);
    } else if (value.unknown) {
        mmm_gen_error(g, token, "the PRIVATE '%s' is %s; a PRIVATE is reached as x or, where it is an array, x[k]",
                      name, indexed ? "no array" : "an array, used without an index");
    }
    const char *thread = !g->thread ? "0"
                         : g->thread_y
                             ? mmm_gen_format(g, "(%s) * block_width + (%s)", g->thread_y->text, g->thread->text)
                             : g->thread->text;
    mmm_gen_edit(g, at)->instead =
        mmm_gen_format(g, indexed ? "MMM_MINE(%s, %s, " : "MMM_MINE(%s, %s, 0)", name, thread);
    if (indexed) {
        int64_t first = g->at;
        mmm_gen_edit(g, g->at++)->instead = "";
        gen_value index = mmm_gen_index(g);
        if (!index.unknown && mmm_gen_types[index.type].bytes == 8) /* as far as words, too */
            mmm_gen_wrap(g, first + 1, g->at - 2, mmm_gen_format(g, "MMM_FAR(%s, ", name));
        if (!g->lost && g->status == MMM_OK) mmm_gen_edit(g, g->at - 1)->instead = ")";
    }
    return value;
}

/* Whether this sign stands before a token, with no value before it. */
static bool is_before(const generator *g, int64_t token, int sign)
{
    if (token < 2) return false;
    const gen_token *before = &g->tokens.at[token - 1], *left = &g->tokens.at[token - 2];
    bool value = left->kind == TOKEN_OPERATOR ? left->op == ')' || left->op == ']' : left->kind != TOKEN_END;
    return before->kind == TOKEN_OPERATOR && before->op == sign && !value;
}

static gen_value read_symbol(generator *g, gen_symbol *symbol, const gen_token *token)
{
    if (symbol->kind == SYMBOL_FUNCTION) {
        mmm_gen_lost(g, token, "the function '%s' is used without a call; there are no pointers to functions",
                     symbol->name->text);
        return unknown;
    }
    if (symbol->place == PLACE_PRIVATE) return read_private(g, symbol, token);
    if (symbol->kind == SYMBOL_THREAD && mmm_gen_in_lanes(g) && symbol->name == g->thread && !g->element)
        mmm_gen_error(
            g, token,
            "'%s' is used outside lanes_load and its kind: on some machines it stands for several threads; write "
            "it in the element",
            symbol->name->text);
    if (symbol->place != PLACE_PLAIN) *(g->where == WHERE_PART ? &g->shared : &g->shared_between) = true;
    int64_t at = g->at++;
    gen_value value = {.type = symbol->type,
                       .levels = symbol->levels,
                       .place = symbol->place,
                       .constant = symbol->constant,
                       .data = symbol->data,
                       .object = symbol,
                       .lvalue = true,
                       .array = symbol->array && symbol->levels > 0};
    bool plain = symbol->place == PLACE_PLAIN || symbol->levels > 0;
    bool written = (mmm_gen_is(g, '=') && !is_before(g, at, '*')) || is_before(g, at, '&');
    if (symbol->kind == SYMBOL_VARIABLE && !symbol->array && plain && !written) mmm_gen_value_read(g, symbol, token);
    if (symbol->place == PLACE_LOCAL && symbol->levels == 0) mmm_gen_edit(g, at)->after = "[0]";
    if (value.array) value.lvalue = false;
    return value;
}

static gen_value read_sizeof(generator *g)
{
    bool constant;
    const gen_token *at = mmm_gen_peek(g, 0);
    g->at++;
    const gen_token *type = mmm_gen_peek(g, 1);
    if (!mmm_gen_is(g, '(') || !mmm_gen_is_type(type)) {
        mmm_gen_lost(g, at, "sizeof of an expression; write sizeof(type)");
        return unknown;
    }
    g->at++;
    mmm_gen_want_scalar(g, at, mmm_gen_read_type(g, &constant), "sizeof");
    if (mmm_gen_is(g, '*')) mmm_gen_lost(g, at, "sizeof of a pointer: its size is not the same everywhere");
    mmm_gen_expect(g, ')', "after sizeof(type");
    return number;
}

static gen_value read_name(generator *g)
{
    const gen_token *token = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    const gen_word *word = token->name->word;
    gen_class class = word ? word->class : CLASS_LAUNCHER;
    bool call = after->kind == TOKEN_OPERATOR && after->op == '(';
    if (class == CLASS_KEYWORD && word->value == WORD_ONE) {
        g->at++;
        g->words = true;
        return (gen_value){.type = TYPE_WORD, .data = true, .name = token->name};
    }
    if (class == CLASS_KEYWORD && word->value == WORD_SIZEOF) return read_sizeof(g);
    if (class == CLASS_PLACE) {
        g->at++;
        g->function->plane |= word->value == 2;
        return (gen_value){.type = TYPE_INT, .name = token->name};
    }
    gen_symbol *symbol = token->name->symbol;
    if (class == CLASS_CALL || (call && class >= CLASS_FOREIGN && (!symbol || symbol->kind == SYMBOL_FUNCTION)))
        return mmm_gen_call(g);
    if (call && class >= CLASS_FOREIGN) {
        mmm_gen_lost(g, token, "'%s' is called and is no function", token->name->text);
    } else if (symbol && class >= CLASS_FOREIGN) {
        return read_symbol(g, symbol, token);
    } else if (class == CLASS_TYPE || class == CLASS_BAD_TYPE) {
        mmm_gen_lost(g, token, "the type '%s' stands where a value is expected; write (%s)x to convert x",
                     token->name->text, token->name->text);
    } else if (class == CLASS_KEYWORD || class == CLASS_REFUSED) {
        mmm_gen_lost(g, token, "'%s' stands where a value is expected%s%s", token->name->text,
                     word->advice ? ", and is not part of the dialect: " : "", word->advice ? word->advice : "");
    } else {
        mmm_gen_error(g, token, "'%s' is not known here%s%s", token->name->text, word && word->advice ? ": " : "",
                      word && word->advice ? word->advice : "; declare it, or make it a parameter");
        g->at++;
    }
    return unknown;
}

/* ( ... ): a conversion, or an expression in parentheses. */
static gen_value read_group(generator *g)
{
    const gen_token *open = mmm_gen_peek(g, 0);
    bool constant;
    if (!mmm_gen_is_type(mmm_gen_peek(g, 1))) {
        g->at++;
        gen_value value = mmm_gen_expression(g);
        mmm_gen_expect(g, ')', "after an expression in parentheses");
        return value;
    }
    g->at++;
    if (!mmm_gen_is_word(g, WORD_CONST) && mmm_gen_peek(g, 0)->name->word->class == CLASS_KEYWORD) {
        mmm_gen_lost(g, open, "a pointer cannot be converted: machines keep GLOBAL, LOCAL and own memory apart");
        return unknown;
    }
    gen_type type = mmm_gen_read_type(g, &constant);
    if (mmm_gen_is(g, '*')) {
        mmm_gen_lost(g, open, "a pointer cannot be converted: machines keep GLOBAL, LOCAL and own memory apart");
        return unknown;
    }
    mmm_gen_expect(g, ')', "after (type");
    if (mmm_gen_is(g, '{')) {
        mmm_gen_lost(g, open, "a value with braces; declare a variable for it");
        return unknown;
    }
    gen_value value = mmm_gen_unary(g);
    mmm_gen_want_scalar(g, open, mmm_gen_is_lanes(type) ? type : value.type, "a conversion");
    if (value.levels > 0 && type != TYPE_VOID && !g->lost)
        mmm_gen_error(g, open, "a pointer cannot be converted to a number: it is not the same everywhere");
    return (gen_value){.type = type, .data = value.data, .unknown = value.unknown};
}

gen_value mmm_gen_primary(generator *g)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    if (token->kind == TOKEN_NAME) return read_name(g);
    if (token->kind == TOKEN_NUMBER) {
        int kind = mmm_gen_number(token);
        if (!kind)
            mmm_gen_error(g, token,
                          "the number %.*s has an ending that is not the same everywhere; write 1, 1u, 1.0, 1.0f or "
                          "(i64)1",
                          token->length < 60 ? token->length : 60, token->text);
        g->at++;
        char ending = token->text[token->length - 1];
        return (gen_value){.type = kind != 2 ? TYPE_INT : ending == 'f' || ending == 'F' ? TYPE_FLOAT : TYPE_DOUBLE};
    }
    if (token->kind == TOKEN_CHARACTER) {
        g->at++;
        return number;
    }
    if (mmm_gen_is(g, '(')) return read_group(g);
    if (token->kind == TOKEN_STRING)
        mmm_gen_lost(g, token, "a string: kernels have numbers only; give an array of u8");
    else if (token->kind == TOKEN_END)
        mmm_gen_lost(g, &g->tokens.at[g->at], "a value is missing where the file ends");
    else
        mmm_gen_lost(g, token, "a value is expected before '%.*s'", token->length < 60 ? token->length : 60,
                     token->text);
    return unknown;
}
