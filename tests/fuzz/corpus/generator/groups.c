/* What 32 threads do together. */

/* The number of values of each group that are not 0. */
KERNEL void present(GLOBAL const u32 *a, GLOBAL u32 *counts)
{
    PRIVATE u32 flag, votes, sum;
    PRIVATE int from;
    GROUPS (t) {
        flag = a[block * block_size + t] != 0;
        from = t / 32 * 32 + 31;
        OPS(1);
    }
    votes = ballot(flag);
    votes = match(flag, 0, 1);
    sum = scan_add(flag);
    sum = shuffle(sum, from);
    votes = shuffle(votes, block % 32);
    GROUPS (t)
        if (t % 32 == 0) counts[(block * block_size + t) / 32] = sum + (votes & 1);
}

/* Values of arrays, and of a function's. */
void pick(PRIVATE u32 *x, int k)
{
    x[k + 1] = match(x[k], 3, 8 * (int)sizeof(u32) - 3);
    GROUPS (t)
        x[k] = 0;
}

KERNEL void picked(GLOBAL const u32 *a, GLOBAL u32 *counts, CONSTANT int s)
{
    PRIVATE u32 x[s + 1];
    THREADS (t)
        x[0] = a[block * block_size + t];
    EACH (k, s)
        pick(x, k);
    THREADS (t) {
        counts[block * block_size + t] = (u32)popcount(x[s]);
        OPS(1);
    }
}
