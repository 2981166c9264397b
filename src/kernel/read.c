/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel file and the files it includes to one row of tokens: directives are followed, macros expanded. */
#include "kernel/generator.h"

#include <stdlib.h>
#include <string.h>

static void read_file(generator *g, int by, const char *path, const char *shown, const gen_token *from, int depth);

static bool is_named(const gen_token *token, const char *text)
{
    return token->kind == TOKEN_NAME && strcmp(token->name->text, text) == 0;
}

/* `name` in the folder of `path`. */
static const char *beside(generator *g, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return mmm_gen_format(g, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

static void include(generator *g, int file, const gen_token *token, const gen_token *end, int depth)
{
    static const char *const always[] = {"\"modp.h\"", "\"dialect.h\"", "<mmm/modp.h>", "<mmm/dialect.h>"};
    if (token >= end) {
        mmm_gen_error(g, token - 1, "#include needs the name of a file in quotes");
        return;
    }
    int length = (int)(end[-1].text + end[-1].length - token->text);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if ((int)strlen(always[i]) == length && strncmp(always[i], token->text, (size_t)length) == 0) return;
    if (token->kind != TOKEN_STRING || token + 1 != end || length < 3) {
        mmm_gen_error(g, token,
                      "#include %.*s: no system headers; a kernel knows the dialect, modp and files of its own folder "
                      "(\"name.h\")",
                      length < 80 ? length : 80, token->text);
        return;
    }
    const char *name = mmm_gen_format(g, "%.*s", length - 2, token->text + 1);
    if (strchr(name, '/') || strchr(name, '\\') || name[0] == '.') {
        mmm_gen_error(g, token, "#include %.80s: only a file of the same folder, its name without a path", name);
        return;
    }
    read_file(g, file, beside(g, g->files[file].path, name), beside(g, g->files[file].shown, name), token, depth + 1);
}

/* The directive that begins with the # at `token`. */
static void direct(generator *g, int file, const gen_token *token, const gen_token *end, int brackets, int depth)
{
    const gen_token *word = token + 1;
    if (word == end) return;
    if (is_named(word, "define")) {
        mmm_gen_define(g, word + 1, end);
    } else if (is_named(word, "undef")) {
        if (word + 2 == end && word[1].kind == TOKEN_NAME)
            word[1].name->macro = NULL;
        else
            mmm_gen_error(g, word, "#undef needs one name");
    } else if (is_named(word, "include")) {
        if (brackets != 0)
            mmm_gen_error(g, word, "#include inside brackets: it stands between functions");
        else
            include(g, file, word + 1, end, depth);
    } else {
        mmm_gen_error(g, word,
                      "#%.*s is not part of the dialect: #define, #undef and #include are; a kernel is one text "
                      "for all machines",
                      word->length < 40 ? word->length : 40, word->text);
    }
}

/* There is no #ifndef to guard a file that several include: it is read for the first of them only, and as often as that
 * one says. */
static void read_file(generator *g, int by, const char *path, const char *shown, const gen_token *from, int depth)
{
    for (int i = 0; i < g->file_count; i++)
        if (strcmp(g->files[i].path, path) == 0 && g->files[i].by != by) return;
    if (from && (depth > GEN_FILES / 4 || g->file_count == GEN_FILES)) {
        mmm_gen_error(g, from, "more than %d files include each other", GEN_FILES / 4);
        return;
    }
    gen_file *file = &g->files[g->file_count];
    char *text = NULL;
    mmm_status status = mmm_file_read(path, GEN_FILE_BYTES, &text, &file->size);
    if (status != MMM_OK && from && status != MMM_MEMORY) {
        mmm_gen_error(g, from, "#include: %.300s", mmm_message());
        return;
    }
    if (status != MMM_OK) {
        if (g->status == MMM_OK) g->status = status;
        return;
    }
    file->text = text;
    file->by = by;
    file->path = mmm_copy_string(path);
    file->shown = mmm_copy_string(shown);
    int number = g->file_count++;
    if (!file->path || !file->shown) {
        g->status = mmm_fail(MMM_MEMORY, "no memory for a file name");
        return;
    }
    gen_tokens tokens = {0};
    mmm_gen_scan(g, number, &tokens);
    int brackets = 0;
    for (int64_t at = 0, end; at < tokens.count && g->status == MMM_OK && !g->cut; at = end) {
        const gen_token *token = &tokens.at[at];
        bool directive = token->first && token->kind == TOKEN_OPERATOR && token->op == '#';
        for (end = at + 1; end < tokens.count; end++) {
            const gen_token *other = &tokens.at[end];
            if (other->first && (directive || (other->kind == TOKEN_OPERATOR && other->op == '#'))) break;
        }
        for (int64_t i = at; i < end && !directive; i++)
            if (tokens.at[i].length == 1)
                brackets += strchr("([{", *tokens.at[i].text) ? 1 : strchr(")]}", *tokens.at[i].text) ? -1 : 0;
        if (directive)
            direct(g, number, token, &tokens.at[end], brackets, depth);
        else
            mmm_gen_expand(g, token, end - at, &g->tokens);
    }
    free(tokens.at);
}

void mmm_gen_read(generator *g, const char *path, const char *shown)
{
    read_file(g, -1, path, shown, NULL, 0);
    int line = g->tokens.count ? g->tokens.at[g->tokens.count - 1].line : 1;
    mmm_gen_push(g, &g->tokens, &(gen_token){.text = "", .line = line, .kind = TOKEN_END});
}
