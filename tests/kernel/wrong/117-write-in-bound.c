/* something is written in a bound of a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int x = 0;
    THREADS (t, 0, x++) /* here */
        a[t] = 1;
}
