/* SPDX-License-Identifier: Apache-2.0 */
/* Types, declarations and scopes. */
#include "kernel/generator.h"

#include <string.h>

static bool has_class(const gen_token *token, gen_class class)
{
    return token->kind == TOKEN_NAME && token->name->word && token->name->word->class == class;
}

static bool is_keyword(const gen_token *token, gen_keyword word)
{
    return has_class(token, CLASS_KEYWORD) && token->name->word->value == (int)word;
}

bool mmm_gen_is_type(const gen_token *token)
{
    return has_class(token, CLASS_TYPE) || has_class(token, CLASS_BAD_TYPE) || is_keyword(token, WORD_CONST) ||
           is_keyword(token, WORD_GLOBAL) || is_keyword(token, WORD_LOCAL) || is_keyword(token, WORD_PRIVATE) ||
           is_keyword(token, WORD_CONSTANT) || is_keyword(token, WORD_STATIC) || is_keyword(token, WORD_INLINE) ||
           is_keyword(token, WORD_ENUM);
}

/* A type with const before or after it. */
gen_type mmm_gen_read_type(generator *g, bool *constant)
{
    gen_type type = TYPE_INT;
    int types = 0;
    bool bad = false;
    *constant = false;
    for (;; g->at++) {
        const gen_token *token = mmm_gen_peek(g, 0);
        if (is_keyword(token, WORD_CONST)) {
            *constant = true;
        } else if (has_class(token, CLASS_TYPE)) {
            gen_type next = (gen_type)token->name->word->value;
            if (types++ == 0)
                type = next;
            else if (bad)
                continue; /* long double, unsigned long: said already */
            else if (type != TYPE_UNSIGNED || next != TYPE_INT || types > 2)
                mmm_gen_lost(g, token, "'%s' after another type; write one type, such as u32 or i64",
                             token->name->text);
            g->words |= type >= TYPE_WORD && type <= TYPE_WORD_LANES;
        } else if (has_class(token, CLASS_BAD_TYPE)) {
            const gen_word *word = token->name->word;
            if (mmm_gen_types[word->value].bytes == 0) {
                mmm_gen_lost(g, token, "'%s' is not part of the dialect: %s", word->text, word->advice);
            } else {
                mmm_gen_error(g, token, "'%s' is no type of the dialect: %s", word->text, word->advice);
                bad = true;
                type = types++ == 0 ? (gen_type)word->value : type;
            }
        } else {
            break;
        }
    }
    const gen_token *token = mmm_gen_peek(g, 0);
    if (types == 0 && token->kind != TOKEN_END)
        mmm_gen_lost(g, token,
                     "'%.*s' is no type of the dialect; write int, unsigned, float, double, word or i8 to u64",
                     token->length < 60 ? token->length : 60, token->text);
    return type;
}

gen_symbol *mmm_gen_declare(generator *g, const gen_token *token, gen_symbol symbol)
{
    gen_name *name = token->name;
    const gen_symbol *seen = name->symbol;
    gen_symbol *copy = mmm_gen_take(g, sizeof *copy);
    if (!copy) return NULL;
    if (seen && seen->scope > 0 &&
        (seen->place == PLACE_LOCAL || seen->place == PLACE_PRIVATE || seen->parameter ||
         seen->kind == SYMBOL_THREAD)) {
        bool pointer = seen->levels > 0 && !seen->array && !seen->parameter;
        if (!pointer)
            mmm_gen_error(g, token,
                          "'%s' is the name of %s already, and the generator rewrites by name; choose another",
                          name->text,
                          seen->parameter                ? "a parameter"
                          : seen->kind == SYMBOL_THREAD  ? "a thread"
                          : seen->place == PLACE_PRIVATE ? "a PRIVATE"
                                                         : "a LOCAL");
    } else if (seen && seen->scope == 0 && g->scope == 0) {
        mmm_gen_error(g, token, "'%s' is defined twice; choose another name", name->text);
    }
    *copy = symbol;
    copy->name = name;
    copy->scope = g->scope;
    copy->inner = g->where == WHERE_PART || g->where == WHERE_THREAD;
    copy->hidden = name->symbol;
    copy->before = g->symbols;
    copy->has_value = symbol.parameter || symbol.kind != SYMBOL_VARIABLE;
    name->symbol = copy;
    g->symbols = copy;
    return copy;
}

/* Back to a scope: what was declared in deeper ones is forgotten. */
void mmm_gen_leave(generator *g, int scope)
{
    g->scope = scope;
    for (; g->symbols && g->symbols->scope > scope; g->symbols = g->symbols->before)
        g->symbols->name->symbol = g->symbols->hidden;
}

