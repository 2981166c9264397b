/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3.1): Algorithm 2, the naive kernel. */

/* One division step: the leading coefficient a[i] is cancelled by a multiple of b, of degree db. */
KERNEL void naive_division(GLOBAL word *a, GLOBAL const word *b, GLOBAL word *q, int i, int db, word lead_inverse)
{
    LOCAL word factor;
    THREADS (t, 0, 1) {
        factor = mul(a[i], lead_inverse);
        if (block == 0) q[i - db] = factor;
    }
    int first = block * block_size;
    THREADS (t, 0, db + 1 - first) {
        int j = first + t;
        word x = sub(a[j + i - db], mul(b[j], factor));
        if (j < db) a[j + i - db] = x; /* a[i] is known to become 0, and other blocks still read it */
    }
}
