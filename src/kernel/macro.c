/* SPDX-License-Identifier: Apache-2.0 */
/* Macros: their definitions, and their expansion.  While the text of a macro is read, its name is not expanded, and a
 * name that was met then never is; arguments are expanded before they take their parameters' places. */
#include "kernel/generator.h"

#include <stdlib.h>

typedef struct frame {
    gen_macro *macro;
    gen_token *own; /* freed with the frame: a text with arguments in it */
    const gen_token *tokens;
    int64_t at, count;
} frame;

typedef struct expander {
    generator *g;
    frame frames[GEN_NESTING];
    int depth;
    gen_token use; /* the token whose line the tokens of macros have */
    int lead;      /* the blanks before a macro's name go before what it becomes; -1: none to give */
} expander;

void mmm_gen_push(generator *g, gen_tokens *tokens, const gen_token *token)
{
    if (g->status != MMM_OK) return;
    g->status = mmm_grow(&tokens->at, &tokens->room, tokens->count + 1, sizeof *tokens->at);
    if (g->status == MMM_OK) tokens->at[tokens->count++] = *token;
}

static bool is_operator(const gen_token *token, int op)
{
    return token->kind == TOKEN_OPERATOR && token->op == op;
}

/* (x, y) of a function-like macro; the token after it, or NULL. */
static const gen_token *read_parameters(generator *g, const gen_token *name, const gen_token *end,
                                        const gen_name *parameters[], int *count)
{
    const gen_token *token = name + 2;
    *count = 0;
    if (token < end && is_operator(token, ')')) return token + 1;
    for (; token < end; token++) {
        if (token->kind != TOKEN_NAME || *count == GEN_PARAMETERS) break;
        parameters[(*count)++] = token->name;
        token++;
        if (token < end && is_operator(token, ')')) return token + 1;
        if (token >= end || !is_operator(token, ',')) break;
    }
    mmm_gen_error(g, name, "the parameters of the macro '%s' are not up to %d names in parentheses", name->name->text,
                  GEN_PARAMETERS);
    return NULL;
}

void mmm_gen_define(generator *g, const gen_token *name, const gen_token *end)
{
    const gen_name *parameters[GEN_PARAMETERS] = {NULL};
    if (name >= end || name->kind != TOKEN_NAME) {
        mmm_gen_error(g, name - 1, "#define needs a name");
        return;
    }
    const gen_word *word = name->name->word;
    if (word && word->class != CLASS_FOREIGN && word->class != CLASS_FUNCTION && word->class != CLASS_LAUNCHER) {
        mmm_gen_error(g, name, "'%s' is a word of C or of the dialect and cannot be a macro; choose another name",
                      name->name->text);
        return;
    }
    if (name->name->macro) {
        mmm_gen_error(g, name, "the macro '%s' is defined already; #undef it first", name->name->text);
        return;
    }
    gen_macro *macro = mmm_gen_take(g, sizeof *macro);
    if (!macro) return;
    macro->next = g->macros;
    g->macros = macro;
    const gen_token *token = name + 1;
    if (token < end && is_operator(token, '(') && token->blanks == 0) {
        macro->function = true;
        token = read_parameters(g, name, end, parameters, &macro->parameters);
        if (!token) return;
    }
    for (; token < end; token++) {
        gen_token copy = *token;
        if (is_operator(token, '#') || is_operator(token, OP2('#', '#'))) {
            mmm_gen_error(g, name, "the macro '%s' uses # or ##, which are not part of the dialect", name->name->text);
            return;
        }
        for (int i = 0; i < macro->parameters && copy.kind == TOKEN_NAME; i++)
            if (copy.name == parameters[i]) copy.parameter = i + 1;
        copy.comment = NULL;
        copy.first = false;
        mmm_gen_push(g, &macro->body, &copy);
    }
    name->name->macro = macro;
}

static void pop(expander *e)
{
    frame *top = &e->frames[--e->depth];
    if (top->macro) top->macro->busy = false;
    free(top->own);
}

/* The next token, or NULL; takes texts that are used up off the stack. */
static const gen_token *next(expander *e)
{
    while (e->depth > 0) {
        frame *top = &e->frames[e->depth - 1];
        if (top->at < top->count) return &top->tokens[top->at];
        pop(e);
    }
    return NULL;
}

static bool step(generator *g, const gen_token *use)
{
    if (g->status != MMM_OK || g->errors >= GEN_ERRORS) return false;
    if (++g->steps <= GEN_STEPS) return true;
    if (g->steps == GEN_STEPS + 1) mmm_gen_error(g, use, "macros make more than %d tokens", GEN_STEPS);
    return false;
}

static bool push_frame(expander *e, gen_macro *macro, gen_token *own, const gen_token *tokens, int64_t count)
{
    if (e->depth == GEN_NESTING) {
        mmm_gen_error(e->g, &e->use, "more than %d macros inside each other", GEN_NESTING);
        free(own);
        return false;
    }
    e->frames[e->depth++] = (frame){macro, own, tokens, 0, count};
    if (macro) macro->busy = true;
    return true;
}

