/* The histogram as one writes it first: plain additions where several threads may meet.  It compiles, it may even give
 * right results on a CPU, and it is wrong: `mmm analyze` says where. */

KERNEL void histogram(GLOBAL const u8 *bytes, GLOBAL u32 *counts, int n, CONSTANT int s)
{
    LOCAL u32 own[256];
    int first = block * block_size * s;
    ITEMS (i, 256)
        own[i] = 0;
    ITEMS (i, block_size * s) {
        if (first + i < n) own[bytes[first + i]] += 1; /* two threads, one count */
        OPS(1);
    }
    ITEMS (i, 256) {
        counts[i] += own[i]; /* two blocks, one count */
        OPS(1);
    }
}
