/* 'n' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        n = 3; /* here */
}
