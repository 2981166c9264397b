/* SPDX-License-Identifier: Apache-2.0 */
/* Text to expression trees.  Plain text, C, Python and the LaTeX that print.c writes are all understood. */
#include "algebra/algebra.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

mmm_status mmm_fail_at(const char *text, int position, const char *format, ...)
{
    char buffer[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    mmm_fail_place(text, position);
    return mmm_fail(MMM_INVALID, "%s", buffer);
}

void mmm_place_clear(void)
{
    mmm_fail_place(NULL, -1);
}

int mmm_formula_place(const char **text)
{
    const mmm_failure *own = mmm_failure_own();
    if (text) *text = own ? own->text : "";
    return own ? own->column : -1;
}

typedef struct parser {
    const char *text;
    int position, start, nesting; /* start: of the current token */
    char token;                   /* 0 at the end, 'n' number, 'a' name, else the character; L and G for <= and >= */
    char name[MMM_NAME + 1];
    const char *digits;
    int length;
    mmm_expression *out;
} parser;

static mmm_status parse_relation(parser *p, mmm_tree **out);
static mmm_status parse_sum(parser *p, mmm_tree **out);

static bool skip_word(parser *p, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(p->text + p->position, word, length) != 0) return false;
    if (isalpha((unsigned char)word[length - 1]) && isalpha((unsigned char)p->text[(size_t)p->position + length]))
        return false;
    p->position += (int)length;
    return true;
}

/* LaTeX: brackets and spacing disappear, \, and \cdot multiply, \ell is l, \frac and \log_2 are names. */
static mmm_status scan_latex(parser *p, bool *again)
{
    *again = false;
    if (skip_word(p, "\\,") || skip_word(p, "\\cdot")) {
        p->token = '*';
    } else if (skip_word(p, "\\left") || skip_word(p, "\\right") || skip_word(p, "\\ ") || skip_word(p, "\\mathit")) {
        *again = true;
    } else if (skip_word(p, "\\ell")) {
        p->token = 'a';
        strcpy(p->name, "l");
    } else if (skip_word(p, "\\frac")) {
        p->token = 'f';
    } else if (skip_word(p, "\\log_2") || skip_word(p, "\\log_{2}")) {
        p->token = 'g';
    } else if (skip_word(p, "\\lceil") || skip_word(p, "\\lfloor")) {
        p->token = p->text[p->position - 1] == 'l' ? 'u' : 'd'; /* up, down */
    } else if (skip_word(p, "\\rceil") || skip_word(p, "\\rfloor")) {
        p->token = 'r';
    } else if (skip_word(p, "\\leq")) {
        p->token = 'L';
    } else if (skip_word(p, "\\geq")) {
        p->token = 'G';
    } else {
        return mmm_fail_at(p->text, p->position,
                           "unknown LaTeX command; accepted are \\frac \\log_2 \\ell \\cdot \\, \\left \\right \\lceil "
                           "\\rceil \\lfloor \\rfloor \\leq \\geq");
    }
    return MMM_OK;
}

static mmm_status scan(parser *p)
{
    bool again;
    do {
        again = false;
        while (isspace((unsigned char)p->text[p->position]))
            p->position++;
        p->start = p->position;
        if (p->text[p->position] == '\\') {
            mmm_status result = scan_latex(p, &again);
            if (result != MMM_OK || !again) return result;
        }
    } while (again);
    const char *c = p->text + p->position;
    if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1]))) {
        int length = 0, points = 0;
        while (isdigit((unsigned char)c[length]) || (c[length] == '.' && points == 0))
            points += c[length++] == '.';
        if (length > MMM_DIGITS) return mmm_fail_at(p->text, p->start, "a number with more than %d digits", MMM_DIGITS);
        if (isalpha((unsigned char)c[length]) || c[length] == '_' || c[length] == '.')
            return mmm_fail_at(p->text, p->start + length, "'%c' right after a number; write 2*n for a product",
                               c[length]);
        p->digits = c;
        p->length = length;
        p->token = 'n';
        p->position += length;
    } else if (isalpha((unsigned char)*c) || *c == '_') {
        int length = 0;
        while (isalnum((unsigned char)c[length]) || c[length] == '_')
            length++;
        if (length > MMM_NAME) return mmm_fail_at(p->text, p->start, "a name longer than %d letters", MMM_NAME);
        memcpy(p->name, c, (size_t)length);
        p->name[length] = 0;
        p->token = 'a';
        p->position += length;
    } else if ((*c == '<' || *c == '>') && c[1] == '=') {
        p->token = *c == '<' ? 'L' : 'G';
        p->position += 2;
    } else if ((*c == '=' && c[1] == '=') || (*c == '*' && c[1] == '*')) {
        p->token = *c == '=' ? '=' : '^';
        p->position += 2;
    } else {
        p->token = *c;
        if (*c) p->position++;
    }
    return MMM_OK;
}

