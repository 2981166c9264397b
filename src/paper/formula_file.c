/* SPDX-License-Identifier: Apache-2.0 */
/* Formula files: the analysis of one algorithm on one page.
 *
 * A line that starts in the first column opens an entry; indented lines add to it; '#' starts a comment.  See
 * docs/formulas.md. */
#include "paper/paper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 18, ENTRY_LIMIT = 400 };

typedef struct reader {
    mmm_formula *formula;
    const char *name;
    int line;
    mmm_definition *definition; /* the open entry: one of these or none */
    mmm_claim_text *claim;
} reader;

static mmm_status copy_text(char **out, const char *text)
{
    mmm_free(*out);
    *out = mmm_copy_string(text);
    return *out ? MMM_OK : mmm_fail(MMM_MEMORY, "no memory for a formula");
}

static mmm_status bad_line(const reader *r, const char *format, const char *word)
{
    char message[300];
    snprintf(message, sizeof message, format, word);
    return mmm_fail(MMM_INVALID, "%s, line %d: %s", r->name, r->line, message);
}

/* Cuts the first word off; what follows goes to *rest. */
static char *cut_word(char *text, char **rest)
{
    char *end = text;
    while (*end && !isspace((unsigned char)*end))
        end++;
    *rest = end;
    while (isspace((unsigned char)**rest))
        (*rest)++;
    *end = 0;
    return text;
}

static bool is_name(const char *word)
{
    if (!isalpha((unsigned char)*word) || strlen(word) > MMM_NAME) return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && *word != '_') return false;
    return true;
}

/* An expression of a file: a syntax error keeps its place, and names the line. */
static mmm_status read_expression(reader *r, const char *text, mmm_expression *out)
{
    if (out->root) return bad_line(r, "%s is given twice", "an expression");
    mmm_status result = mmm_expression_parse(text, out);
    if (result != MMM_INVALID) return result;
    char message[300];
    snprintf(message, sizeof message, "%s", mmm_message());
    return mmm_fail(MMM_INVALID, "%s, line %d: %s", r->name, r->line, message);
}

static mmm_status add_parameter(reader *r, char *rest, bool size)
{
    mmm_formula *f = r->formula;
    char *meaning, *name = cut_word(rest, &meaning);
    if (!is_name(name)) return bad_line(r, "'%s' is no name for a parameter", name);
    if (f->parameter_count >= MMM_BINDINGS) return bad_line(r, "more than 16 parameters at '%s'", name);
    for (int64_t i = 0; i < f->parameter_count; i++)
        if (strcmp(f->parameters[i].name, name) == 0) return bad_line(r, "parameter '%s' is given twice", name);
    mmm_status result = mmm_grow(&f->parameters, &f->parameter_room, f->parameter_count + 1, sizeof *f->parameters);
    if (result != MMM_OK) return result;
    mmm_formula_parameter *p = &f->parameters[f->parameter_count++];
    *p = (mmm_formula_parameter){.size = size};
    result = copy_text(&p->name, name);
    return result == MMM_OK ? copy_text(&p->meaning, meaning) : result;
}

/* A piece of a list of conditions: "EXPRESSION is whole", or a relation. */
static mmm_status check_given(void *context, char *piece)
{
    reader *r = context;
    mmm_expression x = {0};
    char *whole = strstr(piece, " is whole");
    if (whole) *whole = 0;
    mmm_status result = read_expression(r, piece, &x);
    if (result == MMM_OK && (x.root->kind == NODE_RELATION) == (whole != NULL))
        result = bad_line(r, "'%s' is no condition; write A is whole, A <= B, A < B, A >= B or A > B", piece);
    mmm_expression_free(&x);
    return result;
}

static mmm_status add_given(reader *r, const char *text)
{
    mmm_formula *f = r->formula;
    mmm_status result = MMM_OK;
    if (f->given_count >= ENTRY_LIMIT) return bad_line(r, "too many conditions at '%s'", text);
    TRY(mmm_pieces_read(text, check_given, r));
    TRY(mmm_grow(&f->givens, &f->given_room, f->given_count + 1, sizeof *f->givens));
    f->givens[f->given_count] = NULL;
    TRY(copy_text(&f->givens[f->given_count++], text));
done:
    return result;
}

