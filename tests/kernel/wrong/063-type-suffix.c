/* has an ending that is not the same everywhere */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = 1UL; /* here */
}
