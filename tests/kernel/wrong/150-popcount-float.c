/* 'popcount' of float: it counts bits of integers */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = (word)popcount((float)n); /* here */
}
