/* 'lanes_ahead' outside LANES */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    THREADS (t) {
        lanes_ahead(a[n + t]); /* here */
        a[t] = 1;
    }
}
