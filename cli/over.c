/* SPDX-License-Identifier: Apache-2.0 */
/* mmm run --over Z: products, quotients, gcds and resultants of polynomials with integer coefficients, from files. */
#include "cli.h"

#include "mmm/engine.h"
#include "mmm/integer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MULTIPLICATION, DIVISION, GCD, RESULTANT, APPS };
static const char *const apps[] = {"multiplication", "division", "gcd", "resultant"};

/* The operands are one polynomial each, but those of a resultant, which are as many as powers of y. */
typedef struct operands {
    int app;
    fmpz_poly_struct *rows[2];
    int64_t counts[2];
    fmpz_poly_struct f, rest;
} operands;

static mmm_status read_operand(operands *x, int i, const char *path)
{
    if (x->app == RESULTANT) return mmm_integer_read_rows(path, &x->rows[i], &x->counts[i]);
    x->rows[i] = calloc(1, sizeof *x->rows[i]);
    x->counts[i] = 1;
    if (!x->rows[i]) return mmm_fail(MMM_MEMORY, "no memory for a polynomial");
    return mmm_integer_read(path, x->rows[i]);
}

static void clear(operands *x)
{
    for (int i = 0; i < 2; i++)
        mmm_integer_rows_free(x->rows[i], x->counts[i]);
    fmpz_poly_clear(&x->f);
    fmpz_poly_clear(&x->rest);
}