/* A pointer of this kind takes the value `from`. */
void mmm_gen_point(generator *g, const gen_token *at, const gen_value *from, gen_type type, gen_place place,
                   bool constant, const char *what)
{
    static const char *const places[] = {"a thread's own", "GLOBAL", "LOCAL", "PRIVATE"};
    if (g->lost || g->status != MMM_OK) return;
    if (from->levels != 1)
        mmm_gen_error(g, at, "'%s' is a pointer, and what it is given is none", what);
    else if (from->place != place)
        mmm_gen_error(g, at, "'%s' points to %s memory, and what it is given to %s memory", what, places[place],
                      places[from->place]);
    else if (mmm_gen_types[from->type].same != mmm_gen_types[type].same)
        mmm_gen_error(g, at, "'%s' points to %s, and what it is given to %s", what, mmm_gen_types[type].name,
                      mmm_gen_types[from->type].name);
    else if (from->constant && !constant)
        mmm_gen_error(g, at, "'%s' could write what is const where it comes from; declare it const too", what);
}

/* The size in [ ] of an array.  Its tokens are from .. to-1. */
static void read_size(generator *g, const gen_token *name, bool local, int64_t *from, int64_t *to)
{
    static const char allowed[] = "+-*/%<>()?:&|^~!";
    g->at++;
    *from = g->at;
    if (mmm_gen_is(g, ']')) {
        mmm_gen_lost(g, name, "the array '%s' has no size; write it", name->name->text);
        return;
    }
    g->index++;
    const char *pure = g->pure;
    g->pure = "the size of an array";
    mmm_gen_assignment(g);
    g->pure = pure;
    g->index--;
    *to = g->at;
    for (int64_t i = *from; i < *to && !g->lost; i++) {
        const gen_token *token = &g->tokens.at[i];
        const gen_symbol *symbol = token->kind == TOKEN_NAME ? token->name->symbol : NULL;
        bool good = false;
        if (token->kind == TOKEN_OPERATOR)
            good = strchr(allowed, token->text[0]) || OP2('=', '=') == token->op;
        else if (token->kind == TOKEN_NUMBER)
            good = mmm_gen_number(token) == 1;
        else if (token->kind == TOKEN_NAME)
            good = (symbol && symbol->kind == SYMBOL_CONSTANT) || (symbol && symbol->kind == SYMBOL_NUMBER && !local) ||
                   (local && has_class(token, CLASS_PLACE) &&
                    (strcmp(token->name->text, "block_size") == 0 || strcmp(token->name->text, "block_width") == 0 ||
                     strcmp(token->name->text, "block_height") == 0));
        if (good) continue;
        mmm_gen_error(g, token,
                      local ? "the size of the LOCAL '%s' uses '%.*s': it is made of numbers, CONSTANT parameters, "
                              "block_size, block_width and block_height"
                            : "the size of '%s' uses '%.*s': it is made of numbers and CONSTANT parameters",
                      name->name->text, token->length < 60 ? token->length : 60, token->text);
        break;
    }
    mmm_gen_expect(g, ']', "after the size of an array");
}

