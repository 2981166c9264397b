/* Lanes of both types: sums, factors of all threads and of each, rows, one and two dimensions, items. */
KERNEL void lanes(GLOBAL word *a, GLOBAL const word *z, GLOBAL u32 *b, word v, word q, word m)
{
    LOCAL word tile[16 * block_size + block_size / 2];
    LANES (word, t) {
        word_lanes x[16];
        lanes_load_rows(x, a[16 * (block * block_size + t)]);
        EACH (k, 16) {
            word_lanes w = lanes_load(z[t]), h = lanes_load(z[block_size + t]);
            x[k] = fold(times(x[k], v, q, m), m) - fold(times(x[k], w, h, m), m) + m;
            OPS(2);
        }
        EACH (k, 16)
            x[k] = times_52(x[k], v, q, m) + times_short(x[k], v, q, m) + times_both_52(x[k], x[0], x[k], x[1], q, m);
        lanes_ring_52(x, x, x, x, q, m);
        lanes_store_rows(tile[spread(16 * t)], x);
    }
    REGION {
        LANES (u32, t) {
            u32_lanes x = lanes_load(b[t]);
            lanes_ahead(b[block_size + t]);
            lanes_ahead_rows(b[block_size + 16 * t]);
            lanes_store(b[t], x + 1 - fold(times_both(x, x, x, x, 5u, 101u), 101u));
        }
        LANES (u32, t) {
            u32_lanes y[8], r[8];
            EACH (k, 8)
                y[k] = centre(lanes_load(b[k * block_size + t]), 101u);
            lanes_ring(r, y, y, y, 5u, 101u);
            EACH (k, 8)
                lanes_store(b[k * block_size + t], r[k]);
        }
    }
    ITEMS (i, 16 * block_size)
        a[16 * block * block_size + i] = tile[spread(i)];
}

/* As many as there are, whatever the number of threads. */
KERNEL void items(GLOBAL word *a, GLOBAL const word *b, GLOBAL u32 *c, word v, int n)
{
    multiplier f = multiplier_of(v), g = multiplier_of(ONE);
    REGION {
        ITEM_LANES (word, i, n) {
            word_lanes x = lanes_load(a[block * n + i]);
            lanes_store(a[block * n + i], cross_by(f, mul_by(g, x), g, lanes_load(b[i])));
        }
        ITEM_LANES (u32, i, n - 1) {
            u32_lanes x = lanes_load(c[block * n + i]);
            lanes_store(c[block * n + i], x + 1);
            OPS(1);
        }
    }
}

KERNEL void plane(GLOBAL const u32 *a, GLOBAL u32 *b)
{
    LANES (u32, x, y) {
        u32 first = a[y];
        lanes_store(b[y * block_width + x], lanes_load(a[y * block_width + x]) - first);
        OPS(1);
    }
}
