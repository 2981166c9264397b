/* SPDX-License-Identifier: Apache-2.0 */
/* What polynomials that stay in a machine's memory need besides the algorithms of the paper. */

/* The number of terms of a, as far as a block sees it: it looks at `each` l coefficients of the `count` that there are,
 * and terms[block] is one more than the place of the last that is not 0, or 0.  l is a power of two. */
KERNEL void count_terms(GLOBAL const word *a, GLOBAL int *terms, int count, CONSTANT int each, CONSTANT int l)
{
    LOCAL word most[l];
    int first = block * each * l;
    THREADS (t) {
        word last = 0;
        for (int k = 0; k < each; k++) {
            int i = first + k * l + t;
            if (i < count && a[i]) last = (word)(i + 1);
            OPS(1);
        }
        most[t] = last;
    }
    for (int d = l / 2; d > 0; d /= 2) {
        THREADS (t, 0, d) {
            word mine = most[t], other = most[t + d];
            most[t] = mine > other ? mine : other;
            OPS(1);
        }
    }
    THREADS (t, 0, 1)
        terms[block] = (int)most[0];
}

/* Multiplies coefficients by a factor. */
KERNEL void scale(GLOBAL word *a, GLOBAL const word *factor)
{
    int first = block * block_size;
    THREADS (t)
        a[first + t] = mul(a[first + t], factor[0]);
}

/* Plain residues into the form of words in arrays, with R^2 as the factor; and back, with a plain residue that they are
 * multiplied by. */
KERNEL void enter_form(GLOBAL const u64 *from, GLOBAL word *to, word factor, int count)
{
    int first = block * block_size;
    THREADS (t, 0, count - first)
        to[first + t] = mul((word)from[first + t], factor);
}

KERNEL void leave_form(GLOBAL const word *from, GLOBAL u64 *to, word factor, int count)
{
    int first = block * block_size;
    THREADS (t, 0, count - first)
        to[first + t] = mul(from[first + t], factor);
}

/* The same into `to` from `at` on, l residues a block, for many; the first bit of seen[block] is set where one of them is
 * larger than `last`, which is below 2^63.  l is a power of two. */
KERNEL void enter_checked(GLOBAL const u64 *from, GLOBAL word *to, GLOBAL u64 *seen, word factor, u64 last, int count,
                          int at, CONSTANT int l)
{
    LOCAL u64 some[l];
    int first = block * l;
    THREADS (t) {
        u64 x = first + t < count ? from[first + t] : 0;
        if (first + t < count) to[at + first + t] = mul((word)x, factor);
        some[t] = (last - x) | x;
    }
    for (int d = l / 2; d > 0; d /= 2) {
        THREADS (t, 0, d) {
            some[t] |= some[t + d];
            OPS(1);
        }
    }
    THREADS (t, 0, 1)
        seen[block] = some[0];
}

/* And back: `count` residues from number `at` on, l a block. */
KERNEL void leave_many(GLOBAL const word *from, GLOBAL u64 *to, word factor, int count, int at, CONSTANT int l)
{
    int first = block * l;
    THREADS (t, 0, count - first)
        to[first + t] = mul(from[at + first + t], factor);
}
