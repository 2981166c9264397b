/* Prefix sums: a block scans s elements a thread, then the sums of the blocks are scanned likewise, and added.
 *
 * Inside a block, 32 threads at a time scan their sums by scan_add, which needs no barrier of all threads; local memory
 * is only for what the groups have in common. */

KERNEL void scan(GLOBAL i64 *x, GLOBAL i64 *sums, int n, CONSTANT int s)
{
    LOCAL i64 group[32];
    PRIVATE i64 own, before;
    int first = block * block_size * s;
    THREADS (t) { /* thread t has the s elements from first + t s on */
        i64 sum = 0;
        for (int k = 0; k < s; k++) {
            int i = first + t * s + k;
            if (i < n) sum += x[i];
            OPS(1);
        }
        own = sum;
    }
    before = scan_add(own);
    THREADS (t)
        if (t % 32 == 31 || t == block_size - 1) group[t / 32] = before;
    THREADS (t, 0, 1) {
        i64 sum = 0;
        for (int g = 0; g < (block_size + 31) / 32; g++) {
            i64 next = group[g];
            group[g] = sum;
            sum += next;
            OPS(1);
        }
        sums[block] = sum;
    }
    THREADS (t) {
        i64 sum = group[t / 32] + before - own;
        OPS(2);
        for (int k = 0; k < s; k++) {
            int i = first + t * s + k;
            if (i < n) {
                sum += x[i];
                x[i] = sum;
            }
            OPS(1);
        }
    }
}

/* Adds to the elements of each block but the first the sum of the blocks before it. */
KERNEL void shift(GLOBAL i64 *x, GLOBAL const i64 *sums, int n, CONSTANT int s)
{
    int first = (block + 1) * block_size * s;
    ITEMS (i, block_size * s) {
        if (first + i < n) x[first + i] += sums[block];
        OPS(1);
    }
}
