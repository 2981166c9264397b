/* 'atomic_add' in LANES, which takes several threads at once; write THREADS */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, x, y)
        atomic_add(&a[y], 1); /* here */
}
