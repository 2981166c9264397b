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

/* The first with a look at each: seen[t] gets the first bit where one of thread t's is larger than `last`. */
KERNEL void enter_seen(GLOBAL const u64 *from, GLOBAL word *to, GLOBAL u64 *seen, word factor, u64 last, int count)
{
    for (int first = 0; first < count; first += block_size) {
        THREADS (t, 0, count - first) {
            u64 x = from[first + t];
            to[first + t] = mul((word)x, factor);
            seen[t] |= (last - x) | x;
        }
    }
}

KERNEL void leave_form(GLOBAL const word *from, GLOBAL u64 *to, word factor, int count)
{
    int first = block * block_size;
    THREADS (t, 0, count - first)
        to[first + t] = mul(from[first + t], factor);
}

/* The same into `to` from `at` on, l residues `rounds` times a block, for many; the first bit of seen[block] is set
 * where one of them is larger than `last`, which is below 2^63.  l is a power of two. */
KERNEL void enter_checked(GLOBAL const u64 *from, GLOBAL word *to, GLOBAL u64 *seen, word factor, u64 last, int count,
                          int at, int rounds, CONSTANT int l)
{
    LOCAL u64 some[l];
    THREADS (t)
        some[t] = 0;
    for (int k = 0; k < rounds; k++) {
        int first = (rounds * block + k) * l;
        THREADS (t, 0, count - first) {
            u64 x = from[first + t];
            to[at + first + t] = mul((word)x, factor);
            some[t] |= (last - x) | x;
        }
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

/* What a run has found: the polynomial in a, count_a words from at_a on, or, where it is 0, the one in b, likewise.
 * Words above degrees[degree] and degrees[degree + 1] do not count, unless degree is below 0.  found[2 output] is its
 * number of terms, the next one which of the two it is; factor is what its words are to be multiplied by: `form`,
 * divided by the leading coefficient where it is to be monic.  One block. */
KERNEL void find_result(GLOBAL const word *a, GLOBAL const word *b, GLOBAL const int *degrees, GLOBAL int *found,
                        GLOBAL word *factor, int at_a, int count_a, int at_b, int count_b, word form, int degree,
                        int output, CONSTANT int monic, CONSTANT int l)
{
    LOCAL int top[3]; /* of this step, the next one, the one before */
    int which = 0, terms = 0, end = degree < 0 ? count_a : min(count_a, degrees[degree] + 1);
    THREADS (t, 0, 1)
        top[0] = 0;
    for (int step = 0; which < 2 && terms == 0; step++) {
        GLOBAL const word *from = which ? b + at_b : a + at_a;
        int now = step % 3, next = (step + 1) % 3;
        THREADS (t) {
            int most = 0;
            EACH (k, 8) {
                int i = end - 1 - t - k * l;
                if (most == 0 && i >= 0 && from[i]) most = i + 1;
            }
            if (most) atomic_max(&top[now], most);
            if (t == 0) top[next] = 0;
            OPS(8);
        }
        terms = max(top[now], 0);
        end -= 8 * l;
        if (terms == 0 && end <= 0) {
            which++;
            end = degree < 0 ? count_b : min(count_b, degrees[degree + 1] + 1);
        }
    }
    which = min(which, 1);
    GLOBAL const word *from = which ? b + at_b : a + at_a;
    THREADS (t, 0, 1) {
        found[2 * output] = terms;
        found[2 * output + 1] = which;
        factor[0] = monic && terms ? mul(inv(from[terms - 1]), form) : form;
    }
}

/* All `count` words of it, and 0 for those that it does not have. */
KERNEL void give_result(GLOBAL const word *a, GLOBAL const word *b, GLOBAL const int *found, GLOBAL const word *factor,
                        GLOBAL word *to, int at_a, int at_b, int count, int output)
{
    GLOBAL const word *from = found[2 * output + 1] ? b + at_b : a + at_a;
    int first = block * block_size, terms = found[2 * output];
    word scale_by = factor[0];
    THREADS (t, 0, count - first)
        to[first + t] = first + t < terms ? mul(from[first + t], scale_by) : 0;
}

/* Plain residues as they are, as many as were found. */
KERNEL void leave_found(GLOBAL const word *from, GLOBAL const int *found, GLOBAL u64 *to, int output, CONSTANT int l)
{
    int first = block * l;
    THREADS (t, 0, found[2 * output] - first)
        to[first + t] = from[first + t];
}
