/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of sections 3 to 6 with their verdicts: a table of all, those of one analysis in full, or JSON. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS = 6, GAP = 2 };

/* They add up, with the gaps, to 120 columns. */
static const int widths[COLUMNS] = {24, 7, 15, 22, 21, 21};

void print_json_string(const char *text)
{
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

void print_json_field(const char *key, const char *text, const char *after)
{
    printf("\"%s\":", key);
    print_json_string(text);
    printf("%s", after);
}

mmm_status open_formula(const char *name, mmm_formula **out)
{
    const mmm_app *app = NULL;
    struct stat status;
    mmm_status result = MMM_OK;
    for (const mmm_app *const *a = mmm_app_list(); *a; a++)
        if (strcmp((*a)->name, name) == 0) app = *a;
    if (!app && (stat(name, &status) != 0 || !S_ISDIR(status.st_mode))) return mmm_formula_open(name, out);
    if (!app) result = mmm_app_open(name, &app);
    if (result == MMM_OK) result = mmm_app_formula(app, out);
    if (result == MMM_OK && !*out) return mmm_fail(MMM_INVALID, "'%s' has no formulas.txt", name);
    return result;
}

int complain_formula(mmm_status status)
{
    const char *text;
    int column = mmm_formula_place(&text);
    if (status != MMM_INVALID || column < 0) return complain_status(status);
    return complain("'%s', column %d: %s", text, column + 1, mmm_message());
}

/* ---- The table ----------------------------------------------------------------------------------------------------
 */

/* How much of the text goes on a line: up to a space, else up to an operator, else as much as fits. */
static int line_length(const char *text, int width)
{
    int length = (int)strlen(text), space = 0, operator= 0;
    if (length <= width) return length;
    for (int i = 1; i <= width; i++) {
        if (text[i] == ' ') space = i;
        if (i < width && strchr("+-*/.,)", text[i]) && text[i + 1] != ',') operator= i + 1;
    }
    if (3 * space >= width || (space && !operator)) return space;
    return operator? operator: width;
}

static void print_row(const char *const *row)
{
    const char *rest[COLUMNS];
    bool more = true;
    memcpy(rest, row, sizeof rest);
    while (more) {
        int due = 0; /* spaces are written only before text, so that no line ends in them */
        more = false;
        for (int i = 0; i < COLUMNS; i++) {
            int length = line_length(rest[i], widths[i]);
            if (length) printf("%*s%.*s", due, "", length, rest[i]), due = 0;
            due += widths[i] - length + GAP;
            rest[i] += length;
            while (*rest[i] == ' ')
                rest[i]++;
            if (*rest[i]) more = true;
        }
        putchar('\n');
    }
}

/* "3.3 (5)" for "3.3, equation (5), ...": the rest is shown with --check and --json. */
static void short_section(const char *section, char *out, size_t room)
{
    int length = (int)strcspn(section, ",");
    const char *equation = strstr(section, "equation (");
    int number = equation ? (int)strcspn(equation + 10, ")") : 0;
    snprintf(out, room, equation ? "%.*s (%.*s)" : "%.*s", length, section, number, equation ? equation + 10 : "");
}

static void print_table_row(const mmm_claim *claim)
{
    char section[32];
    short_section(claim->section, section, sizeof section);
    print_row((const char *[]){claim->id, section, mmm_claim_verdict_name(claim->verdict), claim->states,
                               claim->follows, claim->measured ? claim->measured : "-"});
}

static void print_head(void)
{
    print_row((const char *[]){"id", "section", "verdict", "states", "follows", "measured"});
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < widths[i] + (i < COLUMNS - 1 ? GAP : 0); j++)
            putchar(j < widths[i] ? '-' : ' ');
    putchar('\n');
}

/* ---- One claim ----------------------------------------------------------------------------------------------------
 */

static void print_claim(const mmm_claim *claim)
{
    printf("%-32s %s\n", claim->id, mmm_claim_verdict_name(claim->verdict));
    if (*claim->section) printf("    section   %s\n", claim->section);
    printf("    states    %s\n", claim->states);
    printf("    follows   %s\n", claim->follows);
    if (claim->measured) printf("    measured  %s\n", claim->measured);
}

