/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6): Algorithm 9, the naive kernel.
 *
 * deg a + deg b is known before a kernel runs, because a step lowers exactly one of them by exactly one: a polynomial
 * whose leading coefficient is 0 loses just that; else the one of higher degree loses its leading term to the other.
 * A degree below 0 means the zero polynomial, and the other polynomial is the gcd.  Kernel number i takes deg a from
 * degree[i] and leaves the new one in degree[i + 1], which no other kernel writes. */

/* One step, in place: leading coefficients, which all blocks read, are dropped and not written. */
KERNEL void naive_gcd(GLOBAL word *a, GLOBAL word *b, GLOBAL int *degree, int i, int degrees)
{
    LOCAL word factor;
    int da = degree[i], db = degrees - da;
    word lead_a = da < 0 ? 0 : a[da], lead_b = db < 0 ? 0 : b[db];
    int divides = lead_a && lead_b, above = da >= db;
    int low = above ? db : da, gap = above ? da - db : db - da;
    int lower_a = !lead_a || (lead_b && above);
    GLOBAL word *x = above ? a : b;
    GLOBAL const word *y = above ? b : a;
    int first = block * block_size, last = divides ? low : 0; /* the thread of y's leading term keeps the degrees */
    THREADS (t, 0, divides)
        factor = above ? quo(lead_a, lead_b) : quo(lead_b, lead_a);
    REGION {
        THREADS (t, 0, divides ? low + 1 - first : 0) {
            int j = first + t;
            word z = sub(x[j + gap], mul(y[j], factor));
            if (j < low) x[j + gap] = z;
        }
        THREADS (t, last - first, last - first + 1)
            degree[i + 1] = da - lower_a;
    }
}
