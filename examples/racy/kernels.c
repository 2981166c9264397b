/* Counting as one writes it first: plain additions where several threads may meet.  It compiles, it may even give right
 * results on a CPU, and it is wrong: `mmm analyze` says where. */

KERNEL void parity(GLOBAL const u32 *numbers, GLOBAL u32 *counts, int n)
{
    LOCAL u32 own[2];
    THREADS (t, 0, 2)
        own[t] = 0;
    THREADS (t) {
        int i = block * block_size + t;
        if (i < n) own[numbers[i] % 2] += 1; /* two threads, one count */
        OPS(1);
    }
    THREADS (t, 0, 2) {
        counts[t] += own[t]; /* two blocks, one count */
        OPS(1);
    }
}
