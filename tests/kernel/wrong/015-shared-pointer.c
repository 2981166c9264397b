/* 'p' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    GLOBAL word *p = a;
    THREADS (t)
        *p++ = 1; /* here */
}
