/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a kernel file to tokens, each with its line and the comment that stands right before it. */
#include "kernel/generator.h"

#include <string.h>

typedef struct scanner {
    generator *g;
    const char *text;
    int64_t at, size;
    int file, line, blanks;
    bool first;
    const char *comment; /* the last one, or a run of // */
    int comment_length, comment_end;
    bool comment_line;
} scanner;

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char look(const scanner *s, int64_t ahead)
{
    return s->at + ahead < s->size ? s->text[s->at + ahead] : 0;
}

static void keep_comment(scanner *s, int64_t from, int line, bool to_end_of_line)
{
    const char *text = s->text + from;
    if (to_end_of_line && s->comment && s->comment_line && s->comment_end + 1 == line)
        s->comment_length = (int)(s->text + s->at - s->comment);
    else
        s->comment = text, s->comment_length = (int)(s->at - from);
    s->comment_line = to_end_of_line;
    s->comment_end = s->line;
}

/* Blanks, ends of lines and comments. */
static void skip(scanner *s)
{
    for (;;) {
        char c = look(s, 0);
        if (c == '\n') {
            s->line++;
            s->first = true;
            s->blanks = 0;
            s->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            s->blanks += c == '\t' ? 8 : 1;
            s->at++;
        } else if (c == '\\' && (look(s, 1) == '\n' || (look(s, 1) == '\r' && look(s, 2) == '\n'))) {
            s->at += look(s, 1) == '\n' ? 2 : 3;
            s->line++;
            s->blanks++;
        } else if (c == '/' && look(s, 1) == '*') {
            int64_t from = s->at;
            int line = s->line;
            s->at += 2;
            while (s->at < s->size && !(look(s, 0) == '*' && look(s, 1) == '/'))
                s->line += s->text[s->at++] == '\n';
            if (s->at >= s->size) {
                s->g->cut = true;
                mmm_gen_error_at(s->g, s->file, line, "this comment has no end: */ is missing");
                return;
            }
            s->at += 2;
            s->blanks++;
            keep_comment(s, from, line, false);
        } else if (c == '/' && look(s, 1) == '/') {
            int64_t from = s->at;
            int line = s->line;
            while (s->at < s->size && s->text[s->at] != '\n') {
                if (s->text[s->at] == '\\' && look(s, 1) == '\n') s->at++, s->line++;
                s->at++;
            }
            keep_comment(s, from, line, true);
        } else {
            return;
        }
    }
}

static int scan_number(const scanner *s)
{
    int length = 0;
    for (;;) {
        char c = look(s, length), next = look(s, length + 1);
        if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') && (next == '+' || next == '-'))
            length += 2;
        else if (is_digit(c) || starts_name(c) || c == '.')
            length++;
        else
            return length;
    }
}

/* Of a literal in quotes; 0 when the line ends before it does. */
static int scan_quoted(const scanner *s, char quote)
{
    for (int length = 1;; length++) {
        char c = look(s, length);
        if (c == quote) return length + 1;
        if (c == '\\') length++;
        if (c == 0 || c == '\n' || look(s, length) == '\n') return 0;
        if (c == '?' && look(s, length + 1) == '?') return 0; /* a trigraph could be an end */
    }
}

static int scan_operator(const scanner *s, int *op)
{
    static const char *const longer[] = {"<<=", ">>=", "...", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=",
                                         "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        int length = (int)strlen(longer[i]);
        if (look(s, 0) != longer[i][0] || look(s, 1) != longer[i][1] || (length == 3 && look(s, 2) != longer[i][2]))
            continue;
        *op = length == 3 ? OP3(longer[i][0], longer[i][1], longer[i][2]) : OP2(longer[i][0], longer[i][1]);
        return length;
    }
    *op = (unsigned char)look(s, 0);
    return look(s, 0) && strchr("+-*/%&|^~!<>=?:;,.()[]{}#", look(s, 0)) ? 1 : 0;
}

static bool scan_token(scanner *s, gen_token *token)
{
    char c = look(s, 0);
    *token = (gen_token){.text = s->text + s->at, .line = s->line, .file = s->file, .first = s->first};
    token->blanks = s->blanks < 200 ? s->blanks : 200;
    if (s->comment && s->line - s->comment_end <= 1) {
        token->comment = s->comment;
        token->comment_length = s->comment_length;
    }
    s->comment = NULL;
    s->first = false;
    s->blanks = 0;
    if (starts_name(c)) {
        while (starts_name(look(s, token->length)) || is_digit(look(s, token->length)))
            token->length++;
        token->kind = TOKEN_NAME;
        token->name = mmm_gen_name(s->g, token->text, token->length);
        if (!token->name) return false;
    } else if (is_digit(c) || (c == '.' && is_digit(look(s, 1)))) {
        token->kind = TOKEN_NUMBER;
        token->length = scan_number(s);
    } else if (c == '"' || c == '\'') {
        token->kind = c == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
        token->length = scan_quoted(s, c);
    } else {
        token->kind = TOKEN_OPERATOR;
        token->length = scan_operator(s, &token->op);
    }
    if (token->length == 0) {
        s->g->cut = true;
        if (c == '"' || c == '\'')
            mmm_gen_error_at(s->g, s->file, s->line, "%c has no partner on this line", c);
        else if (c > ' ' && c < 127)
            mmm_gen_error_at(s->g, s->file, s->line, "'%c' is no character of C", c);
        else
            mmm_gen_error_at(s->g, s->file, s->line, "the byte %d is no character of C", (unsigned char)c);
        return false;
    }
    s->at += token->length;
    return true;
}

void mmm_gen_scan(generator *g, int file, gen_tokens *out)
{
    scanner s = {
        .g = g, .text = g->files[file].text, .size = g->files[file].size, .file = file, .line = 1, .first = true};
    gen_token token;
    for (;;) {
        skip(&s);
        if (s.at >= s.size || g->status != MMM_OK || !scan_token(&s, &token)) return;
        mmm_gen_push(g, out, &token);
        if (out->count > GEN_TOKENS) {
            g->cut = true;
            mmm_gen_error_at(g, file, token.line, "more than %d tokens", GEN_TOKENS);
            return;
        }
    }
}
