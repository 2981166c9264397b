/* SPDX-License-Identifier: Apache-2.0 */
/* Division by the inverse series: with polynomials as series, leading coefficient first, s quotients are the first s
 * terms of a times the first s of 1 / b, so no step waits for another.  1 / b comes once, its first h terms directly and
 * twice as many by each two products (Newton's iteration).  Few quotients by few terms are found as one does by hand. */
#define R    8
#define MOST 72 /* quotients of divide_few */

/* All of few quotients, `left` of them, two after the other, by a block of m - 1 threads or more: of both the first
 * words of what is left of a, then of the words behind them two products less. */
KERNEL void divide_few(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *q, GLOBAL word *r, int n, int m, int left)
{
    LOCAL word rest[MOST + 1 + block_size], monic[block_size + 2], negative[block_size + 2], found[MOST + 1];
    word lead_inverse = inv(b[m - 1]);
    REGION {
        ITEMS (i, left + 1 + block_size)
            rest[i] = i < n ? a[n - 1 - i] : 0;
        ITEMS (i, block_size + 2) {
            word x = i < m ? mul(b[m - 1 - i], lead_inverse) : 0;
            monic[i] = x;
            negative[i] = sub(0, x);
        }
    }
    for (int k = 0; k < left; k += 2) {
        word x = rest[k], y = add(rest[k + 1], mul(negative[1], x));
        multiplier by_x = multiplier_of(x), by_y = multiplier_of(k + 1 < left ? y : 0);
        REGION {
            THREADS (t, 0, 1) {
                found[k] = x;
                found[k + 1] = y; /* where left is odd, at last the first word of the remainder */
            }
            THREADS (t)
                rest[k + 2 + t] = sub(rest[k + 2 + t], cross_by(by_x, monic[2 + t], by_y, negative[1 + t]));
        }
    }
    word first = left % 2 ? found[left] : rest[left];
    REGION {
        ITEMS (i, left)
            q[i] = mul(found[left - 1 - i], lead_inverse);
        THREADS (t, 0, m - 1)
            r[t] = t == m - 2 ? first : rest[left + m - 2 - t];
    }
}

/* a and b from the last word to the first, to c and d: into series, and back. */
KERNEL void reverse(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *c, GLOBAL word *d, int n, int m, int last_a,
                    int last_b)
{
    int parts = (n + block_size - 1) / block_size, first = block * block_size, second = (block - parts) * block_size;
    if (block < parts)
        THREADS (t, 0, n - first)
            c[first + t] = a[last_a - first - t];
    else
        THREADS (t, 0, m - second)
            d[second + t] = b[last_b - second - t];
}

/* The first h terms of 1 / b, one after the other, by h threads: what is left of 1 after each. */
KERNEL void invert(GLOBAL const word *b, GLOBAL word *inverse, int m, CONSTANT int h)
{
    LOCAL word monic[h], rest[h];
    word lead_inverse = inv(b[0]);
    THREADS (t) {
        monic[t] = t < m ? mul(b[t], lead_inverse) : 0;
        rest[t] = t == 0 ? ONE : 0;
    }
    for (int k = 0; k < h - 1; k++)
        THREADS (t, k + 1, h)
            rest[t] = sub(rest[t], mul(monic[t - k], rest[k]));
    THREADS (t)
        inverse[t] = mul(rest[t], lead_inverse);
}

/* What becomes of words of a product: 0 they are the result, 1 the result is minus them, 2 they are subtracted. */
#define STORE(target, product)                                 \
    if (how == 2)                                              \
        target = sub(target, product);                         \
    else                                                       \
        target = how == 1 ? sub(0, product) : product;

/* Words j0 to j0 + jn - 1 of the product of the series x, xn words from x0 on, and y, yn words from y0 on.  Row r of
 * `width` words, enough for all of them, has the products with words r w to r w + w - 1 of y; a block makes g tiles of R l
 * words, a thread R at once, from R words of y and 2 R - 1 of x at a time.  Products with words of x that are not there
 * are left out, R words of y at a time. */