static void print_claim_json(const mmm_claim *claim, bool first)
{
    const char *const fields[][2] = {{"id", claim->id},
                                     {"section", claim->section},
                                     {"states", claim->states},
                                     {"follows", claim->follows},
                                     {"measured", claim->measured},
                                     {"verdict", mmm_claim_verdict_name(claim->verdict)}};
    printf("%s\n{", first ? "[" : ",");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        printf("%s\"%s\":", i ? "," : "", fields[i][0]);
        print_json_string(fields[i][1]);
    }
    printf("}");
}

/* ---- All of them --------------------------------------------------------------------------------------------------
 */

typedef struct tally {
    int rows, holds, definitions, wrong;
} tally;

/* All of an analysis, or as rows of the table what the paper claims. */
static mmm_status show_formula(const char *name, bool json, bool table, tally *sum)
{
    mmm_formula *formula = NULL;
    mmm_claim *claims = NULL;
    int count = 0;
    mmm_status status = open_formula(name, &formula);
    if (status == MMM_OK) status = mmm_formula_claims(formula, &claims, &count);
    for (int i = 0; i < count && status == MMM_OK; i++) {
        if (table && !*claims[i].section) continue; /* an analysis of ours: no claim of the paper */
        if (json)
            print_claim_json(&claims[i], sum->rows == 0);
        else
            (table ? print_table_row : print_claim)(&claims[i]);
        sum->rows++;
        sum->holds += claims[i].verdict == MMM_CLAIM_HOLDS;
        sum->definitions += claims[i].verdict == MMM_CLAIM_BY_DEFINITION;
        sum->wrong += claims[i].verdict == MMM_CLAIM_DOES_NOT_FOLLOW;
    }
    if (status == MMM_OK) mmm_claims_free(claims, count);
    mmm_formula_free(formula);
    return status;
}

/* Analyses of sections of the paper, by their applications. */
static bool is_of_paper(const char *name)
{
    for (const mmm_app *const *app = mmm_app_list(); *app; app++)
        if (strcmp((*app)->name, name) == 0) return (*app)->section;
    return false;
}

int show_claims(const char *name, bool json)
{
    tally sum = {0};
    mmm_status status = MMM_OK;
    if (!name && !json) print_head();
    if (name) status = show_formula(name, json, false, &sum);
    for (int i = 0; !name && mmm_formula_builtin(i) && status == MMM_OK; i++)
        if (is_of_paper(mmm_formula_builtin(i))) status = show_formula(mmm_formula_builtin(i), json, true, &sum);
    if (status != MMM_OK) return complain_formula(status);
    if (json)
        printf("\n]\n");
    else
        printf("%d claim%s: %d hold, %d by definition, %d do not follow, %d differ\n", sum.rows,
               sum.rows == 1 ? "" : "s", sum.holds, sum.definitions, sum.wrong,
               sum.rows - sum.holds - sum.definitions - sum.wrong);
    return name && sum.holds + sum.definitions < sum.rows ? EXIT_CHECK_FAILED : EXIT_WORKED;
}

int show_counts(const char *name, const char *counts)
{
    mmm_formula *formula = NULL;
    mmm_agreement agreements[MMM_AGREEMENTS];
    int wrong = 0;
    int64_t compared = 0;
    mmm_status status = open_formula(name, &formula);
    if (status == MMM_OK) status = mmm_formula_agrees(formula, counts, agreements);
    mmm_formula_free(formula);
    if (status != MMM_OK) return complain_formula(status);
    for (int i = 0; i < MMM_AGREEMENTS; i++) {
        const mmm_agreement *a = &agreements[i];
        if (a->wrong)
            printf("%s is wrong at %lld of %lld counted jobs, as %s\n", a->quantity, (long long)a->wrong,
                   (long long)a->compared, a->first);
        wrong += a->wrong > 0;
        compared += a->compared;
    }
    if (!wrong) printf(compared ? "as counted:" : "no counted job that it speaks of");
    for (int i = 0; i < MMM_AGREEMENTS && !wrong; i++)
        if (agreements[i].compared)
            printf(" %s (%lld jobs)", agreements[i].quantity, (long long)agreements[i].compared);
    if (!wrong) putchar('\n');
    return wrong ? EXIT_CHECK_FAILED : EXIT_WORKED;
}
