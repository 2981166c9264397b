/* SPDX-License-Identifier: Apache-2.0 */
/* Plain multiplication in tiles: as in section 5 a row is the product of a with s coefficients of b, but a thread makes R
 * neighbouring words of it at once, from R coefficients of b and 2 R - 1 of a at a time, so that each word it reads is
 * used R times; and one kernel adds all rows. */
#define R 8

/* Row r is the product of a with b[r s] to b[r s + s - 1], the first n + s - 1 of its `width` words; a block makes g
 * tiles of R l words of it.  Of the products of a tile it leaves out those with coefficients of a that are not there, R
 * coefficients of b at a time.  a has `before` zeros before it and enough behind. */
KERNEL void multiply_tiles(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *rows, int n, int before, int width,
                           CONSTANT int s, CONSTANT int l, CONSTANT int g)
{
    LOCAL operand part_a[R][g * l + (s + R - 1) / R], part_b[s + R - 1];
    LOCAL u64 value[R][l];
    int parts = width / (g * R * l), row = block / parts, first = block % parts * (g * R * l);
    int low = max(first - n + 1, 0) / R, high = (min(first + g * R * l, s) + R - 1) / R;
    GLOBAL const word *from_a = a + (before + first - R * high), *from_b = b + ((i64)row * s + R * low);
    GLOBAL word *out = rows + ((i64)row * width + first);
    REGION {
        ITEMS (i, g * l + high - low)
            EACH (e, R)
                part_a[e][i] = operand_of(from_a[R * i + e]);
        ITEMS (k, R * (high - low))
            part_b[k] = R * low + k < s ? operand_of(from_b[k]) : 0;
    }
    for (int tile = 0; tile < g && first + tile * R * l < n + s - 1; tile++) {
        int from = max(first + tile * R * l - n + 1, 0) / R, to = (min(first + (tile + 1) * R * l, s) + R - 1) / R;
        THREADS (t) {
            dots sum[R];
            EACH (e, R)
                dots_clear(sum[e]);
            int i = from;
            do {
                operand x[2 * R], y[R];
                EACH (e, R) {
                    x[e] = part_a[e][tile * l + t + high - 1 - i];
                    x[R + e] = part_a[e][tile * l + t + high - i];
                    y[e] = part_b[R * (i - low) + e];
                }
                EACH (e, R) {
                    EACH (k, R)
                        dots_more(sum[e], x[R + e - k], y[k]);
                    dots_carry(sum[e]);
                }
                i++;
            } while (i < to);
            EACH (e, R)
                value[e][t] = dots_value(sum[e]);
        }
        THREADS (t)
            EACH (e, R)
                out[(tile * l + t) * R + e] = (word)value[e][t];
    }
}

/* f[j] is the sum of the words of rows that belong there: of row r the word j - r s. */
KERNEL void add_all_rows(GLOBAL const word *rows, GLOBAL word *f, int count, int y, int width, int s)
{
    THREADS (t) {
        int j = block * block_size + t;
        int first = max(j - y + s, 0) / s, last = min(j / s, count - 1);
        word sum = 0;
        for (int r = first; r <= last; r++)
            sum = add(sum, rows[(i64)r * width + (j - r * s)]);
        f[j] = sum;
    }
}