KERNEL void product(GLOBAL const word *x, GLOBAL const word *y, GLOBAL word *out, int x0, int xn, int y0, int yn, int out0,
                    int j0, int jn, int width, int how, CONSTANT int w, CONSTANT int l, CONSTANT int g)
{
    LOCAL operand part_x[R][g * l + (w + R - 1) / R], part_y[w + R - 1];
    LOCAL u64 value[R][l];
    int size = g * R * l, parts = width / size, row = block / parts, first = block % parts * size;
    int tiles = min(g, (jn - first + R * l - 1) / (R * l));
    int terms = min(w, yn - row * w), j = j0 + first - row * w; /* x[j - k] goes with y[k] of the row */
    int before = max(j - xn + 1, 0), behind = min(j + tiles * R * l, terms);
    int low = min(before, terms - 1) / R, high = max((behind + R - 1) / R, low + 1);
    int groups = tiles * l + high - low, base = j - R * high; /* of R words of x each, the first of them x[base] */
    int v0 = min(max(-base, 0), R * groups), v1 = max(min(xn - base, R * groups), v0); /* those that are there */
    int full = (v0 + R - 1) / R, end = max(v1 / R, full);
    GLOBAL const word *from_x = x + (x0 + base), *from_y = y + (y0 + row * w + R * low);
    GLOBAL word *to = out + ((i64)row * width + out0 + first);
    REGION {
        ITEMS (i, full)
            EACH (e, R)
                part_x[e][i] = 0;
        ITEMS (i, end - full)
            EACH (e, R)
                part_x[e][full + i] = operand_of(from_x[R * (full + i) + e]);
        ITEMS (i, groups - end)
            EACH (e, R)
                part_x[e][end + i] = 0;
        ITEMS (k, R * (high - low))
            part_y[k] = R * low + k < terms ? operand_of(from_y[k]) : 0;
    }
    REGION {
        ITEMS (i, min(v1, R * full) - v0)
            part_x[(v0 + i) % R][(v0 + i) / R] = operand_of(from_x[v0 + i]);
        ITEMS (i, v1 - R * end)
            part_x[i][end] = operand_of(from_x[R * end + i]);
    }
    for (int tile = 0; tile < tiles; tile++) {
        int at = j + tile * R * l, left = jn - first - tile * R * l;
        int i0 = min(max(at - xn + 1, 0) / R, high - 1), i1 = max((min(at + R * l, terms) + R - 1) / R, i0 + 1);
        THREADS (t) {
            dots sum[R];
            EACH (e, R)
                dots_clear(sum[e]);
            int i = i0;
            do {
                operand u[2 * R], v[R];
                EACH (e, R) {
                    u[e] = part_x[e][tile * l + t + high - 1 - i];
                    u[R + e] = part_x[e][tile * l + t + high - i];
                    v[e] = part_y[R * (i - low) + e];
                }
                EACH (e, R) {
                    EACH (k, R)
                        dots_more(sum[e], u[R + e - k], v[k]);
                    dots_carry(sum[e]);
                }
                i++;
            } while (i < i1);
            EACH (e, R)
                value[e][t] = dots_value(sum[e]);
        }
        if (left >= R * l)
            THREADS (t)
                EACH (e, R) {
                    STORE(to[(tile * l + t) * R + e], (word)value[e][t])
                }
        else
            ITEMS (i, left) {
                STORE(to[tile * R * l + i], (word)value[i % R][i / R])
            }
    }
}

/* The sum of all rows. */
KERNEL void add_rows(GLOBAL const word *rows, GLOBAL word *out, int count, int out0, int jn, int width, int how)
{
    THREADS (t, 0, jn - block * block_size) {
        int j = block * block_size + t;
        word sum = rows[j];
        for (int r = 1; r < count; r++)
            sum = add(sum, rows[(i64)r * width + j]);
        STORE(out[out0 + j], sum)
    }
}
