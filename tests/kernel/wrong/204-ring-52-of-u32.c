/* 'lanes_ring_52' of u32_lanes; it takes word_lanes */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t) {
        u32_lanes x[8];
        EACH (k, 8)
            x[k] = lanes_load(a[t]);
        lanes_ring_52(x, x, x, x, 5u, 101u); /* here */
        lanes_store(a[t], x[0]);
    }
}
