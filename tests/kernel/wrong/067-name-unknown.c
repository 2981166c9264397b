/* 'threadIdx' is not known here: the thread is t in THREADS (t) */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = threadIdx; /* here */
}
