/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: of known functions, of functions of the file, atomics, and what 32 threads do together. */
#include "kernel/generator.h"

#include <string.h>

static const gen_value unknown = {.unknown = true};

static void charge(generator *g, const gen_token *at)
{
    g->function->charges = true;
    if (g->pure)
        mmm_gen_error(g, at,
                      "'%s' charges operations in %s, which may be looked at more than once or never; compute it "
                      "before",
                      at->name->text, g->pure);
}

static void check_count(generator *g, const gen_token *name, int count, int wanted)
{
    if (!g->lost && count != wanted)
        mmm_gen_error(g, name, "'%s' takes %d argument%s, not %d", name->name->text, wanted, wanted == 1 ? "" : "s",
                      count);
}

static bool is_real(gen_type type)
{
    return type == TYPE_FLOAT || type == TYPE_DOUBLE;
}

/* Neither an integer nor a real number. */
static bool is_sum(gen_type type)
{
    return type == TYPE_PRODUCTS || type == TYPE_DOTS || type == TYPE_OPERAND || type == TYPE_MULTIPLIER ||
           mmm_gen_is_lanes(type);
}

/* What the arguments of a call are. */
typedef struct numbers {
    bool data;
    gen_type type;              /* of their sum */
    bool integer, single, real; /* whether there are integers, floats, doubles, */
    bool unknown;               /* and some that are not understood */
} numbers;

/* Arguments that are numbers, up to and with the ).  Returns how many. */
static int read_numbers(generator *g, const gen_token *name, numbers *all)
{
    int count = 0;
    while (!mmm_gen_is(g, ')') && mmm_gen_peek(g, 0)->kind != TOKEN_END) {
        const gen_token *at = mmm_gen_peek(g, 0);
        gen_value value = mmm_gen_assignment(g);
        all->data |= value.data;
        all->unknown |= value.unknown || g->lost;
        all->type = count ? mmm_gen_common(all->type, value.type) : value.type;
        all->single |= value.type == TYPE_FLOAT;
        all->real |= value.type == TYPE_DOUBLE;
        all->integer |= !is_real(value.type);
        if (name->name->word && mmm_gen_is_call(name, CALL_LOOSE))
            mmm_gen_check_lanes(g, at, all->type, value.type);
        else
            mmm_gen_want_scalar(g, at, value.type, "a call");
        if (value.levels > 0 && !value.unknown && !g->lost && !name->name->missed) {
            mmm_gen_error(g, at, "'%s' is given a pointer or an array where it takes a number", name->name->text);
            all->unknown = true;
        }
        count++;
        if (!mmm_gen_is(g, ')')) mmm_gen_expect(g, ',', "between arguments");
    }
    mmm_gen_expect(g, ')', "after arguments");
    return count;
}

/* (&a[i], value) or (&a[i], expected, value), after the name. */
static gen_value read_atomic(generator *g, const gen_token *name, int64_t open)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    numbers all = {0};
    g->function->charges = true;
    if (g->where == WHERE_THREAD)
        g->function->shared = true;
    else if (g->where != WHERE_PART)
        mmm_gen_error(g, name, "'%s' outside a region: every thread would do it; write THREADS (t, 0, 1) before it",
                      name->name->text);
    if (mmm_gen_in_lanes(g))
        mmm_gen_error(g, name, "'%s' in LANES, which takes several threads at once; write THREADS", name->name->text);
    if (g->pure) mmm_gen_error(g, name, "'%s' in %s: do it before", name->name->text, g->pure);
    if (!mmm_gen_is(g, '&')) {
        mmm_gen_lost(g, at, "'%s' needs & and an element of a GLOBAL or LOCAL array first, as in %s(&a[i], 1)",
                     name->name->text, name->name->text);
        return unknown;
    }
    gen_value target = mmm_gen_unary(g);
    if (!g->lost && !target.unknown) {
        if (target.place != PLACE_GLOBAL && target.place != PLACE_LOCAL)
            mmm_gen_error(g, at, "'%s' on what is neither GLOBAL nor LOCAL: one thread alone needs no atomic",
                          name->name->text);
        else if (target.constant)
            mmm_gen_error(g, at, "'%s' writes what is const; leave const out where it is declared", name->name->text);
        else if (mmm_gen_types[target.type].bytes < 4 || is_sum(target.type) || is_real(target.type))
            mmm_gen_error(g, at, "'%s' on %s: not every machine can; use int, unsigned, word, i64 or u64",
                          name->name->text, mmm_gen_types[target.type].name);
        mmm_gen_edit(g, open)->after = mmm_gen_format(g, "%s, %s, ", mmm_gen_types[target.type].name,
                                                      target.place == PLACE_GLOBAL ? "GLOBAL" : "LOCAL");
    }
    if (!mmm_gen_is(g, ')')) mmm_gen_expect(g, ',', "between arguments");
    check_count(g, name, 1 + read_numbers(g, name, &all), name->name->word->arguments);
    return (gen_value){.type = target.type, .data = true};
}

