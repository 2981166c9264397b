/* ITEMS inside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        ITEMS (i, n) /* here */
            a[i] = 1;
    }
}
