/* THREADS inside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        THREADS (u) /* here */
            a[u] = 1;
}
