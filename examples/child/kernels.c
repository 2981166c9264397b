/* A parent that launches a child, in parts (docs/model.md, "Child kernels").
 *
 * The parent has l residues a block: it adds them up, launches a child that adds up what the blocks found, goes on to raise
 * each of its own to the power 2^r, and, where it waits for the child, multiplies them by the sum of all.  Local memory does
 * not survive a kernel: where the parent is split, what its cells hold goes through `kept`, a word a thread. */

/* What the parent does before it launches the child. */
static void add_up(LOCAL word *cell, LOCAL word *sum, GLOBAL const word *x, GLOBAL word *sums, int n)
{
    THREADS (t) {
        int i = block * block_size + t;
        word own = i < n ? x[i] : 0;
        cell[t] = own;
        sum[t] = own;
    }
    for (int width = block_size / 2; width > 0; width /= 2) {
        THREADS (t, 0, width)
            sum[t] = add(sum[t], sum[width + t]);
    }
    THREADS (t, 0, 1)
        sums[block] = sum[0];
}

/* What it does beside the child. */
static void square(LOCAL word *cell, int r)
{
    for (int k = 0; k < r; k++) {
        THREADS (t)
            cell[t] = mul(cell[t], cell[t]);
    }
}

/* Parts A and B in one: the child comes behind both. */
KERNEL void whole(GLOBAL const word *x, GLOBAL word *sums, GLOBAL word *to, int n, int r)
{
    LOCAL word cell[block_size];
    LOCAL word sum[block_size];
    add_up(cell, sum, x, sums, n);
    square(cell, r);
    THREADS (t, 0, n - block * block_size)
        to[block * block_size + t] = cell[t];
}

KERNEL void part_a(GLOBAL const word *x, GLOBAL word *sums, GLOBAL word *kept, int n)
{
    LOCAL word cell[block_size];
    LOCAL word sum[block_size];
    add_up(cell, sum, x, sums, n);
    THREADS (t)
        kept[block * block_size + t] = cell[t];
}

KERNEL void part_b(GLOBAL const word *kept, GLOBAL word *to, int n, int r)
{
    LOCAL word cell[block_size];
    THREADS (t)
        cell[t] = kept[block * block_size + t];
    square(cell, r);
    THREADS (t, 0, n - block * block_size)
        to[block * block_size + t] = cell[t];
}

/* Where the parent has waited for the child. */
KERNEL void part_c(GLOBAL const word *kept, GLOBAL const word *total, GLOBAL word *y, int n)
{
    THREADS (t, 0, n - block * block_size)
        y[block * block_size + t] = mul(kept[block * block_size + t], total[0]);
}

/* The child: one block, whose threads have every block_size-th of the sums. */
KERNEL void child(GLOBAL const word *sums, GLOBAL word *total, int count)
{
    LOCAL word sum[block_size];
    THREADS (t) {
        word own = 0;
        for (int i = t; i < count; i += block_size)
            own = add(own, sums[i]);
        sum[t] = own;
    }
    for (int width = block_size / 2; width > 0; width /= 2) {
        THREADS (t, 0, width)
            sum[t] = add(sum[t], sum[width + t]);
    }
    THREADS (t, 0, 1)
        total[0] = sum[0];
}
