/* the PRIVATE 'h' is an array, used without an index */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h[4];
    THREADS (t)
        a[t] = *h; /* here */
}
