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

/* One operation of a kind in each of `steps` regions, each after the one before, in local memory. */
KERNEL void adding(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = add(x[t], factor);
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

KERNEL void crossing(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = cross(factor, x[t], factor, x[t]);
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

KERNEL void summing(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    PRIVATE products h;
    THREADS (t) {
        x[t] = from[block * block_size + t];
        h = products_first(x[t], factor);
    }
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            h = products_add(h, x[t], factor);
    }
    THREADS (t)
        to[block * block_size + t] = products_value(h);
}

/* Elements that do not lie side by side, read and written; block_size is a power of two. */
KERNEL void gathering(GLOBAL const word *from, GLOBAL word *to, int steps)
{
    LOCAL word x[block_size], y[block_size];
    THREADS (t) {
        x[t] = from[block * block_size + t];
        y[t] = 0;
    }
    for (int k = 0; k < steps; k++) {
        THREADS (t) {
            OPS(1);
            y[t] ^= x[(5 * t + k) & (block_size - 1)];
        }
    }
    THREADS (t)
        to[block * block_size + t] = y[t];
}

KERNEL void scattering(GLOBAL const word *from, GLOBAL word *to, int steps)
{
    LOCAL word x[block_size], y[block_size];
    THREADS (t) {
        x[t] = from[block * block_size + t];
        y[t] = 0;
    }
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            y[(5 * t + k) & (block_size - 1)] = x[t];
    }
    THREADS (t)
        to[block * block_size + t] = y[t];
}
