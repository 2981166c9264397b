/* SPDX-License-Identifier: Apache-2.0 */
/* The Euclidean algorithm (section 6): Algorithm 11, the optimised kernel.
 *
 * deg a + deg b is known before a kernel runs, because a step lowers exactly one of them by exactly one: a polynomial
 * whose leading coefficient is 0 loses just that; else the one of higher degree loses its leading term to the other.
 * A degree below 0 means the zero polynomial, and the other polynomial is the gcd.  Kernel number i takes deg a from
 * degree[i] and leaves the new one in degree[i + 1], which no other kernel writes. */

/* s steps, from one pair of arrays into another.  Coefficients count from the leading one down.  A block holds 3s cells
 * of each polynomial: the head, its first s coefficients, from which each block learns all leading coefficients; then a
 * tile of 2s coefficients.  A step takes one more cell at the end of head and tile out of use: after s steps, s
 * coefficients of each tile are right, and they are the block's share of the result.
 *
 * x y' - x' y, with the leading coefficients x' and y', takes the place of x - (x' / y') y: the gcd is the same.  Where
 * a leading coefficient is 0, the step is 1 x - 0 y, so that all steps are alike. */
KERNEL void gcd(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                GLOBAL int *degree, int i, int degrees, CONSTANT int s)
{
    LOCAL word cell[6 * s]; /* a's, then b's */
    int da = degree[i], db = degrees - da, done = da < 0 || db < 0, longest = done ? -1 : da > db ? da : db;
    THREADS (t, 0, done && block == 0) /* the result stays in a or b */
        degree[i + 1] = da;
    /* Blocks suffice for polynomials of about the same degree.  Where one is longer, a block has a second tile. */
    for (int tile = s * block; tile <= longest; tile += s * blocks) {
        int u = 0, v = 0; /* leading terms lost by a and b */
        THREADS (t, 0, 3 * s) {
            int j = t < s ? t : tile + t - s;
            cell[t] = j <= da ? a[da - j] : 0;
            cell[3 * s + t] = j <= db ? b[db - j] : 0;
        }
        for (int k = 0; k < s; k++) {
            word lead_a = cell[u], lead_b = cell[3 * s + v];
            int divides = lead_a && lead_b, above = da - u >= db - v;
            multiplier keep = multiplier_of(divides ? above ? lead_b : lead_a : ONE);
            multiplier take = multiplier_of(divides ? above ? lead_a : lead_b : 0);
            int lost = above ? u : v, x = above ? 0 : 3 * s, y = above ? 3 * s + v - u : u - v;
            THREADS (t, lost + 1, lost + 3 * s - k)
                cell[x + t] = cross_by(keep, cell[x + t], take, cell[y + t]);
            int lower_a = !lead_a || (lead_b && above);
            u += lower_a;
            v += !lower_a;
        }
        REGION {
            THREADS (t, 0, tile == 0)
                degree[i + 1] = da - u;
            THREADS (t, s, 2 * s) {
                int j = tile + t - s;
                if (j <= da - u) next_a[da - u - j] = cell[t + u];
                if (j <= db - v) next_b[db - v - j] = cell[3 * s + t + v];
            }
        }
    }
}
