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

/* The windows of leaf number `leaf`, from numbers first_a and first_b on, to its places a and b, the leading
 * coefficient first; next_a and next_b get zeros, as updates read more than they write.  state[4 j] and state[4 j + 1]
 * are its degrees: as far apart as the polynomials' are, or farther than w steps go. */
KERNEL void place(GLOBAL const word *windows, GLOBAL word *a, GLOBAL word *b, GLOBAL word *next_a, GLOBAL word *next_b,
                  GLOBAL const int *degrees, GLOBAL int *state, int first_a, int first_b, int leaf, int j, int w,
                  int low, int size)
{
    int apart = min(max(degrees[2 * leaf] - degrees[2 * leaf + 1], -w - 1), w);
    int da = low + w - 1 + max(apart, 0), db = low + w - 1 + max(-apart, 0), start = block * block_size;
    REGION {
        THREADS (t, 0, size - start) {
            int i = start + t;
            a[i] = i < w ? windows[first_a + w - 1 - i] : low && i == 2 * w ? ONE : 0;
            b[i] = i < w ? windows[first_b + w - 1 - i] : low && i == 3 * w + 1 ? ONE : 0;
            if (low) {
                next_a[i] = 0;
                next_b[i] = 0;
            }
        }
        THREADS (t, 0, block == 0) {
            OPS(2);
            state[4 * j] = da;
            state[4 * j + 1] = db;
        }
    }
}

/* The degrees behind a leaf, whose jumps end before number j. */
#define TELL(before)                                                                                      \
    THREADS (t, 0, block == 0 ? 2 : 0) {                                                                  \
        degrees[2 * leaf + 2 + t] = degrees[2 * leaf + t] - (state[4 * (before) + t] - state[4 * j + t]); \
        OPS(2);                                                                                           \
    }

/* The matrix of a leaf of one jump, from its head, to 4 (w + 1) words from number `first` on. */
KERNEL void take_head(GLOBAL const word *matrix, GLOBAL word *matrices, GLOBAL const int *state, GLOBAL int *degrees,
                      int first, int leaf, int j, int w)
{
    int low = state[4 * j - 2], terms = state[4 * j - 1], start = block * block_size;
    REGION {
        THREADS (t, 0, 4 * (w + 1) - start) {
            int entry = (start + t) / (w + 1), e = (start + t) % (w + 1) - low;
            matrices[first + start + t] = e >= 0 && e < terms ? matrix[entry * (w + 1) + e] : 0;
        }
        TELL(j - 1)
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
        TELL(j - jumps)
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
