/* SPDX-License-Identifier: Apache-2.0 */
/* Plain multiplication (section 5): Algorithms 6 and 7, the multiplication phase and a step of the addition phase.
 *
 * Row r of M is the product of a with the s coefficients of b from b[r s] on, y = n + s - 1 words.  The last row lies
 * in f, where it belongs: the sum of all rows, row r moved by r s, is f. */
#include "modp.h"

/* A block computes s l words of a row.  a has s - 1 zeros before it and enough behind, b enough behind. */
KERNEL void multiply_rows(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *M, GLOBAL word *f, int rows, int y,
                          CONSTANT(s), CONSTANT(l) MMM_BLOCK)
{
    LOCAL(word, part_a, s * l + s - 1);
    LOCAL(word, part_b, s);
    PRIVATE(products, h);
    int parts = (y + s * l - 1) / (s * l), row = block / parts, first = block % parts * (s * l);
    GLOBAL word *out = row == rows - 1 ? f + (long)row * s : M + (long)row * y;
    REGION {
        for (int e = 0; e < s * l + s - 1; e += l)
            SOME (t, 0, s * l + s - 1 - e)
                part_a[e + t] = a[first + e + t];
        for (int e = 0; e < s; e += l)
            SOME (t, 0, s - e)
                part_b[e + t] = b[row * s + e + t];
    }
    REGION {
        for (int e = 0; e < s * l; e += l) {
            int most = y - first - e;
            SOME (t, 0, most)
                h[MINE(t)] = products_first(part_a[e + t + s - 1], part_b[0]);
            for (int k = 1; k < s; k++)
                SOME (t, 0, most)
                    h[MINE(t)] = products_add(h[MINE(t)], part_a[e + t + s - 1 - k], part_b[k]);
            SOME (t, 0, most)
                out[first + e + t] = products_value(h[MINE(t)]);
        }
    }
}
ENTRY(multiply_rows, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3), INT(4), INT(5), INT(6), INT(7))

/* Adds every second row that is left, counted from the last, to the row `distance` further; words that lie before that
 * row go to f.  What is left of f's words is 0 before the first step. */
KERNEL void add_rows(GLOBAL word *M, GLOBAL word *f, int rows, int y, int distance, CONSTANT(s), CONSTANT(l) MMM_BLOCK)
{
    int parts = (y + s * l - 1) / (s * l), first = block % parts * (s * l);
    int row = rows - 1 - distance - 2 * distance * (block / parts), next = row + distance;
    int before = y < (long)distance * s ? y : distance * s;
    GLOBAL const word *from = M + (long)row * y;
    GLOBAL word *low = f + (long)row * s;
    GLOBAL word *high = next == rows - 1 ? f + (long)next * s : M + (long)next * y;
    REGION {
        for (int e = first; e < first + s * l; e += l) {
            SOME (t, 0, before - e)
                low[e + t] = add(low[e + t], from[e + t]);
            SOME (t, before - e, y - e)
                high[e + t - before] = add(high[e + t - before], from[e + t]);
        }
    }
}
ENTRY(add_rows, ARRAY(0), ARRAY(1), INT(2), INT(3), INT(4), INT(5), INT(6))