/* C, CUDA and OpenCL C choose the function by the types of its arguments, each in its own way where these differ. */
static void check_math(generator *g, const gen_token *name, const numbers *all)
{
    if (all->unknown || g->lost) return;
    if (all->integer + all->single + all->real > 1)
        mmm_gen_error(g, name,
                      "'%s' is given %s and %s: machines would not choose the same function; make all of them float or "
                      "all double, as (float)x or 1.0f",
                      name->name->text, all->single ? "float" : "double", all->integer ? "an integer" : "double");
    else if (all->integer)
        mmm_gen_error(g, name, "'%s' of %s: not every machine has it for integers; write (float)x or (double)x",
                      name->name->text, mmm_gen_types[all->type].name);
}

/* (h) or (h, x, y), where h of type dots is changed, and x and y are operands. */
static gen_value read_dots(generator *g, const gen_token *name)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    g->flow.clears = strcmp(name->name->text, "dots_clear") == 0;
    gen_value target = mmm_gen_unary(g);
    int count = 1;
    if (g->flow.clears && target.object && target.place == PLACE_PLAIN) mmm_gen_value_given(g, target.object);
    g->flow.clears = false;
    if (!g->lost && !target.unknown && (target.type != TYPE_DOTS || target.levels > 0))
        mmm_gen_error(g, at, "'%s' needs a variable of type dots first", name->name->text);
    else
        mmm_gen_check_write(g, at, &target);
    for (; mmm_gen_accept(g, ','); count++) {
        at = mmm_gen_peek(g, 0);
        gen_value factor = mmm_gen_assignment(g);
        if (!g->lost && !factor.unknown && (factor.type != TYPE_OPERAND || factor.levels > 0))
            mmm_gen_error(g, at, "'%s' multiplies operands; write operand_of(...)", name->name->text);
    }
    mmm_gen_expect(g, ')', "after arguments");
    check_count(g, name, count, name->name->word->arguments);
    return (gen_value){.type = TYPE_VOID};
}

/* Multipliers and words, or lanes of words, in turns. */
static gen_value read_by(generator *g, const gen_token *name)
{
    int count = 0;
    gen_type type = TYPE_VOID; /* of what is multiplied */
    const int errors = g->errors;
    do {
        const gen_token *at = mmm_gen_peek(g, 0);
        gen_value value = mmm_gen_assignment(g);
        const bool wanted = count++ % 2 == 0;
        if (g->lost || value.unknown) continue;
        if (value.levels > 0)
            mmm_gen_error(g, at, "'%s' is given a pointer or an array where it takes a number", name->name->text);
        else if ((value.type == TYPE_MULTIPLIER) != wanted)
            mmm_gen_error(g, at,
                          wanted ? "'%s' multiplies by a multiplier; write multiplier_of(...)"
                                 : "'%s' multiplies words by multipliers, the multiplier first",
                          name->name->text);
        else if (!wanted) {
            const gen_type other = value.type == TYPE_WORD_LANES ? TYPE_WORD_LANES : TYPE_WORD;
            if (other == TYPE_WORD) mmm_gen_want_scalar(g, at, value.type, "a call");
            if (type != TYPE_VOID && type != other)
                mmm_gen_error(g, at, "'%s' of a word and of lanes; make both word_lanes", name->name->text);
            type = other;
        }
    } while (mmm_gen_accept(g, ','));
    mmm_gen_expect(g, ')', "after arguments");
    check_count(g, name, count, name->name->word->arguments);
    return (gen_value){
        .type = type == TYPE_WORD_LANES ? TYPE_WORD_LANES : TYPE_WORD, .data = true, .unknown = g->errors > errors};
}

