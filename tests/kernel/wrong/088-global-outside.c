/* an element of GLOBAL 'a' is written outside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    a[0] = 1; /* here */
    THREADS (t)
        a[t] = 1;
}
