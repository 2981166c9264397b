/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one's own: sums modulo p, 2 l numbers a block. */
#include <mmm/modp.h>

KERNEL void reduction(GLOBAL const word *from, GLOBAL word *to, int n, CONSTANT(l) MMM_BLOCK)
{
    LOCAL(word, sums, 2 * l);
    int first = 2 * l * block;
    THREADS (t) {
        int i = first + t;
        sums[t] = i < n ? from[i] : 0;
        sums[l + t] = i + l < n ? from[i + l] : 0;
    }
    for (int width = l; width > 0; width /= 2) {
        REGION {
            SOME (t, 0, width)
                sums[t] = add(sums[t], sums[width + t]);
        }
    }
    REGION {
        SOME (t, 0, 1)
            to[block] = sums[0];
    }
}
ENTRY(reduction, ARRAY(0), ARRAY(1), INT(2), INT(3))
