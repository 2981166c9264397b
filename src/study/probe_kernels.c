/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose only purpose is the time they take: what calibration measures a machine with. */

/* `steps` regions with one product and one difference a thread, each after the one before, in local memory; then
 * `words` regions in which a word a thread comes from global memory, and no more is done with it than that it cannot be
 * left out. */
KERNEL void chain(GLOBAL const word *from, GLOBAL word *to, int steps, int words, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = sub(mul(x[t], factor), factor);
    }
    for (int k = 0; k < words; k++) {
        int first = (block * words + k) * block_size;
        THREADS (t)
            x[t] ^= from[first + t];
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* Nothing but the launch. */
KERNEL void nothing(GLOBAL word *to, int number)
{
    THREADS (t, 0, number)
        to[0] = 0;
}
