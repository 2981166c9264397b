/* SPDX-License-Identifier: Apache-2.0 */
/* Where the algorithm for many terms overtakes that for few: both with their usual choices, in turns, in one run, the
 * smallest time of each; times are of the kernels.  Columns: operation, p, terms, both times, what is predicted of
 * both, in microseconds, and the time of what mmm_fastest takes over the better one.  After each operation and p, the
 * least size from which on the second is faster; in the end, how good the choices are.
 *
 * Use: crossovers [MACHINE [MOST [SVG-FILE]]] */
#include "bench.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, LAUNCHES = 5, SIZES = 48, PRIMES = 3, OPERATIONS = 3 };

static const struct {
    const char *operation, *apps[2];
    int64_t least, most, half; /* sizes; whether b has half the terms of a */
} rows[OPERATIONS] = {{"multiplication", {"multiplication-tile", "multiplication-ntt"}, 32, 32768, 0},
                      {"division", {"division-inverse", "division-newton"}, 64, 65536, 1},
                      {"gcd", {"gcd-jump", "gcd-half"}, 64, 65536, 0}};
static const uint64_t primes[PRIMES] = {2013265921, 2147483647, 1152921504606846883u};
static const char *const prime_names[PRIMES] = {"2013265921", "2^31 - 1", "2^60 - 93"};

/* Seconds of both at one size; a prediction that there is not is 0. */
typedef struct point {
    int64_t terms;
    double measured[2], predicted[2];
} point;

static mmm_job *job_of(mmm_machine *machine, const char *app, int64_t n, int64_t m, uint64_t p)
{
    mmm_job *job;
    must(mmm_job_new(app, &job));
    must(mmm_job_set(job, "n", n));
    must(mmm_job_set(job, "m", m));
    must(mmm_job_set(job, "p", (int64_t)p));
    must(mmm_job_usual(job, machine));
    return job;
}

static point measure(mmm_machine *machine, const mmm_parameters *parameters, int row, int64_t n, int64_t m, uint64_t p)
{
    point x = {.terms = m, .measured = {1e9, 1e9}};
    mmm_job *jobs[2];
    double seconds;
    for (int j = 0; j < 2; j++) {
        mmm_prediction prediction;
        mmm_job *sketch = job_of(machine, rows[row].apps[j], n, m, p);
        if (mmm_predict(sketch, parameters, &prediction) == MMM_OK) x.predicted[j] = prediction.estimate;
        mmm_job_free(sketch);
        jobs[j] = job_of(machine, rows[row].apps[j], n, m, p);
    }
    for (int round = 0; round < 2 * ROUNDS; round++) {
        must(mmm_job_run(jobs[round % 2], machine, &seconds));
        x.measured[round % 2] = fmin(x.measured[round % 2], seconds);
    }
    for (int j = 0; j < 2; j++)
        mmm_job_free(jobs[j]);
    return x;
}

/* ---- The picture: a panel an operation, a colour a prime, both algorithms, predictions dashed ---------------------
 */

enum { WIDTH = 300, HEIGHT = 300, LEFT = 45, TOP = 30, DECADE = 40 };

static double place_x(const point *x, int row)
{
    return LEFT + WIDTH * row + (WIDTH - 60) * log2((double)x->terms / 32) / 11;
}

static double place_y(double seconds)
{
    return TOP + HEIGHT - 90 - DECADE * log10(seconds / 1e-6);
}

static void draw_line(FILE *svg, const point *points, int count, int row, int algorithm, bool predicted,
                      const char *colour)
{
    fprintf(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s points=\"", colour,
            algorithm ? "1.6" : "0.8", predicted ? " stroke-dasharray=\"3,2\"" : "");
    for (int i = 0; i < count; i++) {
        const double seconds = (predicted ? points[i].predicted : points[i].measured)[algorithm];
        if (seconds > 0) fprintf(svg, "%.1f,%.1f ", place_x(&points[i], row), place_y(seconds));
    }
    fprintf(svg, "\"/>\n");
}

