/* SPDX-License-Identifier: Apache-2.0 */
/* Items, blocks of two dimensions, types of every size, sums of products. */

KERNEL void items(GLOBAL const word *a, GLOBAL word *b, int count, int each)
{
    LOCAL word cell[3 * block_size + 5];
    ITEMS (i, 3 * block_size + 5)
        cell[i] = (word)i;
    ITEMS (i, each)
        if (block * each + i < count) b[block * each + i] = a[block * each + i] + cell[i];
    REGION {
        ITEMS (i, count - 1000000)
            b[i] = 0;
        ITEMS (i, 0)
            b[i] = 0;
    }
    OPS(1);
}

/* b is the transpose of a, rows x columns, tile by tile of width x height. */
KERNEL void transpose(GLOBAL const float *a, GLOBAL float *b, int rows, int columns, CONSTANT int width,
                      CONSTANT int height)
{
    LOCAL float tile[height][width + 1];
    THREADS_2D (x, y) {
        int column = block_x * width + x, row = block_y * height + y;
        if (row < rows && column < columns) tile[y][x] = a[row * columns + column];
    }
    THREADS (t) { /* the same block as one row of threads */
        int x = t / height, y = t % height;
        int column = block_x * width + x, row = block_y * height + y;
        if (row < rows && column < columns) b[column * rows + row] = tile[y][x];
    }
}

/* What each thread of a block of two dimensions knows. */
KERNEL void places(GLOBAL i32 *out)
{
    PRIVATE i32 sum;
    THREADS_2D (x, y)
        sum = x + 1000 * y;
    THREADS_2D (x, y) {
        int i = (block * block_size + y * block_width + x) * 8;
        out[i] = sum;
        out[i + 1] = block_x;
        out[i + 2] = block_y;
        out[i + 3] = blocks_x;
        out[i + 4] = blocks_y;
        out[i + 5] = block_width;
        out[i + 6] = block_height;
        out[i + 7] = blocks;
    }
    OPS(1);
}

/* Exact arithmetic of floats. */
KERNEL void exact_floats(GLOBAL const float *a, GLOBAL const double *b, GLOBAL float *x, GLOBAL double *y, float f,
                         double d)
{
    THREADS (t) {
        int i = block * block_size + t;
        float u = a[i];
        double v = b[i];
        x[i] = u * f + 0.1f;
        x[i] = x[i] - floor(u) + ceil(f) + fabs(u) + min(u, f) - max(u, 0.5f) + fma(u, f, u) + abs(u - f);
        y[i] = v * d + 0.1;
        y[i] = y[i] - floor(v) + ceil(d) + fabs(v) + min(v, d) - max(v, 0.5) + fma(v, d, v) + abs(v - d) + (double)u;
        OPS(20);
    }
}

KERNEL void other_floats(GLOBAL const float *a, GLOBAL const double *b, GLOBAL float *x, GLOBAL double *y)
{
    THREADS (t) {
        int i = block * block_size + t;
        x[i] = sqrt(a[i]) + exp(a[i]) + log(a[i]) + sin(a[i]) + cos(a[i]) + pow(a[i], 1.5f) + 1.0f / a[i];
        y[i] = sqrt(b[i]) + exp(b[i]) + log(b[i]) + sin(b[i]) + cos(b[i]) + pow(b[i], 1.5) + 1.0 / b[i];
        OPS(8);
    }
}

/* Elements of every size: negated, and one more where they have no sign. */
KERNEL void sizes(GLOBAL const i8 *a, GLOBAL i8 *b, GLOBAL const u8 *c, GLOBAL u8 *d, GLOBAL const i16 *e,
                  GLOBAL i16 *f, GLOBAL const u16 *g, GLOBAL u16 *h, GLOBAL const i64 *i, GLOBAL i64 *j,
                  GLOBAL const u64 *k, GLOBAL u64 *l, int count)
{
    LOCAL u8 bytes[block_size];
    LOCAL u16 pairs[block_size];
    LOCAL i64 wide[block_size];
    THREADS (t) {
        int n = block * block_size + t;
        bytes[t] = n < count ? c[n] : 0;
        pairs[t] = n < count ? g[n] : 0;
        wide[t] = n < count ? i[n] : 0;
    }
    THREADS (t) {
        int n = block * block_size + t;
        if (n < count) {
            b[n] = (i8)-a[n];
            d[n] = (u8)(bytes[t] + 1);
            f[n] = (i16)-e[n];
            h[n] = (u16)(pairs[t] + 1);
            j[n] = -wide[t];
            l[n] = k[n] + 1;
        }
        OPS(6);
    }
}

