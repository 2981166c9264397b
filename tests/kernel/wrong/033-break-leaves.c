/* break leaves a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        if (t == 3) break; /* here */
        a[t] = 1;
    }
}
