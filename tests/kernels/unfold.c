/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of programs that unfold: what a decision looks at, and what it must not depend on. */

/* Halves the numbers of a block; left[block] is the largest that is left of them. */
KERNEL void halve(GLOBAL unsigned *x, GLOBAL unsigned *left, int n, CONSTANT int l)
{
    LOCAL unsigned most[l];
    THREADS (t) {
        int i = block * l + t;
        unsigned half_of = 0;
        if (i < n) {
            half_of = x[i] / 2;
            x[i] = half_of;
            OPS(1);
        }
        most[t] = half_of;
    }
    for (int width = l / 2; width > 0; width /= 2) {
        THREADS (t, 0, width) {
            most[t] = max(most[t], most[width + t]);
            OPS(1);
        }
    }
    THREADS (t, 0, 1)
        left[block] = most[0];
}

/* Writes a number to every element from `first` on. */
KERNEL void put(GLOBAL unsigned *x, int first, int n, int value)
{
    THREADS (t, 0, n - block * block_size) {
        x[first + block * block_size + t] = (unsigned)value;
        OPS(1);
    }
}

/* Every block says that it was the last one, and the last one is right. */
KERNEL void last(GLOBAL unsigned *x)
{
    THREADS (t, 0, 1) {
        x[0] = (unsigned)block;
        OPS(1);
    }
}
