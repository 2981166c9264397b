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
    sum = scan_add(flag);
    sum = shuffle(sum, from);
    votes = shuffle(votes, block % 32);
    GROUPS (t)
        if (t % 32 == 0) counts[(block * block_size + t) / 32] = sum + (votes & 1);
}