/* LOCAL word x[c], y[c][d], z; or PRIVATE word h, key[4]; `start` is the word LOCAL or PRIVATE. */
static void read_memory(generator *g, int64_t start, gen_type type, bool constant, gen_place place)
{
    bool local = place == PLACE_LOCAL;
    const char *word = local ? "LOCAL" : "PRIVATE";
    const char *begin = mmm_gen_format(g, "MMM_%s(%s,", word, mmm_gen_types[type].name);
    if (!g->function->kernel || g->where != WHERE_BETWEEN || g->scope != g->body_scope)
        mmm_gen_error(g, &g->tokens.at[start],
                      "%s declared inside %s; declare it at the top level of a kernel's body%s", word,
                      !g->function->kernel        ? "a function"
                      : g->where != WHERE_BETWEEN ? "a region"
                                                  : "a block",
                      g->function->kernel ? "" : " and pass it");
    if (constant)
        mmm_gen_error(g, &g->tokens.at[start], "a const %s: nothing could ever write it; leave const out", word);
    if (type == TYPE_VOID) mmm_gen_error(g, &g->tokens.at[start], "a %s void; write its type", word);
    if (mmm_gen_is_lanes(type) || type == TYPE_MULTIPLIER)
        mmm_gen_error(g, &g->tokens.at[start], "a %s %s: its size differs between machines; declare it %s", word,
                      mmm_gen_types[type].name, mmm_gen_is_lanes(type) ? "in LANES" : "where it is used");
    for (int64_t i = start; i < g->at; i++)
        mmm_gen_edit(g, i)->instead = "";
    mmm_gen_edit(g, start)->instead = begin;
    for (;;) {
        const gen_token *name = mmm_gen_peek(g, 0);
        gen_local *memory = mmm_gen_take(g, sizeof *memory);
        if (!memory) return;
        if (name->kind != TOKEN_NAME) {
            mmm_gen_lost(g, name->kind == TOKEN_END ? &g->tokens.at[start] : name,
                         "%s needs a name, as in '%s %s x[4]'", word, word, mmm_gen_types[type].name);
            return;
        }
        mmm_gen_check_name(g, name, false, false);
        int64_t at = g->at++;
        memory->type = type;
        while (mmm_gen_is(g, '[') && memory->dimensions < (local ? 2 : 1)) {
            int64_t open = g->at;
            read_size(g, name, local, &memory->from[memory->dimensions], &memory->to[memory->dimensions]);
            if (g->lost || g->status != MMM_OK) return;
            if (memory->dimensions == 0) {
                mmm_gen_edit(g, open)->instead = ", ";
                mmm_gen_edit(g, g->at - 1)->instead = local ? ", " : "";
            }
            memory->dimensions++;
        }
        mmm_gen_edit(g, memory->dimensions == 0 ? at : g->at - 1)->after = memory->dimensions ? ")"
                                                                           : local            ? ", 1, )"
                                                                                              : ", 1)";
        if (mmm_gen_is(g, '['))
            mmm_gen_lost(g, name, "the %s '%s' has more than %s", word, name->name->text,
                         local ? "two sizes" : "one size; write one, and compute the index");
        if (mmm_gen_is(g, '='))
            mmm_gen_lost(g, name, "the %s '%s' cannot begin with a value; write it in a region", word,
                         name->name->text);
        gen_symbol symbol = {.kind = SYMBOL_VARIABLE,
                             .type = type,
                             .levels = memory->dimensions,
                             .array = true,
                             .place = place,
                             .data = true};
        mmm_gen_declare(g, name, symbol);
        if (local) {
            *g->function->last_local = memory;
            g->function->last_local = &memory->next;
        }
        if (!mmm_gen_is(g, ',')) break;
        mmm_gen_edit(g, g->at++)->instead = mmm_gen_format(g, "; %s", begin);
    }
    mmm_gen_expect(g, ';', "after a declaration");
}

static void read_initial(generator *g, gen_symbol *symbol)
{
    if (mmm_gen_is(g, '{')) {
        if (!mmm_gen_enter(g)) return;
        g->at++;
        while (!mmm_gen_is(g, '}') && mmm_gen_peek(g, 0)->kind != TOKEN_END) {
            read_initial(g, symbol);
            if (!mmm_gen_is(g, '}')) mmm_gen_expect(g, ',', "between values");
        }
        mmm_gen_expect(g, '}', "after values");
        g->nesting--;
        return;
    }
    const gen_token *at = mmm_gen_peek(g, 0);
    gen_value value = mmm_gen_assignment(g);
    if (!symbol) return;
    symbol->data |= value.data;
    if (symbol->levels == 1 && !symbol->array)
        mmm_gen_point(g, at, &value, symbol->type, symbol->place, symbol->constant, symbol->name->text);
    else if (value.levels > 0 && !g->lost)
        mmm_gen_error(g, at, "'%s' is a number, and what it is given a pointer or an array", symbol->name->text);
    else if (!value.unknown && !g->lost)
        mmm_gen_check_operand(g, at, symbol->type, value.type);
}