static mmm_status add_constraint(reader *r, const char *text)
{
    mmm_formula *f = r->formula;
    mmm_expression x = {0};
    mmm_status result = MMM_OK;
    if (f->constraint_count >= ENTRY_LIMIT) return bad_line(r, "too many constraints at '%s'", text);
    TRY(read_expression(r, text, &x));
    if (x.root->kind != NODE_RELATION || !strchr("<>lg", x.root->relation)) {
        result = bad_line(r, "'%s' is no constraint; write A <= B, A < B, A >= B or A > B", text);
        goto done;
    }
    TRY(mmm_grow(&f->constraints, &f->constraint_room, f->constraint_count + 1, sizeof *f->constraints));
    f->constraints[f->constraint_count] = NULL;
    TRY(copy_text(&f->constraints[f->constraint_count++], text));
done:
    mmm_expression_free(&x);
    return result;
}

/* NAME = EXPRESSION, or let NAME = EXPRESSION for what is no row of the table. */
static mmm_status add_definition(reader *r, char *text, bool row)
{
    mmm_formula *f = r->formula;
    char *equals = strchr(text, '=');
    if (!equals) return bad_line(r, "'%s' is neither an entry nor NAME = EXPRESSION", text);
    *equals = 0;
    char *rest, *name = cut_word(text, &rest);
    if (!is_name(name) || *rest) return bad_line(r, "'%s' is no name for a quantity", name);
    if (mmm_formula_find(f, name)) return bad_line(r, "'%s' is defined twice", name);
    if (f->definition_count >= ENTRY_LIMIT) return bad_line(r, "too many definitions at '%s'", name);
    mmm_status result = mmm_grow(&f->definitions, &f->definition_room, f->definition_count + 1, sizeof *f->definitions);
    if (result != MMM_OK) return result;
    r->definition = &f->definitions[f->definition_count++];
    *r->definition = (mmm_definition){.row = row};
    TRY(copy_text(&r->definition->name, name));
    TRY(read_expression(r, equals + 1 + strspn(equals + 1, " \t"), &r->definition->states));
    if (r->definition->states.root->kind == NODE_RELATION) return bad_line(r, "'%s' is given by a relation", name);
done:
    return result;
}

static mmm_status add_claim(reader *r, char *rest)
{
    mmm_formula *f = r->formula;
    char *more, *id = cut_word(rest, &more);
    if (!*id || !*more) return bad_line(r, "a claim needs a name and a relation, as in: claim ratio W1/W = 2%s", "");
    for (int64_t i = 0; i < f->claim_count; i++)
        if (strcmp(f->claims[i].id, id) == 0) return bad_line(r, "claim '%s' is made twice", id);
    if (f->claim_count >= ENTRY_LIMIT) return bad_line(r, "too many claims at '%s'", id);
    mmm_status result = mmm_grow(&f->claims, &f->claim_room, f->claim_count + 1, sizeof *f->claims);
    if (result != MMM_OK) return result;
    r->claim = &f->claims[f->claim_count++];
    *r->claim = (mmm_claim_text){0};
    result = copy_text(&r->claim->id, id);
    return result == MMM_OK ? copy_text(&r->claim->text, more) : result;
}

static mmm_status open_entry(reader *r, char *line)
{
    mmm_formula *f = r->formula;
    char *rest, *equals = strchr(line, '='), *copy = mmm_copy_string(line);
    mmm_status result = MMM_OK;
    if (!copy) return mmm_fail(MMM_MEMORY, "no memory for a formula");
    char *word = cut_word(copy, &rest);
    r->definition = NULL;
    r->claim = NULL;
    if (strcmp(word, "title") == 0)
        result = copy_text(&f->title, rest);
    else if (strcmp(word, "section") == 0)
        result = copy_text(&f->section, rest);
    else if (strcmp(word, "parameter") == 0 || strcmp(word, "size") == 0)
        result = add_parameter(r, rest, word[0] == 's');
    else if (strcmp(word, "choose") == 0)
        result = copy_text(&f->program, rest);
    else if (strcmp(word, "where") == 0)
        result = add_constraint(r, rest);
    else if (strcmp(word, "given") == 0)
        result = add_given(r, rest);
    else if (strcmp(word, "let") == 0)
        result = add_definition(r, rest, false);
    else if (strcmp(word, "claim") == 0)
        result = add_claim(r, rest);
    else if (equals)
        result = add_definition(r, line, true);
    else
        result = bad_line(
            r,
            "unknown entry '%s'; accepted are title, section, size, parameter, choose, where, given, let, claim "
            "and "
            "NAME = EXPRESSION",
            word);
    mmm_free(copy);
    return result;
}

