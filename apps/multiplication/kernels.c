/* SPDX-License-Identifier: Apache-2.0 */
/* Plain multiplication (section 5): Algorithms 6 and 7, the multiplication phase and a step of the addition phase.
 *
 * Row r of M is the product of a with the s coefficients of b from b[r s] on, y = n + s - 1 words.  The last row lies
 * in f, where it belongs: the sum of all rows, row r moved by r s, is f. */

/* A block computes s l words of a row.  a has s - 1 zeros before it and enough behind, b enough behind. */
KERNEL void multiply_rows(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *M, GLOBAL word *f, int rows, int y,
                          CONSTANT int s, CONSTANT int l)
{
    LOCAL word part_a[s * l + s - 1], part_b[s];
    PRIVATE products h;
    int parts = (y + s * l - 1) / (s * l), row = block / parts, first = block % parts * (s * l);
    GLOBAL word *out = row == rows - 1 ? f + (i64)row * s : M + (i64)row * y;
    REGION {
        ITEMS (i, s * l + s - 1)
            part_a[i] = a[first + i];
        ITEMS (i, s)
            part_b[i] = b[row * s + i];
    }
    REGION {
        for (int e = 0; e < s * l; e += l) {
            int most = y - first - e;
            THREADS (t, 0, most)
                h = products_first(part_a[e + t + s - 1], part_b[0]);
            for (int k = 1; k < s; k++)
                THREADS (t, 0, most)
                    h = products_add(h, part_a[e + t + s - 1 - k], part_b[k]);
            THREADS (t, 0, most)
                out[first + e + t] = products_value(h);
        }
    }
}

/* Adds every second row that is left, counted from the last, to the row `distance` further; words that lie before that
 * row go to f.  What is left of f's words is 0 before the first step. */
KERNEL void add_rows(GLOBAL word *M, GLOBAL word *f, int rows, int y, int distance, CONSTANT int s, CONSTANT int l)
{
    int parts = (y + s * l - 1) / (s * l), first = block % parts * (s * l);
    int row = rows - 1 - distance - 2 * distance * (block / parts), next = row + distance;
    int before = y < (i64)distance * s ? y : distance * s;
    GLOBAL const word *from = M + (i64)row * y;
    GLOBAL word *low = f + (i64)row * s;
    GLOBAL word *high = next == rows - 1 ? f + (i64)next * s : M + (i64)next * y;
    REGION {
        for (int e = first; e < first + s * l; e += l) {
            THREADS (t, 0, before - e)
                low[e + t] = add(low[e + t], from[e + t]);
            THREADS (t, before - e, y - e)
                high[e + t - before] = add(high[e + t - before], from[e + t]);
        }
    }
}