/* Arrays of less than a word. */
KERNEL void small_locals(GLOBAL u8 *out)
{
    LOCAL u8 one[1], two[2], three[3];
    LOCAL u16 four;
    THREADS (t, 0, 1) {
        one[0] = 1;
        two[1] = 2;
        three[2] = 3;
        four = 4;
    }
    THREADS (t, 0, 1)
        out[block] = (u8)(one[0] + two[1] + three[2] + four);
    OPS(1);
}

/* Every type of parameter. */
KERNEL void scalars(GLOBAL i64 *out, GLOBAL double *reals, int a, unsigned b, i32 c, u32 d, i64 e, u64 f, word g,
                    float h, double i, CONSTANT int j)
{
    THREADS (t, 0, 1) {
        out[0] = a;
        out[1] = (i64)b;
        out[2] = c;
        out[3] = (i64)d;
        out[4] = e;
        out[5] = (i64)f;
        out[6] = (i64)g;
        out[7] = j;
        reals[0] = h;
        reals[1] = i;
    }
}

/* Turns the values of a thread round. */
void turn(PRIVATE word *key, int count)
{
    THREADS (t) {
        word first = key[0];
        for (int k = 0; k + 1 < count; k++)
            key[k] = key[k + 1];
        key[count - 1] = first;
        OPS(1);
    }
}

/* Parameters of one and two bytes, as they arrive. */
KERNEL void small_scalars(GLOBAL i64 *out, i8 a, u8 b, i16 c, u16 d)
{
    THREADS (t, 0, 1) {
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
    }
}

/* Sums of `count` <= 8 products, never carried and carried after each; one that lives across regions; 1 and twice the
 * sum; the difference of the first two products in two ways, and the first. */
KERNEL void sums_of_products(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *few, GLOBAL word *value,
                             GLOBAL word *carried, GLOBAL word *kept, GLOBAL word *joined, GLOBAL word *late,
                             GLOBAL word *by, GLOBAL word *first, int count)
{
    PRIVATE dots sum;
    THREADS (t) {
        int i = block * block_size + t, k = 0;
        dots h, c;
        dots_clear(h);
        dots_clear(c);
        do {
            operand x = operand_of(a[8 * i + k]), y = operand_of(b[8 * i + k]);
            dots_more(h, x, y);
            dots_more(c, x, y);
            dots_carry(c);
            k++;
        } while (k < count);
        few[i] = dots_few(h);
        value[i] = dots_value(h);
        carried[i] = dots_value(c);
        joined[i] = products_value(products_dots(products_dots(products_first(ONE, ONE), h), h));
        multiplier f = multiplier_of(a[8 * i]), g = multiplier_of(a[8 * i + 1]);
        late[i] = cross_late(a[8 * i], b[8 * i], a[8 * i + 1], b[8 * i + 1]);
        by[i] = cross_by(f, b[8 * i], g, b[8 * i + 1]);
        first[i] = mul_by(f, b[8 * i]);
        sum = c;
    }
    THREADS (t) {
        operand x = operand_of(ONE);
        dots_more(sum, x, x);
        kept[block * block_size + t] = dots_value(sum);
    }
}

KERNEL void private_arrays(GLOBAL const word *a, GLOBAL word *b, int turns, CONSTANT int count)
{
    PRIVATE word key[count];
    PRIVATE int place[2];
    THREADS (t) {
        EACH (k, count)
            key[k] = a[(block * block_size + t) * count + k];
        place[0] = block * block_size + t;
        place[1] = count;
    }
    for (int i = 0; i < turns; i++)
        turn(key, count);
    THREADS (t)
        for (int k = 0; k < place[1]; k++)
            b[place[0] * place[1] + k] = key[k];
}

/* More values of a thread than there is room for. */
KERNEL void private_too_many(GLOBAL double *b, CONSTANT int count)
{
    PRIVATE double x[count];
    THREADS (t)
        for (int k = 0; k < count; k++)
            x[k] = t;
    THREADS (t)
        b[block * block_size + t] = x[count - 1];
}
