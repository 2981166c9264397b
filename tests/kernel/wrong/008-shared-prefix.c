/* 'x' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int x = 0;
    THREADS (t)
        a[t + --x] = 1; /* here */
}
