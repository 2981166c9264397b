/* How often each value of a byte occurs: a block counts s bytes a thread in local memory, then adds its counts to those of
 * all blocks.  Several threads may meet at one count: both additions are atomic. */

KERNEL void histogram(GLOBAL const u8 *bytes, GLOBAL u32 *counts, int n, CONSTANT int s)
{
    LOCAL u32 own[256];
    int first = block * block_size * s;
    ITEMS (i, 256)
        own[i] = 0;
    ITEMS (i, block_size * s)
        if (first + i < n) atomic_add(&own[bytes[first + i]], 1);
    ITEMS (i, 256)
        if (own[i]) atomic_add(&counts[i], own[i]);
}
