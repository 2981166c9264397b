/* 'lanes_load' outside LANES */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    THREADS (t)
        a[t] = lanes_load(a[t]); /* here */
}