static mmm_status make(parser *p, mmm_node_kind kind, int position, mmm_tree *left, mmm_tree *right, mmm_tree **out)
{
    mmm_tree *tree;
    mmm_status result = mmm_alloc(&tree, 1, sizeof *tree);
    if (result != MMM_OK) return result;
    tree->kind = kind;
    tree->position = position;
    tree->left = left;
    tree->right = right;
    tree->link = p->out->nodes;
    p->out->nodes = tree;
    *out = tree;
    return MMM_OK;
}

static mmm_status expect(parser *p, char token)
{
    if (p->token == token) return scan(p);
    if (!p->token) return mmm_fail_at(p->text, p->start, "'%c' is missing at the end", token);
    return mmm_fail_at(p->text, p->start, "'%c' was expected here", token);
}

/* (A) or, in LaTeX, {A}. */
static mmm_status parse_group(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    char close = p->token == '{' ? '}' : ')';
    if (++p->nesting > MMM_NESTING)
        return mmm_fail_at(p->text, p->start, "more than %d brackets inside each other", MMM_NESTING);
    TRY(expect(p, p->token == '{' ? '{' : '('));
    TRY(parse_sum(p, out));
    TRY(expect(p, close));
    p->nesting--;
done:
    return result;
}

static mmm_status parse_call(parser *p, const char *name, int position, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    mmm_tree *call, **last;
    if (++p->nesting > MMM_NESTING)
        return mmm_fail_at(p->text, p->start, "more than %d brackets inside each other", MMM_NESTING);
    TRY(make(p, NODE_CALL, position, NULL, NULL, &call));
    strcpy(call->name, name);
    last = &call->left;
    TRY(expect(p, '('));
    while (p->token != ')') {
        mmm_tree *argument, *value;
        TRY(parse_sum(p, &value));
        if (p->token == '=') {
            if (value->kind != NODE_NAME) return mmm_fail_at(p->text, value->position, "a name must stand before '='");
            argument = value;
            TRY(scan(p));
            TRY(parse_sum(p, &argument->right));
        } else {
            TRY(make(p, NODE_NAME, value->position, NULL, value, &argument)); /* positional: no name */
        }
        *last = argument;
        last = &argument->next;
        if (p->token != ')') TRY(expect(p, ','));
    }
    TRY(expect(p, ')'));
    p->nesting--;
    *out = call;
done:
    return result;
}

static mmm_status parse_primary(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    int position = p->start, argument;
    mmm_tree *inner = NULL, *second = NULL;
    char name[MMM_NAME + 1];
    switch (p->token) {
    case 'n':
        TRY(make(p, NODE_NUMBER, position, NULL, NULL, out));
        TRY(mmm_alloc(&(*out)->digits, p->length + 1, 1));
        memcpy((*out)->digits, p->digits, (size_t)p->length);
        TRY(scan(p));
        break;
    case 'a':
        strcpy(name, p->name);
        TRY(scan(p));
        if (p->token == '(' && position + (int)strlen(name) == p->start) {
            TRY(parse_call(p, name, position, out));
        } else {
            TRY(make(p, NODE_NAME, position, NULL, NULL, out));
            strcpy((*out)->name, name);
        }
        break;
    case 'f':
        TRY(scan(p));
        if (p->token != '{') return mmm_fail_at(p->text, p->start, "\\frac needs {numerator}{denominator}");
        TRY(parse_group(p, &inner));
        if (p->token != '{') return mmm_fail_at(p->text, p->start, "\\frac needs {numerator}{denominator}");
        TRY(parse_group(p, &second));
        TRY(make(p, NODE_DIVIDE, position, inner, second, out));
        break;
    case 'g':
        TRY(scan(p));
        if (++p->nesting > MMM_NESTING)
            return mmm_fail_at(p->text, p->start, "more than %d brackets inside each other", MMM_NESTING);
        argument = p->start;
        TRY(parse_primary(p, &inner));
        p->nesting--;
        TRY(make(p, NODE_CALL, position, NULL, NULL, out));
        strcpy((*out)->name, "log2");
        TRY(make(p, NODE_NAME, argument, NULL, inner, &(*out)->left));
        break;
    case 'u':
    case 'd':
        strcpy(name, p->token == 'u' ? "ceil" : "floor");
        if (++p->nesting > MMM_NESTING)
            return mmm_fail_at(p->text, p->start, "more than %d brackets inside each other", MMM_NESTING);
        TRY(scan(p));
        argument = p->start;
        TRY(parse_sum(p, &inner));
        if (p->token != 'r') return mmm_fail_at(p->text, p->start, "\\r%s is missing here", name);
        TRY(scan(p));
        p->nesting--;
        TRY(make(p, NODE_CALL, position, NULL, NULL, out));
        strcpy((*out)->name, name);
        TRY(make(p, NODE_NAME, argument, NULL, inner, &(*out)->left));
        break;
    case '(':
    case '{': TRY(parse_group(p, out)); break;
    case 0: return mmm_fail_at(p->text, position, "the expression ends where a number, a name or '(' was expected");
    default: return mmm_fail_at(p->text, position, "a number, a name or '(' was expected here");
    }
done:
    return result;
}

