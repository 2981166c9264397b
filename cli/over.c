/* SPDX-License-Identifier: Apache-2.0 */
/* mmm run --over Z: products, quotients and gcds of polynomials with integer coefficients, from files. */
#include "cli.h"

#include "mmm/integer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, F, REST, POLYNOMIALS };

/* One run. */
static mmm_status run_once(const over_request *r, mmm_machine *machine, fmpz_poly_struct *x, mmm_integer_facts *facts,
                           double *seconds)
{
    const double start = mmm_now();
    mmm_status status = MMM_OK;
    if (strcmp(r->app, "multiplication") == 0)
        status = mmm_integer_multiply(machine, x + F, x + A, x + B, facts);
    else if (strcmp(r->app, "gcd") == 0)
        status = mmm_integer_gcd(machine, x + F, x + A, x + B, facts);
    else
        status = mmm_integer_divide(machine, x + F, x + REST, x + A, x + B, facts);
    *seconds = mmm_now() - start;
    return status;
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Runs it as often as is asked for, and tells the median and the range. */
static mmm_status measure(const over_request *r, mmm_machine *machine, fmpz_poly_struct *x, mmm_integer_facts *facts,
                          double times[3])
{
    const int64_t runs = r->repeat ? r->repeat : 1;
    double *all = calloc((size_t)runs + 1, sizeof *all);
    if (!all) return mmm_fail(MMM_MEMORY, "no memory for %lld times", (long long)runs);
    mmm_status status = MMM_OK;
    for (int64_t i = r->repeat ? -1 : 0; status == MMM_OK && i < runs; i++) /* the first to warm up */
        status = run_once(r, machine, x, facts, &all[i < 0 ? 0 : i]);
    qsort(all, (size_t)runs, sizeof *all, compare);
    times[0] = all[runs / 2];
    times[1] = all[0];
    times[2] = all[runs - 1];
    free(all);
    return status;
}

static void print(FILE *stream, const over_request *r, const mmm_machine *machine, const fmpz_poly_struct *x,
                  const mmm_integer_facts *facts, const double times[3], mmm_status check, double theirs)
{
    static const char *const short_names[] = {"none", "bound", "division", "identity", "prime"};
    const long n = (long)fmpz_poly_length(x + A), m = (long)fmpz_poly_length(x + B);
    if (r->json) {
        fprintf(stream,
                "{\"app\":\"%s\",\"over\":\"Z\",\"n\":%ld,\"m\":%ld,\"bits\":%lld,\"machine\":\"%s\",\"seconds\":%.9f,"
                "\"least\":%.9f,\"most\":%.9f,\"runs\":%lld,\"primes\":%lld,\"unlucky\":%lld,\"proof\":\"%s\",",
                r->app, n, m, (long long)facts->bits, r->machine, times[0], times[1], times[2],
                (long long)(r->repeat ? r->repeat : 1), (long long)facts->primes, (long long)facts->unlucky,
                short_names[facts->proof]);
        if (r->check)
            fprintf(stream, "\"check\":\"%s\",\"oracle\":%.9f}\n", check == MMM_OK ? "equal" : "wrong", theirs);
        else
            fprintf(stream, "\"check\":null}\n");
        return;
    }
    fprintf(stream, "%s over Z, %ld and %ld terms: %.3f ms on %s (%s), %lld prime%s", r->app, n, m, times[0] * 1e3,
            r->machine, mmm_machine_description(machine), (long long)facts->primes, facts->primes == 1 ? "" : "s");
    if (facts->unlucky) fprintf(stream, ", %lld unlucky", (long long)facts->unlucky);
    fprintf(stream, ", %lld bits, %s", (long long)facts->bits, mmm_proof_name(facts->proof));
    if (r->check && check == MMM_OK) fprintf(stream, "; equal to the result of FLINT");
    if (r->check && check != MMM_OK) fprintf(stream, "; WRONG: %s", mmm_message());
    fputc('\n', stream);
}

static int carry_out(const over_request *r, mmm_machine *machine, fmpz_poly_struct *x)
{
    char text[] = "running";
    mmm_integer_facts facts = {0};
    double times[3] = {0}, theirs = 0;
    bool to_standard_output = false, division = strcmp(r->app, "division") == 0;
    mmm_status status = MMM_OK, check = MMM_OK;
    for (int i = 0; status == MMM_OK && i < 2; i++)
        status = mmm_integer_read(r->inputs->list[i], x + i);
    mmm_machine_on_progress(machine, show_progress, text);
    if (status == MMM_OK) status = measure(r, machine, x, &facts, times);
    mmm_machine_on_progress(machine, NULL, NULL);
    end_progress();
    if (status == MMM_OK && r->check) {
        check = mmm_integer_check(r->app, x + A, x + B, x + F, division ? x + REST : NULL, &theirs);
        if (check != MMM_WRONG) status = check;
    }
    for (int i = 0; status == MMM_OK && check == MMM_OK && i < r->outputs->count; i++) {
        if (strcmp(r->outputs->list[i], "-") == 0) to_standard_output = true;
        status = mmm_integer_write(x + F + i, r->outputs->list[i]);
    }
    if (status != MMM_OK) return status == MMM_STOPPED ? complain_interrupted() : complain_status(status);
    print(to_standard_output ? stderr : stdout, r, machine, x, &facts, times, check, theirs);
    return check == MMM_OK ? EXIT_WORKED : EXIT_CHECK_FAILED;
}

int run_over(const over_request *r)
{
    static const char *const apps[] = {"multiplication", "division", "gcd"};
    fmpz_poly_struct x[POLYNOMIALS];
    mmm_machine *machine;
    int known = 0;
    while (known < 3 && strcmp(r->app, apps[known]) != 0)
        known++;
    if (strcmp(r->over, "Z") != 0) return complain("--over %s: only Z is possible", r->over);
    if (known == 3) return complain("'%s' is not there over Z; multiplication, division and gcd are", r->app);
    if (r->inputs->count != 2) return complain("--over Z takes two files, a and b, not %d", r->inputs->count);
    if (r->outputs->count > (known == 1 ? 2 : 1))
        return complain("%s has %d output%s, there is none for '%s'", r->app, known == 1 ? 2 : 1, known == 1 ? "s" : "",
                        r->outputs->list[known == 1 ? 2 : 1]);
    mmm_status status = mmm_machine_open(r->machine, &machine);
    if (status != MMM_OK) return complain_status(status);
    for (int i = 0; i < POLYNOMIALS; i++)
        fmpz_poly_init(x + i);
    int exit_status = carry_out(r, machine, x);
    for (int i = 0; i < POLYNOMIALS; i++)
        fmpz_poly_clear(x + i);
    mmm_machine_free(machine);
    return exit_status;
}
