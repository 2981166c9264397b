/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares of errors that are no linear functions: Levenberg and Marquardt's method. */
#include "study/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 30, TRIES = 8 };
static const double small = 1e-4; /* a step of a derivative */
static const double longest = 1.5;

typedef struct fit {
    mmm_errors *errors;
    const void *context;
    int rows, n;
    double *e, *other, *columns; /* errors here and there, and derivatives */
    double *square, *damped;     /* the normal equations, rows of n */
    double *right, *step, *y;
} fit;

static double sum_of_squares(const double *e, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += e[i] * e[i];
    return sum;
}

/* Solves a y = b for a symmetric positive a, which it destroys; false: it is not. */
static bool solve(int n, double *a, const double *b, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        y[i] = b[i];
        for (int k = 0; k < i; k++)
            y[i] -= a[i * n + k] * y[k];
        y[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            y[i] -= a[k * n + i] * y[k];
        y[i] /= a[i * n + i];
    }
    return true;
}

/* The normal equations at x, whose errors are f->e. */
static void normal(fit *f, const double *x)
{
    double *square = f->square, *right = f->right;
    for (int j = 0; j < f->n; j++) {
        memcpy(f->y, x, (size_t)f->n * sizeof *x);
        f->y[j] += small;
        f->errors(f->context, f->y, f->other);
        for (int i = 0; i < f->rows; i++)
            f->columns[j * f->rows + i] = (f->other[i] - f->e[i]) / small;
    }
    for (int j = 0; j < f->n; j++) {
        const double *a = f->columns + j * f->rows;
        right[j] = 0;
        for (int i = 0; i < f->rows; i++)
            right[j] -= a[i] * f->e[i];
        for (int k = 0; k <= j; k++) {
            double sum = 0;
            for (int i = 0; i < f->rows; i++)
                sum += a[i] * f->columns[k * f->rows + i];
            square[j * f->n + k] = square[k * f->n + j] = sum;
        }
    }
}

/* One step of the method; false: there is none that helps. */
static bool improve(fit *f, double *x, double *cost, double *damping)
{
    const int n = f->n;
    double *y = f->y;
    normal(f, x);
    for (int i = 0; i < TRIES; i++, *damping *= 5) {
        memcpy(f->damped, f->square, (size_t)n * (size_t)n * sizeof *f->damped);
        for (int j = 0; j < n; j++)
            f->damped[j * n + j] *= 1 + *damping;
        if (!solve(n, f->damped, f->right, f->step)) continue;
        for (int j = 0; j < n; j++)
            y[j] = x[j] + fmax(-longest, fmin(longest, f->step[j]));
        f->errors(f->context, y, f->other);
        const double now = sum_of_squares(f->other, f->rows);
        if (!(now < *cost)) continue;
        const bool worth = *cost - now > 1e-5 * *cost;
        memcpy(x, y, (size_t)n * sizeof *x);
        memcpy(f->e, f->other, (size_t)f->rows * sizeof *f->e);
        *cost = now;
        *damping = fmax(*damping / 4, 1e-7);
        return worth;
    }
    return false;
}

mmm_status mmm_least_squares(mmm_errors *errors, const void *context, int rows, int unknowns, double *x, double *spread)
{
    mmm_status result = MMM_OK;
    const int n = unknowns;
    fit f = {.errors = errors, .context = context, .rows = rows, .n = n};
    double damping = 1e-2;
    TRY(mmm_alloc(&f.e, rows, sizeof *f.e));
    TRY(mmm_alloc(&f.other, rows, sizeof *f.other));
    TRY(mmm_alloc(&f.columns, (int64_t)rows * n, sizeof *f.columns));
    TRY(mmm_alloc(&f.square, (int64_t)n * n, sizeof *f.square));
    TRY(mmm_alloc(&f.damped, (int64_t)n * n, sizeof *f.damped));
    TRY(mmm_alloc(&f.right, n, sizeof *f.right));
    TRY(mmm_alloc(&f.step, n, sizeof *f.step));
    TRY(mmm_alloc(&f.y, n, sizeof *f.y));
    errors(context, x, f.e);
    double cost = sum_of_squares(f.e, rows);
    for (int i = 0; i < ROUNDS && improve(&f, x, &cost, &damping); i++)
        continue;
    if (!spread) goto done;
    normal(&f, x);
    for (int i = 0; i < n; i++) { /* the inverse's diagonal */
        double *unit = f.right, *row = f.step;
        memset(unit, 0, (size_t)n * sizeof *unit);
        unit[i] = 1;
        memcpy(f.damped, f.square, (size_t)n * (size_t)n * sizeof *f.damped);
        spread[i] = solve(n, f.damped, unit, row) && row[i] > 0 ? sqrt(row[i] * cost / rows) : INFINITY;
    }
done:
    free(f.e);
    free(f.other);
    free(f.columns);
    free(f.square);
    free(f.damped);
    free(f.right);
    free(f.step);
    free(f.y);
    return result;
}

double mmm_lessened(double error, double apart)
{
    const double x = error / apart;
    return copysign(apart * sqrt(2 * (sqrt(1 + x * x) - 1)), error);
}
