/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as MathML, which browsers set without help. */
#include "show/page/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 2048, DEPTH_MOST = 64, HEIGHT_MOST = 256 };

/* NUMBER and NAME are text; the others have one or two parts.  A call is CALL(NAME, LIST of arguments). */
typedef enum kind { NUMBER, NAME, SUM, DIFFERENCE, PRODUCT, QUOTIENT, POWER, MINUS, CALL, LIST, RELATION } kind;

typedef struct node {
    kind kind;
    const char *text; /* of a number or name, or the relation */
    int length, left, right;
    int height; /* of what is below: writing goes so deep */
} node;

typedef struct reader {
    const char *at;
    node nodes[NODES_MOST];
    int count, depth;
    bool bad;
} reader;

static int make(reader *r, kind what, int left, int right)
{
    if (r->count == NODES_MOST) r->bad = true;
    if (r->bad) return 0;
    int low = left < 0 ? 0 : r->nodes[left].height, high = right < 0 ? 0 : r->nodes[right].height;
    int height = 1 + (low > high ? low : high);
    if (height > HEIGHT_MOST) r->bad = true;
    r->nodes[r->count] = (node){.kind = what, .left = left, .right = right, .height = height};
    return r->count++;
}

static int make_text(reader *r, kind what, const char *text, size_t length)
{
    int n = make(r, what, -1, -1);
    r->nodes[n].text = text;
    r->nodes[n].length = (int)length;
    return n;
}