static mmm_status parse_unary(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    if (p->token == '-' || p->token == '+') {
        bool minus = p->token == '-';
        int position = p->start;
        if (++p->nesting > MMM_NESTING)
            return mmm_fail_at(p->text, position, "more than %d signs in a row", MMM_NESTING);
        TRY(scan(p));
        TRY(parse_unary(p, out));
        p->nesting--;
        if (minus) TRY(make(p, NODE_NEGATE, position, *out, NULL, out));
        return MMM_OK;
    }
    TRY(parse_primary(p, out));
    if (p->token == '^') {
        mmm_tree *exponent;
        int position = p->start;
        if (++p->nesting > MMM_NESTING)
            return mmm_fail_at(p->text, position, "more than %d powers in a row", MMM_NESTING);
        TRY(scan(p));
        TRY(parse_unary(p, &exponent));
        p->nesting--;
        TRY(make(p, NODE_POWER, position, *out, exponent, out));
    }
done:
    return result;
}

static mmm_status parse_product(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    TRY(parse_unary(p, out));
    while (p->token == '*' || p->token == '/') {
        mmm_tree *right = NULL;
        mmm_node_kind kind = p->token == '*' ? NODE_MULTIPLY : NODE_DIVIDE;
        int position = p->start;
        TRY(scan(p));
        TRY(parse_unary(p, &right));
        TRY(make(p, kind, position, *out, right, out));
    }
done:
    return result;
}

static mmm_status parse_sum(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    TRY(parse_product(p, out));
    while (p->token == '+' || p->token == '-') {
        mmm_tree *right;
        mmm_node_kind kind = p->token == '+' ? NODE_ADD : NODE_SUBTRACT;
        int position = p->start;
        TRY(scan(p));
        TRY(parse_product(p, &right));
        TRY(make(p, kind, position, *out, right, out));
    }
done:
    return result;
}

static mmm_status parse_relation(parser *p, mmm_tree **out)
{
    mmm_status result = MMM_OK;
    TRY(parse_sum(p, out));
    if (p->token && strchr("<>=~LG", p->token)) {
        mmm_tree *right;
        char relation = p->token == 'L' ? 'l' : p->token == 'G' ? 'g' : p->token;
        int position = p->start;
        TRY(scan(p));
        TRY(parse_sum(p, &right));
        TRY(make(p, NODE_RELATION, position, *out, right, out));
        (*out)->relation = relation;
    }
done:
    return result;
}

mmm_status mmm_expression_parse(const char *text, mmm_expression *out)
{
    mmm_status result = MMM_OK;
    parser p = {.text = text, .out = out};
    memset(out, 0, sizeof *out);
    mmm_place_clear();
    if (strlen(text) > MMM_EXPRESSION)
        return mmm_fail(MMM_INVALID, "an expression of more than %d characters", MMM_EXPRESSION);
    out->text = mmm_copy_string(text);
    if (!out->text) FAIL(MMM_MEMORY, "no memory for an expression");
    TRY(scan(&p));
    if (!p.token) {
        result = mmm_fail_at(text, 0, "the expression is empty");
        goto done;
    }
    TRY(parse_relation(&p, &out->root));
    if (p.token) {
        if (isgraph((unsigned char)text[p.start]))
            result = mmm_fail_at(text, p.start, "'%c' was not expected here", text[p.start]);
        else
            result = mmm_fail_at(text, p.start, "an unprintable character");
    }
done:
    if (result != MMM_OK) mmm_expression_free(out);
    return result;
}

void mmm_expression_free(mmm_expression *expression)
{
    for (mmm_tree *tree = expression->nodes, *next; tree; tree = next) {
        next = tree->link;
        mmm_free(tree->digits);
        mmm_free(tree);
    }
    mmm_free(expression->text);
    memset(expression, 0, sizeof *expression);
}