static mmm_status add_attribute(reader *r, char *line)
{
    char *rest, *word = cut_word(line, &rest);
    if (r->definition) {
        if (strcmp(word, "section") == 0) return copy_text(&r->definition->section, rest);
        if (strcmp(word, "because") == 0) return read_expression(r, rest, &r->definition->because);
        if (strcmp(word, "measured") == 0) return read_expression(r, rest, &r->definition->measured);
        if (strcmp(word, "given") == 0) {
            mmm_status result = mmm_pieces_read(rest, check_given, r);
            return result == MMM_OK ? copy_text(&r->definition->given, rest) : result;
        }
        return bad_line(r, "unknown word '%s' under a quantity; accepted are section, because, measured, given", word);
    }
    if (r->claim) {
        if (strcmp(word, "section") == 0) return copy_text(&r->claim->section, rest);
        if (strcmp(word, "with") == 0) return copy_text(&r->claim->with, rest);
        if (strcmp(word, "as") == 0) return copy_text(&r->claim->as, rest);
        if (strcmp(word, "solve") == 0) return copy_text(&r->claim->solve, rest);
        if (strcmp(word, "when") == 0) return copy_text(&r->claim->when, rest);
        return bad_line(r, "unknown word '%s' under a claim; accepted are section, with, when, as, solve", word);
    }
    return bad_line(r, "'%s' is indented but belongs to no quantity or claim", word);
}

static mmm_status read_line(reader *r, char *line)
{
    char *comment = strchr(line, '#');
    if (comment) *comment = 0;
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    if (!length) return MMM_OK;
    char *start = line;
    while (isspace((unsigned char)*start))
        start++;
    return start == line ? open_entry(r, start) : add_attribute(r, start);
}

mmm_status mmm_formula_read(const char *name, const char *text, mmm_formula **out)
{
    mmm_status result = MMM_OK;
    reader r = {.name = name};
    NEED(name, "the name of a formula");
    NEED(text, "the text of a formula");
    NEED(out, "the place for a formula");
    char *copy = mmm_copy_string(text);
    mmm_place_clear();
    TRY(mmm_alloc(&r.formula, 1, sizeof *r.formula));
    if (!copy) FAIL(MMM_MEMORY, "no memory for a formula");
    TRY(copy_text(&r.formula->name, name));
    for (char *line = copy, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        r.line++;
        TRY(read_line(&r, line));
    }
    if (!r.formula->definition_count) FAIL(MMM_INVALID, "%s defines no quantity such as W = n*m", name);
    if (!r.formula->title) TRY(copy_text(&r.formula->title, name));
    if (r.formula->program) TRY(mmm_check_parameter(r.formula, r.formula->program));
    *out = r.formula;
    r.formula = NULL;
done:
    mmm_free(copy);
    mmm_formula_free(r.formula);
    return result;
}

mmm_status mmm_formula_open(const char *name, mmm_formula **out)
{
    char *text = NULL, list[200] = "";
    int64_t size;
    NEED(name, "the name of a formula");
    NEED(out, "the place for a formula");
    for (int i = 0; mmm_analyses[i].name; i++) {
        if (strcmp(mmm_analyses[i].name, name) == 0) return mmm_formula_read(name, mmm_analyses[i].text, out);
        snprintf(list + strlen(list), sizeof list - strlen(list), " %s", mmm_analyses[i].name);
    }
    if (!strpbrk(name, "/."))
        return mmm_fail(MMM_INVALID, "unknown algorithm '%.100s'; accepted are%s, or a file such as ./mine.txt", name,
                        list);
    mmm_status result = mmm_file_read(name, FILE_LIMIT, &text, &size);
    if (result != MMM_OK) return result;
    result = memchr(text, 0, (size_t)size) ? mmm_fail(MMM_INVALID, "'%s' is no text file", name)
                                           : mmm_formula_read(name, text, out);
    mmm_free(text);
    return result;
}