/* The arguments of a word for 32 threads after the first, as messages name them. */
static const char *more_of(const gen_word *word)
{
    static const char *const more[] = {"", "", ", from", ", low, bits"};
    return more[word->arguments];
}

static gen_value read_known(generator *g, const gen_token *name)
{
    const gen_word *word = name->name->word;
    int64_t at = g->at++, open = g->at;
    numbers all = {0};
    if (!mmm_gen_is(g, '(')) {
        mmm_gen_lost(g, name, "'%s' is a function of the dialect; write %s(...)", word->text, word->text);
        return unknown;
    }
    g->at++;
    const char *pure = g->pure;
    switch ((gen_call)word->value) {
    case CALL_COLLECTIVE:
        mmm_gen_lost(g, name, "'%s' stands between regions, as 'h = %s(x%s);' with PRIVATE h and x", word->text,
                     word->text, more_of(word));
        return unknown;
    case CALL_ATOMIC: mmm_gen_edit(g, at)->instead = word->advice; return read_atomic(g, name, open);
    case CALL_OPS:
        mmm_gen_edit(g, at)->instead = "MMM_OPS";
        charge(g, name);
        g->pure = "OPS";
        g->index++;
        check_count(g, name, read_numbers(g, name, &all), 1);
        g->index--;
        g->pure = pure;
        return (gen_value){.type = TYPE_VOID};
    case CALL_BY:
        charge(g, name);
        g->words = true;
        return read_by(g, name);
    case CALL_DOTS: charge(g, name); /* fall through */
    case CALL_DOTS_FREE: g->words = true; return read_dots(g, name);
    case CALL_LANES:
    case CALL_LANES_ROWS: g->words = true; return mmm_gen_lanes(g, name);
    case CALL_LANES_AHEAD: return mmm_gen_lanes_ahead(g, name);
    case CALL_LANES_RING: charge(g, name); return mmm_gen_lanes_ring(g, name);
    case CALL_LOOSE:
        if (word->arguments > 2) charge(g, name); /* times, times_both */
        break;
    case CALL_MODP: charge(g, name); break;
    case CALL_REPEATS: g->pure = word->text; break;
    case CALL_BITS: mmm_gen_edit(g, at)->instead = word->advice; /* fall through */
    case CALL_MODP_FREE:
    case CALL_OPERAND:
    case CALL_MULTIPLIER:
    case CALL_MATH: break;
    }
    check_count(g, name, read_numbers(g, name, &all), word->arguments);
    g->pure = pure;
    if (word->value == CALL_MATH) {
        check_math(g, name, &all);
        if (g->index == 0) g->function->computes = true;
    }
    if (word->value == CALL_BITS) {
        if (!all.unknown && !g->lost && (all.single || all.real))
            mmm_gen_error(g, name, "'%s' of %s: it counts bits of integers", word->text, mmm_gen_types[all.type].name);
        return (gen_value){.type = TYPE_INT, .data = all.data};
    }
    if (word->value == CALL_REPEATS || word->value == CALL_MATH)
        return (gen_value){.type = all.type, .data = all.data || word->value == CALL_MATH};
    g->words = true;
    return (gen_value){.type = word->value == CALL_OPERAND      ? TYPE_OPERAND
                               : word->value == CALL_MULTIPLIER ? TYPE_MULTIPLIER
                               : mmm_gen_is_lanes(all.type)     ? all.type
                                                                : TYPE_WORD,
                       .data = true};
}

