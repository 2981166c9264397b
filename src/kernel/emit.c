/* SPDX-License-Identifier: Apache-2.0 */
/* The rewritten text, every token on the line it came from; and the file that hosts compile. */
#include "kernel/generator.h"

#include <stdarg.h>
#include <string.h>

void mmm_gen_add(generator *g, mmm_text *out, const char *format, ...)
{
    char buffer[512];
    va_list arguments;
    if (g->status != MMM_OK) return;
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof buffer) {
        g->status = mmm_text_add(out, "%s", buffer);
        return;
    }
    char *text = mmm_gen_take(g, (size_t)length + 1);
    if (!text) return;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    g->status = mmm_text_add(out, "%s", text);
}

/* As C string literals, one a line. */
void mmm_gen_add_quoted(generator *g, mmm_text *out, const char *text)
{
    if (!*text) mmm_gen_add(g, out, "    \"\"");
    while (*text && g->status == MMM_OK) {
        mmm_gen_add(g, out, "    \"");
        for (; *text && *text != '\n'; text++) {
            if (*text == '"' || *text == '\\' || *text == '?')
                mmm_gen_add(g, out, "\\%c", *text);
            else if ((unsigned char)*text < ' ' || (unsigned char)*text > 126)
                mmm_gen_add(g, out, "\\%03o", (unsigned char)*text);
            else
                mmm_gen_add(g, out, "%c", *text);
        }
        if (*text == '\n') {
            text++;
            mmm_gen_add(g, out, "\\n");
        }
        mmm_gen_add(g, out, *text ? "\"\n" : "\"");
    }
}

/* "name" with what C needs before quotes. */
void mmm_gen_add_name(generator *g, mmm_text *out, const char *name)
{
    mmm_gen_add(g, out, "\"");
    for (; *name; name++)
        mmm_gen_add(g, out, *name == '"' || *name == '\\' ? "\\%c" : (unsigned char)*name < ' ' ? "_" : "%c", *name);
    mmm_gen_add(g, out, "\"");
}

/* Whether two tokens would become one, or a comment, without a blank between. */
static bool would_join(const gen_token *left, const gen_token *right)
{
    bool operators = left->kind == TOKEN_OPERATOR && right->kind == TOKEN_OPERATOR;
    if (operators) return strchr("+-*/%&|^<>=!?:.~#", left->text[0]) && strchr("+-*/%&|^<>=!?:.~#", right->text[0]);
    return left->kind != TOKEN_OPERATOR && right->kind != TOKEN_OPERATOR;
}

static void add_token(generator *g, mmm_text *out, int64_t i, bool joined)
{
    const gen_token *token = &g->tokens.at[i];
    const gen_edit *edit = &g->edits[i];
    bool dropped = edit->instead && !*edit->instead;
    if (joined && token->blanks == 0 && !dropped && would_join(token - 1, token)) mmm_gen_add(g, out, " ");
    if (!dropped) mmm_gen_add(g, out, "%*s", token->blanks, "");
    if (edit->before) mmm_gen_add(g, out, "%s", edit->before);
    if (edit->instead)
        mmm_gen_add(g, out, "%s", edit->instead);
    else
        mmm_gen_add(g, out, "%.*s", token->length, token->text);
    if (edit->after) mmm_gen_add(g, out, "%s", edit->after);
}

void mmm_gen_item(generator *g, const gen_function *item, mmm_text *out)
{
    const gen_token *first = &g->tokens.at[item->first];
    int line = first->line;
    mmm_gen_add(g, out, "#line %d ", line);
    mmm_gen_add_name(g, out, g->files[first->file].shown);
    mmm_gen_add(g, out, "\n");
    for (int64_t i = item->first; i < item->last && g->status == MMM_OK; i++) {
        const gen_token *token = &g->tokens.at[i];
        bool joined = i > item->first;
        for (; line < token->line && token->file == first->file; line++) {
            mmm_gen_add(g, out, "\n");
            joined = false;
        }
        add_token(g, out, i, joined);
    }
    mmm_gen_add(g, out, "\n");
}

static void add_entry(generator *g, const gen_function *f, mmm_text *out)
{
    mmm_gen_add(
        g, out,
        "\nstatic void entry_%s(const mmm_value *a_, const mmm_call *call_)\n{\n    MMM_ENTER\n"
        "    for (int block = call_->first; block < call_->last; block++) {\n        MMM_NEXT_BLOCK\n        %s(",
        f->name->text, f->name->text);
    for (int i = 0; i < f->parameter_count; i++) {
        const gen_type_facts *facts = &mmm_gen_types[f->parameters[i].type];
        const char *separator = i ? ", " : "";
        if (f->parameters[i].pointer)
            mmm_gen_add(g, out, "%sa_[%d].array", separator, i);
        else
            mmm_gen_add(g, out, "%s%sa_[%d].%s", separator, facts->cast, i, facts->member);
    }
    mmm_gen_add(g, out, "%s);\n    }\n}\n", f->parameter_count ? " MMM_PASS" : "MMM_PASS_ONLY");
}

void mmm_gen_host(generator *g, const char *unit, mmm_text *out)
{
    const char *separator = "";
    mmm_gen_add(g, out, "#include \"modp.h\"\n");
    for (const gen_function *f = g->functions; f; f = f->next)
        mmm_gen_item(g, f, out);
    mmm_gen_add(g, out, "#line 1 \"kernels.host.c\"\n");
    for (const gen_function *f = g->functions; f; f = f->next)
        if (f->kernel) add_entry(g, f, out);
    mmm_gen_add(g, out, "\nmmm_entry *const MMM_ENTRIES(%s)[] = {", unit);
    for (const gen_function *f = g->functions; f; f = f->next) {
        if (!f->kernel) continue;
        mmm_gen_add(g, out, "%sentry_%s", separator, f->name->text);
        separator = ", ";
    }
    mmm_gen_add(g, out, "};\n");
}
