/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of threads and of items. */

/* Rows of 16 numbers to columns of a block, and from there back in the other order, with a number added. */
#define TURN(type, values, from, columns, to)                                       \
    LANES (type, t) {                                                               \
        values x[16];                                                               \
        lanes_load_rows(x, from[16 * (block * block_size + t)]);                    \
        EACH (k, 16)                                                                \
            lanes_store(columns[(block * 16 + k) * block_size + t], x[k]);          \
    }                                                                               \
    LANES (type, t) {                                                               \
        values x[16];                                                               \
        EACH (k, 16)                                                                \
            x[k] = lanes_load(columns[(block * 16 + 15 - k) * block_size + t]) + 3; \
        OPS(16);                                                                    \
        lanes_store_rows(to[16 * (block * block_size + t)], x);                     \
    }

KERNEL void lanes_turn(GLOBAL const word *a, GLOBAL word *columns_a, GLOBAL word *b, GLOBAL const u32 *c,
                       GLOBAL u32 *columns_c, GLOBAL u32 *d)
{
    TURN(word, word_lanes, a, columns_a, b)
    TURN(u32, u32_lanes, c, columns_c, d)
}

/* Rows of `count` words, which lie 48 apart, times one multiplier, and less others times another; of u32 a sum. */
KERNEL void item_lanes(GLOBAL const word *a, GLOBAL const word *b, GLOBAL const word *by, GLOBAL word *one,
                       GLOBAL word *two, GLOBAL u32 *c, int count)
{
    multiplier f = multiplier_of(by[2 * block]), g = multiplier_of(by[2 * block + 1]);
    int first = 48 * block;
    REGION {
        ITEM_LANES (word, i, count) {
            word_lanes x = lanes_load(a[first + i]);
            lanes_store(one[first + i], mul_by(f, x));
            lanes_store(two[first + i], cross_by(f, x, g, lanes_load(b[first + i])));
        }
        ITEM_LANES (u32, i, count) {
            lanes_store(c[first + i], lanes_load(c[first + i]) + 5);
            OPS(1);
        }
    }
}

/* x y + u v over 2^32, of four numbers each that lie `count` apart, by lanes and one by one; of words over 2^52. */
KERNEL void both_lanes(GLOBAL const u32 *a, GLOBAL u32 *b, GLOBAL u32 *c, GLOBAL const word *d, GLOBAL word *e, u32 n, u32 m,
                       word n_52, word m_52, int count)
{
    REGION {
        ITEM_LANES (u32, i, count) {
            u32_lanes x = lanes_load(a[i]), y = lanes_load(a[count + i]);
            u32_lanes u = lanes_load(a[2 * count + i]), v = lanes_load(a[3 * count + i]);
            lanes_store(b[i], times_both(x, y, u, v, n, m));
        }
        ITEMS (i, count)
            c[i] = times_both(a[i], a[count + i], a[2 * count + i], a[3 * count + i], n, m);
        ITEM_LANES (word, i, count) {
            word_lanes x = lanes_load(d[i]), y = lanes_load(d[count + i]);
            word_lanes u = lanes_load(d[2 * count + i]), v = lanes_load(d[3 * count + i]);
            lanes_store(e[i], times_both_52(x, y, u, v, n_52, m_52));
        }
    }
}