/* An argument for a pointer. */
static void read_pointer(generator *g, const gen_token *name, const gen_parameter *parameter)
{
    const gen_token *at = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    gen_symbol *symbol = at->kind == TOKEN_NAME ? at->name->symbol : NULL;
    bool alone = after->kind == TOKEN_OPERATOR && (after->op == ',' || after->op == ')');
    if (symbol && symbol->place == PLACE_PRIVATE && parameter->place == PLACE_PRIVATE && alone) {
        gen_value value = {
            .type = symbol->type, .levels = symbol->levels, .place = PLACE_PRIVATE, .constant = symbol->constant};
        if (symbol->levels == 0)
            mmm_gen_error(g, at, "'%s' takes a PRIVATE array, and '%s' is none; declare it PRIVATE %s %s[1]",
                          name->name->text, symbol->name->text, mmm_gen_types[symbol->type].name, symbol->name->text);
        else
            mmm_gen_point(g, at, &value, parameter->type, PLACE_PRIVATE, parameter->constant, parameter->name->text);
        g->at++;
        return;
    }
    gen_value value = mmm_gen_assignment(g);
    if (g->lost || value.unknown) return;
    if (value.array && value.place == PLACE_PLAIN && value.object) {
        if (parameter->constant) mmm_gen_value_read(g, value.object, at);
        mmm_gen_value_given(g, value.object);
    }
    if (parameter->place == PLACE_PRIVATE) {
        mmm_gen_error(g, at, "the argument for '%s' of '%s' is not the name of a PRIVATE array", parameter->name->text,
                      name->name->text);
        return;
    }
    mmm_gen_point(g, at, &value, parameter->type, parameter->place, parameter->constant, parameter->name->text);
    if (parameter->place != PLACE_PLAIN || parameter->constant || value.place != PLACE_PLAIN || value.levels != 1)
        return;
    if (mmm_gen_outer(g, &value)) mmm_gen_shared(g, at, value.object);
    if (g->pure) mmm_gen_error(g, at, "'%s' may write in %s: call it before", name->name->text, g->pure);
}

static void check_call(generator *g, const gen_token *name, const gen_function *f)
{
    const char *text = name->name->text;
    if (f == g->function)
        mmm_gen_error(g, name, "'%s' calls itself: not every machine can; write a loop", text);
    else if (f->kernel)
        mmm_gen_error(g, name, "the kernel '%s' is called; the host launches kernels, write a function", text);
    else if (f->regions && (g->where == WHERE_PART || g->where == WHERE_REGION))
        mmm_gen_error(g, name, "'%s' has regions and is called inside one; call it between regions", text);
    else if (f->regions && g->first_group)
        mmm_gen_error(g, name, "'%s' has regions and is called in FIRST_GROUP; write them there", text);
    else if (f->shared && mmm_gen_in_lanes(g))
        mmm_gen_error(g, name, "'%s' writes GLOBAL or LOCAL elements and is called in LANES; write THREADS", text);
    else if (f->shared && (g->where == WHERE_BETWEEN || g->where == WHERE_REGION))
        mmm_gen_error(g, name,
                      "'%s' writes GLOBAL or LOCAL elements and is called outside a region: every thread would "
                      "do it; call it in THREADS (t, 0, 1)",
                      text);
    g->function->plane |= f->plane;
    g->function->computes |= f->computes;
    g->function->shared |= f->shared && g->where == WHERE_THREAD;
    if (f->charges) charge(g, name);
    if (f->groups) g->function->groups = true;
    if (f->shared && g->pure) mmm_gen_error(g, name, "'%s' writes elements in %s: call it before", text, g->pure);
}

