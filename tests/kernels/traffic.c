/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose addresses a plain loop knows as well. */

/* Element number index[i] of each array for thread i, where it is not negative; one read, one write, both in global and in
 * local memory. */
KERNEL void gather(GLOBAL const i32 *index, GLOBAL const word *a, GLOBAL word *b, CONSTANT int width)
{
    LOCAL word cell[width];
    int first = block * block_size;
    ITEMS (i, width)
        cell[i] = a[i];
    THREADS (t) {
        int i = index[first + t];
        OPS(1);
        if (i >= 0)
            b[first + t] = a[i] + cell[i];
        else
            b[first + t] = 0;
    }
}

KERNEL void gather_bytes(GLOBAL const i32 *index, GLOBAL const u8 *a, GLOBAL u8 *b, CONSTANT int width)
{
    LOCAL u8 cell[width];
    int first = block * block_size;
    ITEMS (i, width)
        cell[i] = a[i];
    THREADS (t) {
        OPS(1);
        b[first + t] = (u8)(a[index[first + t]] + cell[index[first + t]]);
    }
}

/* Threads come to a[i] different numbers of times. */
KERNEL void loops(GLOBAL const i32 *rounds, GLOBAL const word *a, GLOBAL word *b)
{
    int first = block * block_size;
    THREADS (t) {
        word sum = 0;
        OPS(1);
        for (int k = 0; k < rounds[first + t]; k++)
            sum += a[k * block_size + t];
        b[first + t] = sum;
    }
}

KERNEL void transpose_plain(GLOBAL const float *a, GLOBAL float *b, int n)
{
    THREADS_2D (x, y)
        b[(block_x * block_width + x) * n + block_y * block_height + y] =
            a[(block_y * block_height + y) * n + block_x * block_width + x];
}

KERNEL void transpose_tiled(GLOBAL const float *a, GLOBAL float *b, int n, CONSTANT int more)
{
    LOCAL float tile[32][32 + more];
    REGION
    {
        THREADS_2D (x, y)
            tile[y][x] = a[(block_y * 32 + y) * n + block_x * 32 + x];
        LANES (u32, x, y) /* of the next tile, which on a GPU nobody asks for */
            lanes_ahead(a[(block_y * 32 + y) * n + (block_x + 1) * 32 + x]);
    }
    THREADS_2D (x, y)
        b[(block_x * 32 + y) * n + block_y * 32 + x] = tile[x][y];
}

KERNEL void tally(GLOBAL const i32 *index, GLOBAL u32 *sums, CONSTANT int width)
{
    LOCAL u32 sum[width];
    ITEMS (i, width)
        sum[i] = 0;
    THREADS (t)
        atomic_add(&sum[index[block * block_size + t]], 1);
    ITEMS (i, width)
        atomic_add(&sums[i], sum[i]);
}

/* Two of each kind, three reductions, and what all threads do. */
KERNEL void kinds(GLOBAL const word *a, GLOBAL word *b)
{
    PRIVATE u32 vote;
    PRIVATE u32 mine[2];
    word seen = a[0];
    THREADS (t) {
        word x = a[t], y = seen, z;
        products h;
        dots d;
        operand u = operand_of(x), v = operand_of(y);
        x = add(x, y);
        x = sub(x, y);
        x = mul(x, y);
        y = mul(x, y);
        z = inv(y);
        z = quo(z, x);
        z = cross(x, y, z, z);
        h = products_first(x, y);
        h = products_add(h, y, z);
        z = products_value(h);
        dots_clear(d);
        dots_more(d, u, v);
        z = add(z, dots_few(d));
        z = add(z, dots_value(d));
        mine[0] = (u32)t;
        mine[1] = times((u32)t, 1, 4, 3);
        OPS(7);
        b[block * block_size + t] = z;
    }
    vote = ballot(mine[0]);
    GROUPS (t)
        b[block * block_size + t] = (word)vote;
}
