/* Loose residues of both sizes, and words of a tile spread over its banks. */
KERNEL void loose(GLOBAL word *a, GLOBAL u32 *b, GLOBAL u64 *c, word w, word q, word m)
{
    LOCAL word tile[64 + 64 / 32];
    THREADS (t, 0, 64)
        tile[spread(t)] = times(a[t], w, q, m);
    THREADS (t, 0, 32) {
        u32 x = times(b[t], 3u, 5u, 101u);
        u64 y = fold(c[t], (u64)101);
        a[t] = fold(tile[spread(2 * t)], m);
        b[t] = fold(x, 101u);
        c[t] = times(y, (u64)3, (u64)5, (u64)101);
        b[t] = times_both(x, x, b[t], x, 5u, 101u);
    }
}
