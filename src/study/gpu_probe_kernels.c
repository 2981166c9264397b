/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by which calibration measures the constants of a GPU, and two of a core: each does one thing above all. */

/* `steps` operations of a kind by each thread, each after the one before. */
KERNEL void series(GLOBAL const word *from, GLOBAL word *to, int steps, word factor, CONSTANT int kind)
{
    THREADS (t) {
        word x = from[block * block_size + t], y = factor;
        products h = products_first(x, factor);
        for (int k = 0; k < steps; k++) {
            if (kind == 0) x = add(y, x);
            if (kind == 0) y = add(x, y);
            if (kind == 1) x = mul(x, factor);
            if (kind == 2) x = inv(add(x, factor));
            if (kind == 3) x = cross(x, factor, factor, x);
            if (kind == 4) h = products_add(h, x, factor);
            if (kind == 5) x = times(x, factor, factor, (word)2013265921u);
            if (kind == 6) {
                OPS(3);
                x = (x ^ factor) + (x >> 3);
            }
            if (kind == 7) x = products_value(products_first(x, factor));
        }
        if (kind == 4) x = products_value(h);
        to[block * block_size + t] = x;
    }
}

/* `steps` regions, in each of which a thread does one sum with what is its own. */
KERNEL void parting(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    PRIVATE word x;
    THREADS (t)
        x = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            x = add(x, factor);
    }
    THREADS (t)
        to[block * block_size + t] = x;
}

/* The same with local memory; of the others' words, too, so that there is something to wait for. */
KERNEL void passing(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[2 * block_size];
    THREADS (t)
        x[t] = from[block * block_size + t];
    for (int k = 0; k < steps; k++) {
        int here = k % 2 * block_size, there = block_size - here;
        THREADS (t)
            x[there + t] = add(x[here + (t + 1) % block_size], factor);
    }
    THREADS (t)
        to[block * block_size + t] = x[steps % 2 * block_size + t];
}

/* Exchanges in groups. */
KERNEL void exchanging(GLOBAL const word *from, GLOBAL word *to, int steps)
{
    PRIVATE word x;
    THREADS (t)
        x = from[block * block_size + t];
    for (int k = 0; k < steps; k++)
        x = shuffle(x, (k + 1) % 32);
    THREADS (t)
        to[block * block_size + t] = x;
}

/* `steps` reads of local memory in a region, those of neighbours `stride` words apart. */
KERNEL void reaching(GLOBAL const word *from, GLOBAL word *to, int steps, CONSTANT int stride)
{
    LOCAL word x[4096];
    ITEMS (i, 4096)
        x[i] = from[i % block_size];
    THREADS (t) {
        word y = 0;
        for (int k = 0; k < steps; k++)
            y ^= x[(t * stride + 33 * k) % 4096];
        OPS(1);
        to[block * block_size + t] = y;
    }
}

/* `steps` rounds of items in a region. */
KERNEL void rounding(GLOBAL const word *from, GLOBAL word *to, int steps, word factor)
{
    LOCAL word x[4096];
    ITEMS (i, 4096)
        x[i] = from[i % block_size];
    ITEMS (i, steps * block_size)
        x[i % 4096] = add(x[i % 4096], factor);
    THREADS (t)
        to[block * block_size + t] = x[t];
}

/* A hop of a chase through global memory in each of `steps` regions; n is a power of two. */
KERNEL void hopping(GLOBAL const word *from, GLOBAL word *to, int steps, int n)
{
    PRIVATE word at;
    THREADS (t)
        at = block * block_size + t;
    for (int k = 0; k < steps; k++) {
        THREADS (t)
            at = from[(int)(at & (word)(n - 1))];
    }
    THREADS (t)
        to[block * block_size + t] = at;
}

/* `steps` reads of global memory in a region, those of neighbours `stride` words apart; n is a power of two. */
KERNEL void fetching(GLOBAL const word *from, GLOBAL word *to, int steps, int n, CONSTANT int stride)
{
    THREADS (t) {
        word y = 0;
        for (int k = 0; k < steps; k++)
            y ^= from[((k * blocks + block) * block_size + t) * stride & (n - 1)];
        OPS(1);
        to[block * block_size + t] = y;
    }
}

/* `steps` atomics of a thread: in local memory, each on a word of its own, or in global memory, all on one. */
KERNEL void counting(GLOBAL u32 *to, int steps, CONSTANT int far)
{
    LOCAL u32 x[block_size];
    THREADS (t)
        x[t] = 0;
    THREADS (t)
        for (int k = 0; k < steps; k++) {
            if (!far) atomic_add(&x[t], 1);
            if (far) atomic_add(&to[(t + k) % 8], 1);
        }
    THREADS (t, 0, 1)
        to[8 + block % 8] = x[0];
}
