/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares of errors that are no linear functions: Levenberg and Marquardt's method. */
#include "study/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = MMM_UNKNOWNS_MOST, ROUNDS = 30, TRIES = 8 };
static const double small = 1e-4; /* a step of a derivative */
static const double longest = 1.5;

typedef struct fit {
    mmm_errors *errors;
    const void *context;
    int rows, n;
    double *e, *other, *columns; /* errors here and there, and derivatives */
} fit;

static double sum_of_squares(const double *e, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += e[i] * e[i];
    return sum;
}

/* Solves a y = b for a symmetric positive a, which it destroys; false: it is not. */
static bool solve(int n, double a[MOST][MOST], const double *b, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 0)) return false;
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    for (int i = 0; i < n; i++) {
        y[i] = b[i];
        for (int k = 0; k < i; k++)
            y[i] -= a[i][k] * y[k];
        y[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            y[i] -= a[k][i] * y[k];
        y[i] /= a[i][i];
    }
    return true;
}

/* The normal equations at x, whose errors are f->e. */
static void normal(fit *f, const double *x, double square[MOST][MOST], double *right)
{
    double y[MOST];
    for (int j = 0; j < f->n; j++) {
        memcpy(y, x, (size_t)f->n * sizeof *y);
        y[j] += small;
        f->errors(f->context, y, f->other);
        for (int i = 0; i < f->rows; i++)
            f->columns[j * f->rows + i] = (f->other[i] - f->e[i]) / small;
    }
    for (int j = 0; j < f->n; j++) {
        const double *a = f->columns + j * f->rows;
        right[j] = 0;
        for (int i = 0; i < f->rows; i++)
            right[j] -= a[i] * f->e[i];
        for (int k = 0; k < f->n; k++) {
            square[j][k] = 0;
            for (int i = 0; i < f->rows; i++)
                square[j][k] += a[i] * f->columns[k * f->rows + i];
        }
    }
}

/* One step of the method; false: there is none that helps. */
static bool improve(fit *f, double *x, double *cost, double *damping)
{
    static _Thread_local double square[MOST][MOST], damped[MOST][MOST];
    double right[MOST], step[MOST], y[MOST];
    normal(f, x, square, right);
    for (int i = 0; i < TRIES; i++, *damping *= 5) {
        memcpy(damped, square, sizeof damped);
        for (int j = 0; j < f->n; j++)
            damped[j][j] *= 1 + *damping;
        if (!solve(f->n, damped, right, step)) continue;
        for (int j = 0; j < f->n; j++)
            y[j] = x[j] + fmax(-longest, fmin(longest, step[j]));
        f->errors(f->context, y, f->other);
        const double now = sum_of_squares(f->other, f->rows);
        if (!(now < *cost)) continue;
        const bool worth = *cost - now > 1e-5 * *cost;
        memcpy(x, y, (size_t)f->n * sizeof *x);
        memcpy(f->e, f->other, (size_t)f->rows * sizeof *f->e);
        *cost = now;
        *damping = fmax(*damping / 4, 1e-7);
        return worth;
    }
    return false;
}

mmm_status mmm_least_squares(mmm_errors *errors, const void *context, int rows, int unknowns, double *x, double *spread)
{
    static _Thread_local double square[MOST][MOST], copy[MOST][MOST];
    mmm_status result = MMM_OK;
    fit f = {errors, context, rows, unknowns, NULL, NULL, NULL};
    double damping = 1e-2, right[MOST], unit[MOST], row[MOST];
    TRY(mmm_alloc(&f.e, rows, sizeof *f.e));
    TRY(mmm_alloc(&f.other, rows, sizeof *f.other));
    TRY(mmm_alloc(&f.columns, (int64_t)rows * unknowns, sizeof *f.columns));
    errors(context, x, f.e);
    double cost = sum_of_squares(f.e, rows);
    for (int i = 0; i < ROUNDS && improve(&f, x, &cost, &damping); i++)
        continue;
    if (!spread) goto done;
    normal(&f, x, square, right);
    for (int i = 0; i < unknowns; i++) { /* the inverse's diagonal */
        memset(unit, 0, sizeof unit);
        unit[i] = 1;
        memcpy(copy, square, sizeof copy);
        spread[i] = solve(unknowns, copy, unit, row) && row[i] > 0 ? sqrt(row[i] * cost / rows) : INFINITY;
    }
done:
    free(f.e);
    free(f.other);
    free(f.columns);
    return result;
}
