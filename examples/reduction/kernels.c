/* The sum of n residues modulo p: a block adds 2 l of them, and the next kernel adds what the blocks found. */

KERNEL void reduce(GLOBAL const word *from, GLOBAL word *to, int n, CONSTANT int l)
{
    LOCAL word sums[2 * l];
    int first = 2 * l * block;
    ITEMS (i, 2 * l)
        sums[i] = first + i < n ? from[first + i] : 0;
    for (int width = l; width > 0; width /= 2) {
        THREADS (t, 0, width)
            sums[t] = add(sums[t], sums[width + t]);
    }
    THREADS (t, 0, 1)
        to[block] = sums[0];
}
