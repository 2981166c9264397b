/* THREADS with 2 arguments; write THREADS (t) or THREADS (t, low, high) */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t, 4) /* here */
        a[t] = 1;
}