/* One run. */
static mmm_status run_once(mmm_machine *machine, operands *x, mmm_integer_facts *facts, double *seconds)
{
    const double start = mmm_now();
    mmm_status status = MMM_OK;
    switch (x->app) {
    case MULTIPLICATION: status = mmm_integer_multiply(machine, &x->f, x->rows[0], x->rows[1], facts); break;
    case DIVISION: status = mmm_integer_divide(machine, &x->f, &x->rest, x->rows[0], x->rows[1], facts); break;
    case GCD: status = mmm_integer_gcd(machine, &x->f, x->rows[0], x->rows[1], facts); break;
    default: status = mmm_integer_resultant(machine, &x->f, x->rows[0], x->counts[0], x->rows[1], x->counts[1], facts);
    }
    *seconds = mmm_now() - start;
    return status;
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Runs it as often as is asked for, and tells the median and the range. */
static mmm_status measure(const over_request *r, mmm_machine *machine, operands *x, mmm_integer_facts *facts,
                          double times[3])
{
    const int64_t runs = r->repeat ? r->repeat : 1;
    double *all = calloc((size_t)runs + 1, sizeof *all);
    if (!all) return mmm_fail(MMM_MEMORY, "no memory for %lld times", (long long)runs);
    mmm_status status = MMM_OK;
    for (int64_t i = r->repeat ? -1 : 0; status == MMM_OK && i < runs; i++) /* the first to warm up */
        status = run_once(machine, x, facts, &all[i < 0 ? 0 : i]);
    qsort(all, (size_t)runs, sizeof *all, compare);
    times[0] = all[runs / 2];
    times[1] = all[0];
    times[2] = all[runs - 1];
    free(all);
    return status;
}

static void print(FILE *stream, const over_request *r, const mmm_machine *machine, const mmm_engine *engine,
                  const operands *x, const mmm_integer_facts *facts, const double times[3], mmm_status check,
                  double theirs)
{
    static const char *const short_names[] = {"none", "bound", "division", "identity", "prime"};
    const long n = (long)(x->app == RESULTANT ? x->counts[0] : fmpz_poly_length(x->rows[0]));
    const long m = (long)(x->app == RESULTANT ? x->counts[1] : fmpz_poly_length(x->rows[1]));
    if (r->json) {
        fprintf(stream,
                "{\"app\":\"%s\",\"over\":\"Z\",\"n\":%ld,\"m\":%ld,\"bits\":%lld,\"machine\":\"%s\",\"seconds\":%.9f,"
                "\"least\":%.9f,\"most\":%.9f,\"runs\":%lld,\"primes\":%lld,\"unlucky\":%lld,\"proof\":\"%s\",",
                r->app, n, m, (long long)facts->bits, r->machine, times[0], times[1], times[2],
                (long long)(r->repeat ? r->repeat : 1), (long long)facts->primes, (long long)facts->unlucky,
                short_names[facts->proof]);
        if (engine)
            fprintf(stream, "\"engine\":\"%s\",\"ranks\":%d,\"workers\":%d,", r->engine, mmm_engine_ranks(engine),
                    mmm_engine_workers(engine));
        if (r->check)
            fprintf(stream, "\"check\":\"%s\",\"oracle\":%.9f}\n", check == MMM_OK ? "equal" : "wrong", theirs);
        else
            fprintf(stream, "\"check\":null}\n");
        return;
    }
    fprintf(stream, "%s over Z, %ld and %ld terms: %.3f ms on ", r->app, n, m, times[0] * 1e3);
    if (engine)
        fprintf(stream, "%d rank%s of %s with %d worker%s, %s", mmm_engine_ranks(engine),
                mmm_engine_ranks(engine) == 1 ? "" : "s", r->engine, mmm_engine_workers(engine),
                mmm_engine_workers(engine) == 1 ? "" : "s", r->machine);
    else
        fprintf(stream, "%s (%s)", r->machine, mmm_machine_description(machine));
    fprintf(stream, ", %lld prime%s", (long long)facts->primes, facts->primes == 1 ? "" : "s");
    if (facts->unlucky) fprintf(stream, ", %lld unlucky", (long long)facts->unlucky);
    fprintf(stream, ", %lld bits, %s", (long long)facts->bits, mmm_proof_name(facts->proof));
    if (r->check && check == MMM_OK) fprintf(stream, "; equal to the result of FLINT");
    if (r->check && check != MMM_OK) fprintf(stream, "; WRONG: %s", mmm_message());
    fputc('\n', stream);
}

static mmm_status compare_with_flint(const operands *x, double *seconds)
{
    if (x->app == RESULTANT)
        return mmm_integer_check_resultant(x->rows[0], x->counts[0], x->rows[1], x->counts[1], &x->f, seconds);
    return mmm_integer_check(apps[x->app], x->rows[0], x->rows[1], &x->f, x->app == DIVISION ? &x->rest : NULL,
                             seconds);
}

static int carry_out(const over_request *r, mmm_machine *machine, const mmm_engine *engine, operands *x)
{
    char text[] = "running";
    mmm_integer_facts facts = {0};
    double times[3] = {0}, theirs = 0;
    bool to_standard_output = false;
    mmm_status status = MMM_OK, check = MMM_OK;
    for (int i = 0; status == MMM_OK && i < 2; i++)
        status = read_operand(x, i, r->inputs->list[i]);
    mmm_machine_on_progress(machine, show_progress, text);
    if (status == MMM_OK) status = measure(r, machine, x, &facts, times);
    mmm_machine_on_progress(machine, NULL, NULL);
    end_progress();
    if (status == MMM_OK && r->check) {
        check = compare_with_flint(x, &theirs);
        if (check != MMM_WRONG) status = check;
    }
    for (int i = 0; status == MMM_OK && check == MMM_OK && i < r->outputs->count; i++) {
        if (strcmp(r->outputs->list[i], "-") == 0) to_standard_output = true;
        status = mmm_integer_write(i ? &x->rest : &x->f, r->outputs->list[i]);
    }
    if (status != MMM_OK) return status == MMM_STOPPED ? complain_interrupted() : complain_status(status);
    print(to_standard_output ? stderr : stdout, r, machine, engine, x, &facts, times, check, theirs);
    return check == MMM_OK ? EXIT_WORKED : EXIT_CHECK_FAILED;
}

/* What rank 0 does, or the only process there is. */
static int lead(const over_request *r, int app, mmm_engine *engine)
{
    operands x = {.app = app};
    mmm_machine *machine;
    mmm_status status = mmm_machine_open(engine ? "cpu" : r->machine, &machine);
    if (status != MMM_OK) return complain_status(status);
    if (engine) mmm_machine_engage(machine, engine);
    int exit_status = carry_out(r, machine, engine, &x);
    clear(&x);
    mmm_machine_engage(machine, NULL);
    mmm_machine_free(machine);
    return exit_status;
}

int run_over(const over_request *r)
{
    mmm_engine *engine = NULL;
    mmm_status status;
    int known = 0, exit_status = EXIT_WORKED;
    while (known < APPS && strcmp(r->app, apps[known]) != 0)
        known++;
    const int outputs = known == DIVISION ? 2 : 1;
    if (strcmp(r->over, "Z") != 0) return complain("--over %s: only Z is possible", r->over);
    if (known == APPS)
        return complain("'%s' is not there over Z; multiplication, division, gcd and resultant are", r->app);
    if (r->inputs->count != 2) return complain("--over Z takes two files, a and b, not %d", r->inputs->count);
    if (r->outputs->count > outputs)
        return complain("%s has %d output%s, there is none for '%s'", r->app, outputs, outputs == 2 ? "s" : "",
                        r->outputs->list[outputs]);
    if (r->engine) {
        status = mmm_engine_open(r->engine, r->machine, &engine);
        if (status == MMM_STOPPED)
            return EXIT_WORKED; /* rank 0 says why, and fails: mpirun ends with the first that does */
        if (status != MMM_OK) return complain_status(status);
    }
    if (mmm_engine_rank(engine) > 0) {
        status = mmm_engine_serve(engine);
        if (status != MMM_OK) exit_status = complain_status(status);
    } else
        exit_status = lead(r, known, engine);
    mmm_engine_free(engine);
    return exit_status;
}
