/* 'part' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    word part[4] = {0};
    THREADS (t)
        *(part + 1) = 2; /* here */
}
