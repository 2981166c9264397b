/* SPDX-License-Identifier: Apache-2.0 */
/* The half-GCD: what is around the heads of gcd-jump and the products of multiplication-ntt.
 *
 * Steps and matrices are those of gcd-jump: polynomials are taken by their distance i from the leading coefficient, and
 * what so many steps do to them is a 2 x 2 matrix of polynomials in z, the shift of i by one.  Windows hold the leading
 * coefficients, the leading one last.
 *
 * A leaf is `jumps` jumps of s steps, w steps in all, on a window of w coefficients.  Heads compare degrees and take
 * coefficients by them, so a leaf has places of its own for degrees: `size` words for each polynomial.  Where there are
 * several jumps, the columns of their matrix grow behind the window, a 1 in row 0 at i = 2 w and in row 1 at i = 3 w +
 * 1, by the same updates or blocks of heads. */

#include "steps.h"

/* How far the degrees are apart before a leaf of w steps, or farther than these go. */
#define APART(degrees, leaf, w) min(max(degrees[2 * leaf] - degrees[2 * leaf + 1], -w - 1), w)

/* Both polynomials, of n and m terms at the ends of a and b, to places of `terms` words, one behind the other. */
KERNEL void align(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *to, GLOBAL int *degrees, int n, int m,
                  int terms)
{
    int start = block * block_size;
    REGION {
        THREADS (t, 0, terms - start) {
            int i = terms - 1 - start - t; /* from the leading one */
            to[start + t] = i < n ? a[n - 1 - i] : 0;
            to[terms + start + t] = i < m ? b[m - 1 - i] : 0;
        }
        THREADS (t, 0, block == 0) {
            degrees[0] = n - 1;
            degrees[1] = m - 1;
        }
    }
}

/* A leaf of one jump, step by step: from its windows, where numbers first_a and first_b begin, its matrix of 4 (s + 1)
 * words from number `first` on, and the degrees behind it.  One block. */
KERNEL void plain_leaf(GLOBAL const word *windows, GLOBAL word *matrices, GLOBAL int *degrees, int first_a, int first_b,
                       int first, int leaf, CONSTANT int s)
{
    LOCAL word cell_a[2 * s], cell_b[2 * s], row_a[2 * ENTRY], row_b[2 * ENTRY];
    LOCAL int told[4];
    int apart = APART(degrees, leaf, s), da = s - 1 + max(apart, 0), db = s - 1 + max(-apart, 0);
    ITEMS (i, 2 * s) {
        int k = max(s - 1 - i, 0);
        cell_a[i] = i < s ? windows[first_a + k] : 0;
        cell_b[i] = i < s ? windows[first_b + k] : 0;
    }
    take_steps(cell_a, cell_b, row_a, row_b, told, da, db, s);
    int u = told[0], v = told[1], low = told[2], terms = told[3];
    REGION {
        for (int c = 0; c < 2; c++)
            ITEMS (i, s + 1) {
                int inside = i >= low && i < low + terms;
                word x = row_a[c * ENTRY + s - u + i], y = row_b[c * ENTRY + s - v + i];
                matrices[first + c * (s + 1) + i] = inside ? x : 0;
                matrices[first + (c + 2) * (s + 1) + i] = inside ? y : 0;
            }
        ITEMS (i, 2) {
            degrees[2 * leaf + 2 + i] = degrees[2 * leaf + i] - told[i];
            OPS(1);
        }
    }
}

/* The windows of leaf number `leaf`, from numbers first_a and first_b on, to its places a and b, the leading
 * coefficient first; next_a and next_b get zeros, as updates read more than they write.  state[4 j] and state[4 j + 1]
 * are its degrees. */
KERNEL void place(GLOBAL const word *windows, GLOBAL word *a, GLOBAL word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                  GLOBAL const int *degrees, GLOBAL int *state, int first_a, int first_b, int leaf, int j, int w,
                  int low, int size)
{
    int apart = APART(degrees, leaf, w);
    int da = low + w - 1 + max(apart, 0), db = low + w - 1 + max(-apart, 0), start = block * block_size;
    REGION {
        THREADS (t, 0, size - start) {
            int i = start + t;
            a[i] = i < w ? windows[first_a + w - 1 - i] : i == 2 * w ? ONE : 0;
            b[i] = i < w ? windows[first_b + w - 1 - i] : i == 3 * w + 1 ? ONE : 0;
            next_a[i] = 0;
            next_b[i] = 0;
        }
        THREADS (t, 0, block == 0) {
            OPS(2);
            state[4 * j] = da;
            state[4 * j + 1] = db;
        }
    }
}

/* The matrix of a leaf of several jumps, from behind its windows. */
KERNEL void take_columns(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *matrices, GLOBAL const int *state,
                         GLOBAL int *degrees, int first, int leaf, int jumps, int j, int w)
{
    int start = block * block_size;
    REGION {
        THREADS (t, 0, 4 * (w + 1) - start) {
            int entry = (start + t) / (w + 1), e = (start + t) % (w + 1);
            int i = (entry % 2 ? 3 * w + 1 : 2 * w) - e;
            matrices[first + start + t] = entry < 2 ? a[i] : b[i];
        }
        THREADS (t, 0, block == 0 ? 2 : 0) { /* the degrees behind the leaf */
            degrees[2 * leaf + 2 + t] = degrees[2 * leaf + t] - (state[4 * (j - jumps) + t] - state[4 * j + t]);
            OPS(2);
        }
    }
}

/* Of two polynomials of given degrees at the end of `terms` words each, one behind the other from `first` on: one that is 0
 * gets the degree -1, wherever that of its steps is.  One block. */
KERNEL void vanish(GLOBAL const word *polynomials, GLOBAL int *degrees, int first, int terms, int place)
{
    LOCAL int some[2 * block_size];
    THREADS (t) {
        for (int which = 0; which < 2; which++) {
            int end = first + (which + 1) * terms, degree = degrees[2 * place + which], found = 0;
            for (int i = t; i <= degree; i += block_size) {
                found |= polynomials[end - 1 - i] != 0;
                OPS(1);
            }
            some[which * block_size + t] = found;
        }
    }
    for (int width = block_size / 2; width > 0; width /= 2) {
        THREADS (t, 0, width) {
            some[t] |= some[width + t];
            some[block_size + t] |= some[block_size + width + t];
            OPS(2);
        }
    }
    THREADS (t, 0, 2)
        if (!some[t * block_size]) degrees[2 * place + t] = -1;
}