void mmm_formula_free(mmm_formula *f)
{
    if (!f) return;
    for (int64_t i = 0; i < f->parameter_count; i++)
        mmm_free(f->parameters[i].name), mmm_free(f->parameters[i].meaning);
    for (int64_t i = 0; i < f->constraint_count; i++)
        mmm_free(f->constraints[i]);
    for (int64_t i = 0; i < f->given_count; i++)
        mmm_free(f->givens[i]);
    for (int64_t i = 0; i < f->definition_count; i++) {
        mmm_definition *d = &f->definitions[i];
        mmm_expression_free(&d->states);
        mmm_expression_free(&d->because);
        mmm_expression_free(&d->measured);
        mmm_free(d->name), mmm_free(d->section), mmm_free(d->given);
    }
    for (int64_t i = 0; i < f->claim_count; i++) {
        mmm_claim_text *c = &f->claims[i];
        mmm_free(c->id), mmm_free(c->section), mmm_free(c->text), mmm_free(c->with), mmm_free(c->as),
            mmm_free(c->solve), mmm_free(c->when);
    }
    mmm_free(f->parameters), mmm_free(f->constraints), mmm_free(f->givens), mmm_free(f->definitions),
        mmm_free(f->claims);
    mmm_free(f->name), mmm_free(f->title), mmm_free(f->section), mmm_free(f->program);
    mmm_free(f);
}

const mmm_definition *mmm_formula_find(const mmm_formula *formula, const char *name)
{
    for (int64_t i = 0; i < formula->definition_count; i++)
        if (strcmp(formula->definitions[i].name, name) == 0) return &formula->definitions[i];
    return NULL;
}

const char *mmm_formula_builtin(int number)
{
    int i = 0;
    while (i < number && mmm_analyses[i].name)
        i++;
    return number >= 0 ? mmm_analyses[i].name : NULL;
}

const char *mmm_formula_title(const mmm_formula *formula)
{
    return formula ? formula->title : NULL;
}

const char *mmm_formula_program_parameter(const mmm_formula *formula)
{
    return formula ? formula->program : NULL;
}

const char *mmm_formula_constraint(const mmm_formula *f, int number)
{
    return f && number >= 0 && number < f->constraint_count ? f->constraints[number] : NULL;
}

const char *mmm_formula_given(const mmm_formula *f, const char *quantity, int number)
{
    if (!f) return NULL;
    if (!quantity) return number >= 0 && number < f->given_count ? f->givens[number] : NULL;
    const mmm_definition *definition = mmm_formula_find(f, quantity);
    return definition && number == 0 ? definition->given : NULL;
}

const char *mmm_formula_name(const mmm_formula *f, int number, const char **meaning)
{
    static const char *const known[][2] = {{"U", "time to move one word between global and local memory"},
                                           {"Z", "words of local memory"},
                                           {"P", "streaming multiprocessors"},
                                           {"T", "(N/K + L)*C, the bound of Corollary 1; T(P) is that of Theorem 1"}};
    const int count = sizeof known / sizeof *known;
    const char *ignored;
    if (!f || number < 0) return NULL;
    if (!meaning) meaning = &ignored;
    if (number < f->parameter_count) {
        *meaning = f->parameters[number].meaning;
        return f->parameters[number].name;
    }
    number -= (int)f->parameter_count;
    if (number < f->definition_count) {
        *meaning = f->definitions[number].states.text;
        return f->definitions[number].name;
    }
    number -= (int)f->definition_count;
    if (number >= count) return NULL;
    *meaning = known[number][1];
    return known[number][0];
}
