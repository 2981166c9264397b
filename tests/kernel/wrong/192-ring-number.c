/* 'lanes_ring' needs an array of u32_lanes or word_lanes here */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t) {
        u32_lanes x[8];
        EACH (k, 8)
            x[k] = lanes_load(a[t]);
        lanes_ring(x, x, x[0], x, 5u, 101u); /* here */
        lanes_store(a[t], x[0]);
    }
}
