/* SPDX-License-Identifier: Apache-2.0 */
/* Division by the inverse series with products by transforms: what those do not do.  Products are kernels of
 * multiplication-ntt, and of division-inverse where they are short. */

/* Words first, first + step, ... of a, or minus them, to b; `inside` of them are there, the others up to `count` are
 * 0. */
KERNEL void arrange(GLOBAL const word *a, GLOBAL word *b, int first, int step, int to, int inside, int count, int minus)
{
    int start = block * block_size;
    REGION {
        THREADS (t, 0, inside - start) {
            word x = a[first + step * (start + t)];
            b[to + start + t] = minus ? sub(0, x) : x;
        }
        THREADS (t, max(inside - start, 0), count - start)
            b[to + start + t] = 0;
    }
}

/* Modulo x^distance - 1: words of a behind it are added to `count` words before it. */
KERNEL void wrap(GLOBAL word *a, int first, int distance, int count)
{
    THREADS (t, 0, count - block * block_size) {
        int i = first + block * block_size + t;
        a[i] = add(a[i], a[i + distance]);
    }
}

/* One quotient, number `at` of q, is taken off: `count` words of a from number `first` on less its multiple of b. */
KERNEL void cancel(GLOBAL word *a, GLOBAL const word *b, GLOBAL const word *q, int first, int at, int count)
{
    int start = block * block_size;
    multiplier factor = multiplier_of(q[at]);
    THREADS (t, 0, count - start)
        a[first + start + t] = sub(a[first + start + t], mul_by(factor, b[start + t]));
}
