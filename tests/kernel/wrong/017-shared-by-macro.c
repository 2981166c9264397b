/* 'x' is declared outside this region and written in it */
#define COUNT(v) ((v)++)

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int x = 0;
    THREADS (t)
        COUNT(x); /* here */
}
