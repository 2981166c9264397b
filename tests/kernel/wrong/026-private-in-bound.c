/* the PRIVATE 'h' is used outside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE int h;
    THREADS (t, 0, h) /* here */
        a[t] = 1;
}
