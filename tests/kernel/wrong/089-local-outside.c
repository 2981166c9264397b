/* an element of LOCAL 'count' is written outside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL int count;
    count = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