static gen_value read_own(generator *g, const gen_token *name, const gen_function *f)
{
    bool data = false;
    int count = 0;
    check_call(g, name, f);
    g->at++;
    int64_t open = g->at++;
    while (!mmm_gen_is(g, ')') && mmm_gen_peek(g, 0)->kind != TOKEN_END) {
        const gen_token *at = mmm_gen_peek(g, 0);
        if (count < f->parameter_count && f->parameters[count].pointer) {
            read_pointer(g, name, &f->parameters[count]);
        } else {
            gen_value value = mmm_gen_assignment(g);
            data |= value.data;
            if (value.levels > 0 && !value.unknown && !g->lost)
                mmm_gen_error(g, at, "'%s' is given a pointer or an array where it takes a number", name->name->text);
        }
        count++;
        if (!mmm_gen_is(g, ')')) mmm_gen_expect(g, ',', "between arguments");
    }
    if (f != g->function) check_count(g, name, count, f->parameter_count);
    if (mmm_gen_is(g, ')')) {
        if (count > 0)
            mmm_gen_edit(g, g->at)->before = " MMM_PASS";
        else
            mmm_gen_edit(g, open)->after = "MMM_PASS_ONLY";
    }
    mmm_gen_expect(g, ')', "after arguments");
    return (gen_value){.type = f->type,
                       .data = data || f->type == TYPE_WORD || f->type == TYPE_FLOAT || f->type == TYPE_DOUBLE};
}

/* A name and a ( after it, or a word of the table's functions. */
gen_value mmm_gen_call(generator *g)
{
    const gen_token *name = mmm_gen_peek(g, 0);
    const gen_word *word = name->name->word;
    const gen_symbol *symbol = name->name->symbol;
    numbers all = {0};
    if (word && word->class == CLASS_CALL) return read_known(g, name);
    if (symbol) return read_own(g, name, symbol->function);
    if (!name->name->missed) {
        bool later = false;
        for (int64_t i = g->at + 1; i + 1 < g->tokens.count && !later; i++)
            later = g->tokens.at[i].name == name->name && mmm_gen_is_type(&g->tokens.at[i - 1]) &&
                    g->tokens.at[i + 1].op == '(';
        if (later)
            mmm_gen_error(g, name,
                          "'%s' is called before it is written; write it before (functions that call each other are "
                          "recursion, which not every machine can)",
                          name->name->text);
        else
            mmm_gen_error(g, name, "'%s' is no function that kernels know%s%s", name->name->text,
                          word && word->advice ? ": " : "",
                          word && word->advice ? word->advice : "; write it in this file, before its use");
        name->name->missed = true;
    }
    g->at += 2;
    read_numbers(g, name, &all);
    return unknown;
}

static gen_symbol *private_scalar(const gen_token *token)
{
    gen_symbol *symbol = token->kind == TOKEN_NAME ? token->name->symbol : NULL;
    return symbol && symbol->place == PLACE_PRIVATE && symbol->levels == 0 ? symbol : NULL;
}

/* The tokens of a PRIVATE value from token `from` on: x, or x[k] of an array; 0 where there is none. */
static int private_length(generator *g, int from, gen_symbol **symbol)
{
    const gen_token *name = mmm_gen_peek(g, from), *open = mmm_gen_peek(g, from + 1);
    *symbol = name->kind == TOKEN_NAME ? name->name->symbol : NULL;
    if (!*symbol || (*symbol)->place != PLACE_PRIVATE) return 0;
    if ((*symbol)->levels == 0) return 1;
    if (open->kind != TOKEN_OPERATOR || open->op != '[') return 0;
    for (int i = from + 2, depth = 1;; i++) {
        const gen_token *token = mmm_gen_peek(g, i);
        if (token->kind == TOKEN_END) return 0;
        if (token->kind != TOKEN_OPERATOR) continue;
        depth += (token->op == '[') - (token->op == ']');
        if (depth == 0) return i + 1 - from;
    }
}

/* Such a value as the macros for 32 threads take it: those of all threads of the block, from the first on. */
static void read_private(generator *g, const gen_symbol *symbol)
{
    const char *pure = g->pure;
    if (symbol->levels == 0) {
        g->at++;
        return;
    }
    mmm_gen_edit(g, g->at)->before = "(&MMM_MINE(";
    mmm_gen_edit(g, g->at + 1)->instead = ", 0, ";
    g->at += 2;
    g->pure = "an index";
    g->index++;
    mmm_gen_assignment(g);
    g->index--;
    g->pure = pure;
    mmm_gen_edit(g, g->at)->instead = "))";
    mmm_gen_expect(g, ']', "after an index");
}

/* h = ballot(f); h = match(x, low, bits); h = shuffle(x, from); h = scan_add(x); with all but the ; false: the
 * statement is something else. */
