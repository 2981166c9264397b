/* 'lanes_ring' of word_lanes; it takes u32_lanes */
KERNEL void wrong(GLOBAL word *a, int n)
{
    LANES (word, t) {
        word_lanes x[8];
        EACH (k, 8)
            x[k] = lanes_load(a[t]);
        lanes_ring(x, x, x, x, 5u, 101u); /* here */
        lanes_store(a[t], x[0]);
    }
}
