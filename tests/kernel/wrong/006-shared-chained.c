/* 'sum' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    word sum = 0;
    THREADS (t)
        a[t] = sum = 2; /* here */
}
