/* Every type there is. */
KERNEL void types(GLOBAL const i8 *a, GLOBAL const u8 *b, GLOBAL const i16 *c, GLOBAL const u16 *d, GLOBAL i32 *e,
                  GLOBAL u32 *f, GLOBAL i64 *g, GLOBAL u64 *h, GLOBAL double *x, int i, unsigned int j, i64 k, u64 l,
                  float y, double z, u32 m)
{
    LOCAL i8 small[3];
    LOCAL double large[block_size];
    THREADS (t, 0, 1) {
        small[0] = a[i];
        large[0] = sqrt(z) + (double)y + fma(z, z, 1.0);
        e[0] = (i32)b[i] + c[i] + d[i];
        f[0] = j + m + 'a' + 0x1Fu;
        g[0] = k + (i64)sizeof(word);
        h[0] = l;
        x[0] = large[0] + small[0];
        OPS(12);
    }
}