bool mmm_gen_collective(generator *g)
{
    gen_symbol *h, *x = NULL;
    int length = private_length(g, 0, &h), after = length ? length : 1;
    const gen_token *target = mmm_gen_peek(g, 0), *assign = mmm_gen_peek(g, after), *call = mmm_gen_peek(g, after + 1),
                    *open = mmm_gen_peek(g, after + 2), *source = mmm_gen_peek(g, after + 3);
    if (target->kind != TOKEN_NAME || assign->kind != TOKEN_OPERATOR || assign->op != '=' ||
        !mmm_gen_is_call(call, CALL_COLLECTIVE) || open->kind != TOKEN_OPERATOR || open->op != '(')
        return false;
    const gen_word *word = call->name->word;
    if (g->where != WHERE_BETWEEN)
        mmm_gen_lost(g, call, "'%s' inside a region: 32 threads do it together; write it between regions", word->text);
    else if (!length || !private_length(g, after + 3, &x))
        mmm_gen_lost(g, call, "'%s' is written 'h = %s(x%s);' with PRIVATE h and x, or h[k] and x[k]", word->text,
                     word->text, more_of(word));
    else if (h->type == TYPE_DOTS || x->type == TYPE_DOTS)
        mmm_gen_lost(g, call, "'%s' of dots, which are several words; exchange words, dots_value(...)", word->text);
    if (g->lost || g->status != MMM_OK || !h || !x) return true;
    g->function->groups = g->function->charges = true;
    if (strcmp(word->text, "ballot") == 0 || strcmp(word->text, "match") == 0) {
        if (is_real(x->type) || is_sum(x->type))
            mmm_gen_error(g, source, "'%s' is no integer, as a %s needs", x->name->text, word->text);
    } else if (word->arguments == 1 && is_real(x->type)) {
        mmm_gen_error(g, source,
                      "'%s' is %s, and scan_add is for integers: machines add in different orders, which rounds "
                      "otherwise; write the sum with shuffle",
                      x->name->text, mmm_gen_types[x->type].name);
    } else if (mmm_gen_types[h->type].same != mmm_gen_types[x->type].same) {
        mmm_gen_error(g, call, "'%s' is %s and '%s' is %s: declare them alike", h->name->text,
                      mmm_gen_types[h->type].name, x->name->text, mmm_gen_types[x->type].name);
    }
    if (h->constant) mmm_gen_error(g, target, "'%s' is const and is written", h->name->text);
    int64_t first = g->at;
    read_private(g, h);
    const char *begin = mmm_gen_edit(g, first)->before;
    mmm_gen_edit(g, first)->before =
        mmm_gen_format(g, "%s(%s, %s, %s", word->advice, g->first_group ? "32" : "block_size",
                       mmm_gen_types[h->type].name, begin ? begin : "");
    mmm_gen_edit(g, g->at - 1)->after = ", ";
    for (int i = 0; i < 3; i++)
        mmm_gen_edit(g, g->at + i)->instead = "";
    g->at += 3;
    read_private(g, x);
    for (int i = 1; i < word->arguments; i++) {
        mmm_gen_expect(g, ',', word->arguments == 2 ? "in shuffle(x, from)" : "in match(x, low, bits)");
        const gen_token *from = mmm_gen_peek(g, 0), *behind = mmm_gen_peek(g, 1);
        gen_symbol *symbol = private_scalar(from);
        if (word->arguments == 2 && symbol && behind->kind == TOKEN_OPERATOR && behind->op == ')') {
            if (is_real(symbol->type) || is_sum(symbol->type))
                mmm_gen_error(g, from, "'%s' is no integer, as the number of a thread is", symbol->name->text);
            mmm_gen_edit(g, g->at++)->instead = mmm_gen_format(g, "MMM_MINE(%s, mmm_t, 0)", symbol->name->text);
        } else {
            const char *pure = g->pure;
            g->pure = word->text;
            mmm_gen_assignment(g);
            g->pure = pure;
        }
    }
    mmm_gen_expect(g, ')', "after the arguments");
    return true;
}
