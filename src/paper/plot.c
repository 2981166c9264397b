/* SPDX-License-Identifier: Apache-2.0 */
/* An expression over a range of one variable, drawn by gnuplot. */
#include "paper/paper.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { POINTS = 1000 };

typedef struct range {
    char name[MMM_NAME + 1];
    double points[POINTS];
    int count, base; /* base: of a logarithmic range, else 0 */
} range;

static mmm_status bad_range(const char *text)
{
    return mmm_fail(MMM_INVALID, "'%s' is no range; accepted are s=1-512, s=1-512:10, s=1-512:10log2 and s=64,128,256",
                    text);
}

static mmm_status add_point(range *r, double point)
{
    if (r->count == POINTS) return mmm_fail(MMM_INVALID, "a range of more than %d points", POINTS);
    if (!r->count || point > r->points[r->count - 1]) r->points[r->count++] = point;
    return MMM_OK;
}

/* start-stop[:count[logB]]; points are whole numbers. */
static mmm_status read_span(const char *text, const char *whole, range *r)
{
    mmm_status result = MMM_OK;
    char *end;
    double start = mmm_read_number(text, &end);
    if (end == text || *end != '-') return bad_range(whole);
    const char *second = end + 1;
    double stop = mmm_read_number(second, &end);
    if (end == second || !(start >= 1) || !(stop >= start) || !(stop <= 1e15)) return bad_range(whole);
    long count = stop - start < POINTS ? (long)(stop - start) + 1 : POINTS / 2;
    if (*end == ':') {
        const char *number = end + 1;
        count = strtol(number, &end, 10);
        if (end == number || count < 2 || count > POINTS) return bad_range(whole);
        if (strncmp(end, "log", 3) == 0) {
            const char *base = end + 3;
            r->base = (int)strtol(base, &end, 10);
            if (end == base) r->base = 2;
            if (r->base < 2 || r->base > 100) return bad_range(whole);
        }
    }
    if (*end) return bad_range(whole);
    for (long i = 0; i < count; i++) {
        double part = count > 1 ? (double)i / (double)(count - 1) : 0;
        TRY(add_point(r, round(r->base ? start * pow(stop / start, part) : start + (stop - start) * part)));
    }
done:
    return result;
}

static mmm_status read_range(const char *text, range *r)
{
    mmm_status result = MMM_OK;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals - text > MMM_NAME) return bad_range(text);
    memcpy(r->name, text, (size_t)(equals - text));
    if (strchr(equals, '-')) return read_span(equals + 1, text, r);
    for (const char *c = equals + 1;;) {
        char *end;
        double point = mmm_read_number(c, &end);
        if (end == c || !isfinite(point) || !isdigit((unsigned char)*c)) return bad_range(text);
        TRY(add_point(r, point));
        if (!*end) break;
        if (*end != ',') return bad_range(text);
        c = end + 1;
    }
done:
    return result;
}

/* The values, one line each; those that do not exist (a division by zero) are left out. */
static mmm_status write_points(const mmm_formula *formula, const mmm_query *query, const range *r, FILE *script)
{
    mmm_status result = MMM_OK;
    int drawn = 0;
    for (int i = 0; i < r->count; i++) {
        char values[MMM_EXPRESSION + 1];
        mmm_answer answer = {0};
        mmm_query point = *query;
        int length = snprintf(values, sizeof values, "%s%s%s=%.17g", query->evaluate ? query->evaluate : "",
                              query->evaluate ? "," : "", r->name, r->points[i]);
        if (length >= (int)sizeof values) FAIL(MMM_INVALID, "a list of more than %d characters", MMM_EXPRESSION);
        point.evaluate = values;
        point.solve = NULL;
        point.notation = MMM_TEXT;
        mmm_status status = mmm_formula_ask(formula, &point, &answer);
        if (status != MMM_OK) {
            if (strncmp(mmm_message(), "division by zero", 16) == 0) continue;
            return status;
        }
        double number = answer.number;
        char text[200];
        snprintf(text, sizeof text, "%s", answer.text);
        mmm_answer_clear(&answer);
        if (isnan(number))
            FAIL(MMM_INVALID, "nothing to draw: with %s it is still %s; give every variable a value", values, text);
        fprintf(script, "%.17g %.17g\n", r->points[i], number);
        drawn++;
    }
    if (!drawn) FAIL(MMM_INVALID, "nothing to draw: the expression has no value on this range");
done:
    return result;
}

static mmm_status run_gnuplot(FILE *script, FILE *output)
{
    char program[] = "gnuplot", defaults[] = "-d"; /* -d: without the user's own settings */
    char *arguments[] = {program, defaults, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    fflush(output);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), 1);
    int error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return mmm_fail(MMM_IO, "gnuplot could not be started (%s); plots need it installed", strerror(error));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? MMM_OK : mmm_fail(MMM_IO, "gnuplot failed");
}

mmm_status mmm_formula_plot(const mmm_formula *formula, const mmm_query *query, const char *text, const char *path)
{
    mmm_status result = MMM_OK;
    mmm_output output = {0};
    range *r = NULL;
    mmm_place_clear();
    NEED(formula, "the formula");
    NEED(query, "the question");
    NEED(text, "the range of a plot");
    NEED(path, "the path of a plot");
    locale_t before = mmm_locale_own();
    FILE *script = tmpfile();
    if (!script) FAIL(MMM_IO, "no temporary file for the plot: %s", strerror(errno));
    if (!query->expression) FAIL(MMM_INVALID, "an expression is needed");
    TRY(mmm_alloc(&r, 1, sizeof *r));
    TRY(read_range(text, r));
    /* What has been evaluated below holds no quote: expressions cannot. */
    fprintf(script, "$data << END\n");
    TRY(write_points(formula, query, r, script));
    fprintf(script, "END\nset terminal svg size 800,500 dynamic noenhanced background 'white'\n");
    fprintf(script, "set key off\nset grid\nset xlabel '%s'\nset title '%s'\n", r->name, query->expression);
    if (r->base) fprintf(script, "set logscale x %d\n", r->base);
    fprintf(script, "plot $data with linespoints pointtype 7 pointsize 0.4\n");
    if (fflush(script) != 0) FAIL(MMM_IO, "cannot write a temporary file: %s", strerror(errno));
    rewind(script);
    TRY(mmm_output_open(&output, path));
    TRY(run_gnuplot(script, output.stream));
    TRY(mmm_output_commit(&output));
done:
    mmm_output_discard(&output);
    if (script) fclose(script);
    mmm_locale_back(before);
    mmm_free(r);
    return result;
}
