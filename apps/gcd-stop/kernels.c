/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a polynomial has become 0, for a Euclidean algorithm that stops when it is done. */

/* Some of the coefficients of a and of b that are not 0: what each block finds, of deg a = degree[i] and deg b =
 * degrees - deg a. */
KERNEL void vanish(GLOBAL const word *a, GLOBAL const word *b, GLOBAL const int *degree, GLOBAL int *some, int i,
                   int degrees)
{
    LOCAL int found[2 * block_size];
    int da = degree[i], db = degrees - da;
    THREADS (t) {
        int of_a = 0, of_b = 0;
        for (int j = block * block_size + t; j <= da; j += blocks * block_size) {
            of_a |= a[j] != 0;
            OPS(1);
        }
        for (int j = block * block_size + t; j <= db; j += blocks * block_size) {
            of_b |= b[j] != 0;
            OPS(1);
        }
        found[t] = of_a;
        found[block_size + t] = of_b;
    }
    for (int width = block_size / 2; width > 0; width /= 2) {
        THREADS (t, 0, width) {
            found[t] |= found[width + t];
            found[block_size + t] |= found[block_size + width + t];
            OPS(2);
        }
    }
    THREADS (t, 0, 2)
        some[2 * block + t] = found[t * block_size];
}
