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

/* Words that go from one half of local memory to the other and back, one in each of `steps` regions. */
KERNEL void copying(GLOBAL const word *from, GLOBAL word *to, int steps)
{
    LOCAL word x[2 * block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        int here = k % 2 * block_size, there = block_size - here;
        THREADS (t)
            x[there + t] = x[here + t];
    }
    THREADS (t)
        to[block * block_size + t] = x[steps % 2 * block_size + t];
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

/* A product by a factor whose quotient by m is known. */
KERNEL void scaling(GLOBAL const word *from, GLOBAL word *to, int steps, word factor, word quotient, word m)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = times(x[t], factor, quotient, m);
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* Operations of no special kind, three in each region. */
KERNEL void mixing(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t) {
            OPS(3);
            x[t] = (x[t] ^ factor) + (x[t] >> 3);
        }
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* A sum of two products, and its reduction. */
KERNEL void reducing(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = products_value(products_add(products_first(x[t], factor), factor, x[t]));
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

KERNEL void inverting(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x[t] = inv(add(x[t], factor));
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* Atomics on words of local memory, one in each region. */
KERNEL void tallying(GLOBAL const word *from, GLOBAL word *to, int steps)
{
    LOCAL u32 x[block_size];
    THREADS (t)
        x[t] = (u32)from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            atomic_add(&x[t], 1);
    }
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* Between regions: `steps` operations, each after the one before, and as many accesses, each of what the one before
 * has found; block_size is a power of two. */
KERNEL void walking(GLOBAL const word *from, GLOBAL word *to, int steps, int hops)
{
    u32 x = (u32)block;
    for (int k = 0; k < steps; k++) {
        OPS(2);
        x = (x ^ (u32)k) * 5;
    }
    for (int k = 0; k < hops; k++)
        x = (u32)from[x & (u32)(block_size - 1)];
    THREADS (t)
        to[block * block_size + t] = x;
}
