/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomial division (section 3.2): Algorithm 4, the optimised kernel. */

/* `steps` <= s division steps, from the leading index i down.  Threads below s follow the leading coefficients, so
 * that each block knows all quotients; the other 2s threads update the block's own 2s coefficients. */
KERNEL void division(GLOBAL word *a, GLOBAL const word *b, GLOBAL word *q, int i, int db, int steps, word lead_inverse,
                     CONSTANT int s)
{
    LOCAL word head_a[s], head_b[s];
    LOCAL word tile_a[2 * s], tile_b[3 * s];
    int tile = 2 * s * block; /* the block's first coefficient, counted down from a[i - steps] */
    REGION {
        THREADS (t, 0, s) {
            head_a[t] = t < steps ? a[i - t] : 0;
            head_b[t] = t <= db ? b[db - t] : 0;
            tile_b[t] = tile + t <= db ? b[db - tile - t] : 0;
        }
        THREADS (t, s, 3 * s) {
            tile_a[t - s] = tile + t - s < db ? a[i - steps - tile - (t - s)] : 0;
            tile_b[t] = tile + t <= db ? b[db - tile - t] : 0;
        }
    }
    for (int k = 0; k < steps; k++) {
        THREADS (t, 0, 1)
            head_a[k] = mul(head_a[k], lead_inverse); /* from now on the quotient */
        REGION {
            THREADS (t, k + 1, steps)
                head_a[t] = sub(head_a[t], mul(head_b[t - k], head_a[k]));
            THREADS (t, s, 3 * s)
                tile_a[t - s] = sub(tile_a[t - s], mul(tile_b[t - s + steps - k], head_a[k]));
        }
    }
    REGION {
        THREADS (t, 0, steps)
            if (block == 0) q[i - db - t] = head_a[t];
        THREADS (t, s, 3 * s)
            if (tile + t - s < db) a[i - steps - tile - (t - s)] = tile_a[t - s];
    }
}
