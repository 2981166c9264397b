/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3): Algorithms 2 and 4, the naive and the optimised kernel. */
#include "modp.h"

/* One division step: the leading coefficient a[i] is cancelled by a multiple of b, of degree db. */
KERNEL void naive_division(GLOBAL word *a, GLOBAL const word *b, GLOBAL word *q, int i, int db,
                           word lead_inverse MMM_BLOCK)
{
    LOCAL(word, factor, 1);
    REGION {
        SOME (t, 0, 1) {
            factor[0] = mul(a[i], lead_inverse);
            if (block == 0) q[i - db] = factor[0];
        }
    }
    int first = block * block_size;
    REGION {
        SOME (t, 0, db + 1 - first) {
            int j = first + t;
            word x = sub(a[j + i - db], mul(b[j], factor[0]));
            if (j < db) a[j + i - db] = x; /* a[i] is known to become 0, and other blocks still read it */
        }
    }
}
ENTRY(naive_division, ARRAY(0), ARRAY(1), ARRAY(2), INT(3), INT(4), WORD(5))

/* `steps` <= s division steps, from the leading index i down.  Threads below s follow the leading coefficients, so
 * that each block knows all quotients; the other 2s threads update the block's own 2s coefficients. */
KERNEL void division(GLOBAL word *a, GLOBAL const word *b, GLOBAL word *q, int i, int db, int steps, word lead_inverse,
                     CONSTANT(s) MMM_BLOCK)
{
    LOCAL(word, head_a, s);
    LOCAL(word, head_b, s);
    LOCAL(word, tile_a, 2 * s);
    LOCAL(word, tile_b, 3 * s);
    int tile = 2 * s * block; /* the block's first coefficient, counted down from a[i - steps] */
    REGION {
        SOME (t, 0, s) {
            head_a[t] = t < steps ? a[i - t] : 0;
            head_b[t] = t <= db ? b[db - t] : 0;
            tile_b[t] = tile + t <= db ? b[db - tile - t] : 0;
        }
        SOME (t, s, 3 * s) {
            tile_a[t - s] = tile + t - s < db ? a[i - steps - tile - (t - s)] : 0;
            tile_b[t] = tile + t <= db ? b[db - tile - t] : 0;
        }
    }
    for (int k = 0; k < steps; k++) {
        REGION {
            SOME (t, 0, 1)
                head_a[k] = mul(head_a[k], lead_inverse); /* from now on the quotient */
        }
        REGION {
            SOME (t, k + 1, steps)
                head_a[t] = sub(head_a[t], mul(head_b[t - k], head_a[k]));
            SOME (t, s, 3 * s)
                tile_a[t - s] = sub(tile_a[t - s], mul(tile_b[t - s + steps - k], head_a[k]));
        }
    }
    REGION {
        SOME (t, 0, steps)
            if (block == 0) q[i - db - t] = head_a[t];
        SOME (t, s, 3 * s)
            if (tile + t - s < db) a[i - steps - tile - (t - s)] = tile_a[t - s];
    }
}
ENTRY(division, ARRAY(0), ARRAY(1), ARRAY(2), INT(3), INT(4), INT(5), WORD(6), INT(7))
