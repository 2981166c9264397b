/* 'times' takes 4 arguments, not 2 */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = times(a[t], b[t]); /* here */
}
