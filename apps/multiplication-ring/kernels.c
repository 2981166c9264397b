/* SPDX-License-Identifier: Apache-2.0 */
/* Products modulo x^n - 1 or x^n + 1 of polynomials that are too short for transforms. */

/* A block has one product, a thread one coefficient of it: b is written twice, the first time times `sign`, so that the
 * words that meet a[j] are those j places back. */
KERNEL void short_products(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *f, int negative, CONSTANT int n)
{
    LOCAL word x[n], y[2 * n];
    i64 first = (i64)block * n;
    THREADS (t) {
        x[t] = a[first + t];
        y[n + t] = b[first + t];
        y[t] = negative ? sub(x[t] - x[t], b[first + t]) : b[first + t];
    }
    THREADS (t) {
        products h = products_first(x[0], y[n + t]);
        for (int j = 1; j < n; j++)
            h = products_add(h, x[j], y[n + t - j]);
        f[first + t] = products_value(h);
    }
}
