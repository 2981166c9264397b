/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of sorts share. */
#ifndef SORTS_H
#define SORTS_H

#include "both.h"

/* The numbers of the keys, at most 2^18, in the order of a stable sort: a merge sort from short to long, which shares
 * nothing with the library. */
static inline void order_of(const uint64_t *keys, int64_t n, int64_t *order)
{
    static int64_t other[1 << 18];
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t first = 0; first < n; first += 2 * width) {
            int64_t middle = first + width < n ? first + width : n, end = middle + width < n ? middle + width : n;
            for (int64_t i = first, j = middle, k = first; k < end; k++) {
                bool left = j == end || (i < middle && keys[order[i]] <= keys[order[j]]);
                other[k] = left ? order[i++] : order[j++];
            }
        }
        memcpy(order, other, (size_t)n * sizeof *order);
    }
}

#endif