static bool take(reader *r, const char *word)
{
    while (*r->at == ' ')
        r->at++;
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static int read_relation(reader *r);

static int read_arguments(reader *r, int name)
{
    int list = read_relation(r);
    while (!r->bad && take(r, ","))
        list = make(r, LIST, list, read_relation(r));
    if (!take(r, ")")) r->bad = true;
    return make(r, CALL, name, list);
}

static int read_atom(reader *r)
{
    if (take(r, "(")) {
        int inner = read_relation(r);
        if (!take(r, ")")) r->bad = true;
        return inner;
    }
    const char *start = r->at;
    if (isdigit((unsigned char)*start)) {
        while (isdigit((unsigned char)*r->at) || *r->at == '.')
            r->at++;
        return make_text(r, NUMBER, start, (size_t)(r->at - start));
    }
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    if (r->at == start) r->bad = true;
    int name = make_text(r, NAME, start, (size_t)(r->at - start));
    return take(r, "(") ? read_arguments(r, name) : name;
}

static int read_unary(reader *r);

static int read_power(reader *r)
{
    int base = read_atom(r);
    return take(r, "^") ? make(r, POWER, base, read_unary(r)) : base;
}

static int read_unary(reader *r)
{
    if (++r->depth > DEPTH_MOST) r->bad = true;
    int n = r->bad ? 0 : take(r, "-") ? make(r, MINUS, read_unary(r), -1) : read_power(r);
    r->depth--;
    return n;
}

static int read_product(reader *r)
{
    int n = read_unary(r);
    while (!r->bad)
        if (take(r, "*"))
            n = make(r, PRODUCT, n, read_unary(r));
        else if (take(r, "/"))
            n = make(r, QUOTIENT, n, read_unary(r));
        else
            break;
    return n;
}

static int read_sum(reader *r)
{
    int n = read_product(r);
    while (!r->bad)
        if (take(r, "+"))
            n = make(r, SUM, n, read_product(r));
        else if (take(r, "-"))
            n = make(r, DIFFERENCE, n, read_product(r));
        else
            break;
    return n;
}

static int read_relation(reader *r)
{
    static const struct {
        const char *word, *sign;
    } relations[] = {{"<=", "≤"}, {">=", "≥"}, {"<", "&lt;"}, {">", "&gt;"}, {"=", "="}, {"~", "∼"}};
    if (++r->depth > DEPTH_MOST) r->bad = true;
    int n = r->bad ? 0 : read_sum(r);
    for (size_t i = 0; !r->bad && i < sizeof relations / sizeof *relations; i++)
        if (take(r, relations[i].word)) {
            n = make(r, RELATION, n, read_relation(r));
            r->nodes[n].text = relations[i].sign;
            break;
        }
    r->depth--;
    return n;
}

/* How tightly a node holds together: what is looser than its place needs parentheses. */
static int tightness(const node *n)
{
    switch (n->kind) {
    case LIST: return 0;
    case RELATION: return 1;
    case SUM:
    case DIFFERENCE: return 2;
    case MINUS: return 3;
    case PRODUCT: return 4;
    case QUOTIENT: return 5; /* the bar holds it */
    case POWER: return 6;
    default: return 7;
    }
}

static void write_node(FILE *out, const reader *r, int number, int least);

static void write_word(FILE *out, const char *element, const char *text, int length)
{
    fprintf(out, "<%s>%.*s</%s>", element, length, text, element);
}

/* W1 is W with the index 1; a Greek name is its letter. */
static void write_name(FILE *out, const char *text, int length)
{
    static const struct {
        const char *name, *letter;
    } greek[] = {{"alpha", "α"}, {"beta", "β"}, {"Theta", "Θ"}, {"mu", "μ"}, {"pi", "π"}, {"ell", "ℓ"}};
    int letters = length;
    while (letters > 1 && isdigit((unsigned char)text[letters - 1]))
        letters--;
    int low = letters > 1 && text[letters - 1] == '_' ? letters - 1 : letters;
    const char *underscore = memchr(text, '_', (size_t)length);
    if (letters == length && underscore && underscore > text) low = (int)(underscore - text), letters = low + 1;
    if (letters < length) fputs("<msub>", out);
    bool known = false;
    for (size_t i = 0; i < sizeof greek / sizeof *greek && !known; i++)
        if (strlen(greek[i].name) == (size_t)low && strncmp(greek[i].name, text, (size_t)low) == 0) {
            fprintf(out, "<mi>%s</mi>", greek[i].letter);
            known = true;
        }
    if (!known) write_word(out, "mi", text, low);
    if (letters == length) return;
    write_word(out, isdigit((unsigned char)text[letters]) ? "mn" : "mi", text + letters, length - letters);
    fputs("</msub>", out);
}

static void write_call(FILE *out, const reader *r, const node *n)
{
    const node *name = &r->nodes[n->left];
    if (name->length == 4 && strncmp(name->text, "sqrt", 4) == 0) {
        fputs("<msqrt>", out);
        write_node(out, r, n->right, 0);
        fputs("</msqrt>", out);
        return;
    }
    bool ceiling = name->length == 4 && strncmp(name->text, "ceil", 4) == 0;
    bool floor = name->length == 5 && strncmp(name->text, "floor", 5) == 0;
    if (!ceiling && !floor) write_name(out, name->text, name->length);
    fprintf(out, ceiling || floor ? "" : "<mo>&#x2061;</mo>"); /* application of a function */
    fprintf(out, "<mrow><mo>%s</mo>", ceiling ? "⌈" : floor ? "⌊" : "(");
    write_node(out, r, n->right, 0);
    fprintf(out, "<mo>%s</mo></mrow>", ceiling ? "⌉" : floor ? "⌋" : ")");
}

/* Nothing stands between factors, but a dot does where the second begins with a digit. */
static bool begins_with_digit(const reader *r, int number)
{
    const node *n = &r->nodes[number];
    while (n->kind == POWER || n->kind == PRODUCT)
        n = &r->nodes[n->left];
    return n->kind == NUMBER || n->kind == QUOTIENT;
}

static void write_pair(FILE *out, const reader *r, const node *n, const char *element, int first, int second)
{
    fprintf(out, "<%s><mrow>", element);
    write_node(out, r, n->left, first);
    fputs("</mrow><mrow>", out);
    write_node(out, r, n->right, second);
    fprintf(out, "</mrow></%s>", element);
}

static void write_sign(FILE *out, const reader *r, const node *n, const char *sign, int first, int second)
{
    write_node(out, r, n->left, first);
    fprintf(out, "<mo>%s</mo>", sign);
    write_node(out, r, n->right, second);
}

static void write_node(FILE *out, const reader *r, int number, int least)
{
    const node *n = &r->nodes[number];
    bool parentheses = tightness(n) < least;
    if (parentheses) fputs("<mrow><mo>(</mo>", out);
    switch (n->kind) {
    case NUMBER: write_word(out, "mn", n->text, n->length); break;
    case NAME: write_name(out, n->text, n->length); break;
    case SUM: write_sign(out, r, n, "+", 2, 3); break;
    case DIFFERENCE: write_sign(out, r, n, "−", 2, 4); break;
    case PRODUCT: write_sign(out, r, n, begins_with_digit(r, n->right) ? "·" : "&#x2062;", 4, 4); break;
    case QUOTIENT: write_pair(out, r, n, "mfrac", 0, 0); break;
    case POWER: write_pair(out, r, n, "msup", 7, 0); break;
    case MINUS:
        fputs("<mo>−</mo>", out);
        write_node(out, r, n->left, 4);
        break;
    case CALL: write_call(out, r, n); break;
    case LIST: write_sign(out, r, n, ",", 0, 1); break;
    case RELATION: write_sign(out, r, n, n->text, 2, 1); break;
    }
    if (parentheses) fputs("<mo>)</mo></mrow>", out);
}

void mmm_mathml_write(FILE *out, const char *expression, bool block)
{
    reader *r = NULL;
    int top = 0;
    bool fine = mmm_alloc(&r, 1, sizeof *r) == MMM_OK;
    if (fine) {
        r->at = expression;
        top = read_relation(r);
        while (*r->at == ' ')
            r->at++;
        fine = !r->bad && !*r->at;
    }
    if (fine) {
        fprintf(out, "<math%s><mrow>", block ? " display=\"block\"" : "");
        write_node(out, r, top, 0);
        fputs("</mrow></math>", out);
    } else { /* as text, also without memory */
        fputs("<code>", out);
        mmm_html_text(out, expression);
        fputs("</code>", out);
    }
    free(r);
}