/* One name of a declaration of plain variables or of pointers. */
static void read_declarator(generator *g, gen_type type, bool constant, gen_place place)
{
    gen_symbol symbol = {.kind = SYMBOL_VARIABLE, .type = type, .place = place, .constant = constant};
    int64_t from, to;
    if (mmm_gen_accept(g, '*')) {
        symbol.levels = 1;
        while (mmm_gen_is_word(g, WORD_CONST)) {
            symbol.fixed = true;
            g->at++;
        }
    }
    const gen_token *name = mmm_gen_peek(g, 0);
    if (mmm_gen_is(g, '*')) {
        mmm_gen_lost(g, name, "a pointer to pointers; write one array and offsets into it");
    } else if (mmm_gen_is(g, '(')) {
        mmm_gen_lost(g, name, "a pointer to a function or an array; call functions by their names");
    } else if (name->kind != TOKEN_NAME) {
        mmm_gen_lost(g, name->kind == TOKEN_END ? &g->tokens.at[g->at] : name, "a declaration needs a name here");
    } else if (symbol.levels == 1 && place == PLACE_PLAIN) {
        mmm_gen_error(g, name, "the pointer '%s' does not say where it points to; write GLOBAL %s *%s or LOCAL %s *%s",
                      name->name->text, mmm_gen_types[type].name, name->name->text, mmm_gen_types[type].name,
                      name->name->text);
    } else if (symbol.levels == 0 && place != PLACE_PLAIN) {
        mmm_gen_error(g, name, "'%s' is neither an array of the kernel nor a pointer into one; write %s %s *%s",
                      name->name->text, place == PLACE_GLOBAL ? "GLOBAL" : "LOCAL", mmm_gen_types[type].name,
                      name->name->text);
    } else if (type == TYPE_VOID) {
        mmm_gen_error(g, name, "'%s' is void; write its type", name->name->text);
    } else if (mmm_gen_is_lanes(type) && (!mmm_gen_in_lanes(g) || symbol.levels == 1)) {
        mmm_gen_error(g, name, "'%s' is %s, which only variables in a region LANES are", name->name->text,
                      mmm_gen_types[type].name);
    }
    if (g->lost || name->kind != TOKEN_NAME) return;
    mmm_gen_check_name(g, name, false, false);
    g->at++;
    while (mmm_gen_is(g, '[')) {
        if (symbol.levels > 0 && !symbol.array) {
            mmm_gen_lost(g, name, "'%s' is an array of pointers; write one array and offsets into it",
                         name->name->text);
            return;
        }
        symbol.array = true;
        symbol.levels++;
        read_size(g, name, false, &from, &to);
    }
    if (mmm_gen_is(g, '(')) {
        mmm_gen_lost(g, name, "'%s' is declared like a function inside another; write functions outside",
                     name->name->text);
        return;
    }
    if (symbol.levels == 0) symbol.fixed = constant;
    symbol.data = symbol.levels == 0 &&
                  (type == TYPE_FLOAT || type == TYPE_DOUBLE || (type >= TYPE_WORD && type <= TYPE_U32_LANES));
    gen_symbol *declared = mmm_gen_declare(g, name, symbol);
    if (!mmm_gen_accept(g, '=')) return;
    read_initial(g, declared);
    if (declared) declared->has_value = true;
}

void mmm_gen_declaration(generator *g)
{
    const gen_token *start = mmm_gen_peek(g, 0);
    int64_t at = g->at;
    gen_place place = PLACE_PLAIN;
    bool constant, before = false;
    if (is_keyword(start, WORD_CONST)) {
        before = true;
        g->at++;
        at = g->at;
    }
    const gen_token *word = mmm_gen_peek(g, 0);
    if (is_keyword(word, WORD_STATIC) || is_keyword(word, WORD_INLINE)) {
        mmm_gen_lost(g, word,
                     "'%s' inside a function: one machine would share it, another not; leave it out, or write "
                     "LOCAL",
                     word->name->text);
    } else if (is_keyword(word, WORD_CONSTANT)) {
        mmm_gen_lost(g, word, "CONSTANT inside a function: it is for parameters of kernels; write const int");
    } else if (is_keyword(word, WORD_ENUM)) {
        mmm_gen_lost(g, word, "an enum inside a function; write it before the functions, without a tag");
    }
    if (is_keyword(word, WORD_GLOBAL)) place = PLACE_GLOBAL;
    if (is_keyword(word, WORD_LOCAL)) place = PLACE_LOCAL;
    if (is_keyword(word, WORD_PRIVATE)) place = PLACE_PRIVATE;
    if (g->lost) return;
    if (place != PLACE_PLAIN) g->at++;
    gen_type type = mmm_gen_read_type(g, &constant);
    constant |= before;
    if (place == PLACE_PRIVATE && mmm_gen_is(g, '*'))
        mmm_gen_lost(g, word, "a PRIVATE pointer: a PRIVATE is reached by its name; write x or x[k]");
    else if (place == PLACE_PRIVATE || (place == PLACE_LOCAL && !mmm_gen_is(g, '*'))) {
        read_memory(g, at, type, constant, place);
        return;
    }
    if (place != PLACE_PLAIN) mmm_gen_edit(g, at)->instead = place == PLACE_GLOBAL ? "MMM_GLOBAL" : "MMM_IN_LOCAL";
    do {
        read_declarator(g, type, constant, place);
    } while (mmm_gen_accept(g, ','));
    mmm_gen_expect(g, ';', "after a declaration");
}