static void draw(FILE *svg, point points[OPERATIONS][PRIMES][SIZES], int count[OPERATIONS][PRIMES])
{
    static const char *const colours[PRIMES] = {"#1b6ca8", "#2f9e44", "#c92a2a"};
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH * OPERATIONS, HEIGHT + 30);
    for (int row = 0; row < OPERATIONS; row++) {
        const int left = LEFT + WIDTH * row;
        fprintf(svg, "<text x=\"%d\" y=\"18\" font-weight=\"bold\">%s</text>\n", left, rows[row].operation);
        for (int d = 0; d <= 5; d++) {
            static const char *const labels[] = {"1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"};
            const double y = place_y(1e-6 * pow(10, d));
            fprintf(svg, "<line x1=\"%d\" x2=\"%d\" y1=\"%.0f\" y2=\"%.0f\" stroke=\"#ddd\"/>", left, left + WIDTH - 60,
                    y, y);
            fprintf(svg, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", left - 4, y + 4, labels[d]);
        }
        for (int64_t terms = 32; terms <= 65536; terms *= 8) {
            const point x = {.terms = terms};
            fprintf(svg, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%lld</text>\n", place_x(&x, row),
                    HEIGHT - 20, (long long)terms);
        }
        for (int q = 0; q < PRIMES; q++)
            for (int k = 0; k < 4; k++)
                draw_line(svg, points[row][q], count[row][q], row, k / 2, k % 2, colours[q]);
    }
    for (int q = 0; q < PRIMES; q++)
        fprintf(svg, "<text x=\"%d\" y=\"%d\" fill=\"%s\">p = %s</text>\n", LEFT + 110 * q, HEIGHT + 12, colours[q],
                prime_names[q]);
    fprintf(svg,
            "<text x=\"%d\" y=\"%d\">thin: for few terms; thick: for many; dashed: predicted; terms of the smaller "
            "operand</text>\n</svg>\n",
            LEFT + 110 * PRIMES, HEIGHT + 12);
}

int main(int argc, char **argv)
{
    static point points[OPERATIONS][PRIMES][SIZES];
    int count[OPERATIONS][PRIMES] = {{0}}, choices = 0;
    double product = 1, worst = 1;
    const int64_t most = argc > 2 ? atoll(argv[2]) : 16384;
    mmm_machine *machine;
    mmm_parameters parameters;
    must(mmm_machine_open(argc > 1 ? argv[1] : "cpu", &machine));
    must(mmm_parameters_of(machine, &parameters, NULL));
    (void)mmm_machine_set_launches(machine, LAUNCHES); /* where there is such a thing: or clocks are low */
    for (int i = 0; i < OPERATIONS * PRIMES; i++) {
        const int row = i / PRIMES, q = i % PRIMES;
        const int64_t end = rows[row].most < most ? rows[row].most : most;
        int64_t from = 0; /* the second has been faster since */
        for (int64_t n = rows[row].least; n <= end && count[row][q] < SIZES; n = n * 3 / 2) {
            const int64_t m = rows[row].half ? n / 2 : n;
            const point x = measure(machine, &parameters, row, n, m, primes[q]);
            const char *fastest = mmm_fastest(machine, rows[row].operation, primes[q], n, m);
            const double *t = x.measured, ratio = t[strcmp(fastest, rows[row].apps[1]) == 0] / fmin(t[0], t[1]);
            printf("%s,%llu,%lld,%.1f,%.1f,%.1f,%.1f,%.3f\n", rows[row].operation, (unsigned long long)primes[q],
                   (long long)m, t[0] * 1e6, t[1] * 1e6, x.predicted[0] * 1e6, x.predicted[1] * 1e6, ratio);
            fflush(stdout);
            if (t[1] >= t[0]) from = 0;
            if (t[1] < t[0] && !from) from = m;
            product *= ratio;
            worst = fmax(worst, ratio);
            choices++;
            points[row][q][count[row][q]++] = x;
        }
        printf("# %s modulo %llu: %s from %lld terms on\n", rows[row].operation, (unsigned long long)primes[q],
               rows[row].apps[1], (long long)from);
    }
    printf("# %d choices over the better algorithm: mean %.3f, worst %.3f\n", choices, pow(product, 1.0 / choices),
           worst);
    FILE *svg = argc > 3 ? fopen(argv[3], "w") : NULL;
    if (svg) draw(svg, points, count);
    if (svg) fclose(svg);
    mmm_machine_free(machine);
    return 0;
}