static void expand(generator *g, const gen_token *in, int64_t count, const gen_token *use, gen_tokens *out,
                   int nesting);

/* The arguments of a macro, each expanded; the next token is the one after its name. */
static bool read_arguments(expander *e, const gen_macro *macro, const gen_token *name, gen_tokens *arguments,
                           int nesting)
{
    generator *g = e->g;
    gen_tokens raw = {0};
    int depth = 0, count = 0;
    bool done = false;
    e->frames[e->depth - 1].at++; /* ( */
    while (!done) {
        const gen_token *token = next(e);
        if (!token || !step(g, name)) {
            if (!token) mmm_gen_error(g, name, "the arguments of the macro '%s' have no end", name->name->text);
            break;
        }
        gen_token copy = *token;
        e->frames[e->depth - 1].at++;
        bool ends = is_operator(&copy, ')') && depth == 0;
        if (ends || (is_operator(&copy, ',') && depth == 0)) {
            if (count < macro->parameters) expand(g, raw.at, raw.count, &e->use, &arguments[count], nesting + 1);
            count += macro->parameters > 0 || raw.count > 0 || !ends;
            raw.count = 0;
            done = ends;
        } else {
            depth += is_operator(&copy, '(') - is_operator(&copy, ')');
            mmm_gen_push(g, &raw, &copy);
        }
    }
    if (done && count != macro->parameters) {
        mmm_gen_error(g, name, "the macro '%s' takes %d argument%s, not %d", name->name->text, macro->parameters,
                      macro->parameters == 1 ? "" : "s", count);
        done = false;
    }
    free(raw.at);
    return done;
}

/* Puts the text of a function-like macro on the stack, with its arguments in it. */
static bool call_macro(expander *e, const gen_token *name, int nesting)
{
    generator *g = e->g;
    gen_macro *macro = name->name->macro;
    gen_tokens arguments[GEN_PARAMETERS] = {{0}}, text = {0};
    bool good = read_arguments(e, macro, name, arguments, nesting);
    for (int64_t i = 0; good && i < macro->body.count; i++) {
        gen_token token = macro->body.at[i];
        if (!token.parameter) {
            good = step(g, name);
            mmm_gen_push(g, &text, &token);
            continue;
        }
        const gen_tokens *argument = &arguments[token.parameter - 1];
        for (int64_t k = 0; good && k < argument->count; k++) {
            gen_token copy = argument->at[k];
            if (k == 0) copy.blanks = token.blanks;
            copy.parameter = 0;
            good = step(g, name);
            mmm_gen_push(g, &text, &copy);
        }
    }
    for (int i = 0; i < macro->parameters; i++)
        free(arguments[i].at);
    if (!good) {
        g->cut = true;
        free(text.at);
        return false;
    }
    return push_frame(e, macro, text.at, text.at, text.count);
}

/* `use`: the token outside all macros that the tokens come from, or NULL at the top. */
static void expand(generator *g, const gen_token *in, int64_t count, const gen_token *use, gen_tokens *out, int nesting)
{
    if (nesting > GEN_NESTING / 2) {
        mmm_gen_error(g, use, "more than %d macros inside each other", GEN_NESTING / 2);
        g->cut = true;
        return;
    }
    expander *e = NULL;
    if (g->status == MMM_OK) g->status = mmm_alloc(&e, 1, sizeof *e);
    if (g->status != MMM_OK) return;
    e->g = g;
    e->lead = -1;
    push_frame(e, NULL, NULL, in, count);
    for (const gen_token *token; (token = next(e));) {
        gen_token copy = *token;
        bool top = e->depth == 1;
        e->frames[e->depth - 1].at++;
        if (use)
            e->use = *use;
        else if (top)
            e->use = copy;
        copy.line = e->use.line;
        copy.file = e->use.file;
        if (e->lead >= 0) copy.blanks = e->lead;
        e->lead = -1;
        if (!step(g, &copy)) break;
        gen_macro *macro = copy.kind == TOKEN_NAME && !copy.fixed ? copy.name->macro : NULL;
        if (macro && macro->busy) {
            copy.fixed = true;
            macro = NULL;
        }
        if (macro && macro->function) {
            const gen_token *after = next(e);
            if (after && is_operator(after, '(')) {
                if (!call_macro(e, &copy, nesting)) break;
                e->lead = copy.blanks;
                continue;
            }
        } else if (macro) {
            if (!push_frame(e, macro, NULL, macro->body.at, macro->body.count)) break;
            e->lead = copy.blanks;
            continue;
        }
        if (out->count >= GEN_TOKENS) {
            mmm_gen_error(g, &copy, "more than %d tokens after the expansion of macros", GEN_TOKENS);
            break;
        }
        mmm_gen_push(g, out, &copy);
    }
    if (e->depth > 0) g->cut = true;
    while (e->depth > 0)
        pop(e);
    free(e);
}

void mmm_gen_expand(generator *g, const gen_token *in, int64_t count, gen_tokens *out)
{
    expand(g, in, count, NULL, out, 0);
}
