/* 'lanes_ring' outside LANES */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    THREADS (t) {
        u32 x[8];
        EACH (k, 8)
            x[k] = a[t];
        lanes_ring(x, x, x, x, 5u, 101u); /* here */
        a[t] = x[0];
    }
}
