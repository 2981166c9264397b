/* 'atomic_add' outside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    atomic_add(&a[0], 1); /* here */
    THREADS (t)
        a[t] = 1;
}
