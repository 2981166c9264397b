/* 'threads' is a name in the kernel's launcher */
KERNEL void wrong(GLOBAL word *a, int threads) /* here */
{
    THREADS (t)
        a[t] = 1;
}
