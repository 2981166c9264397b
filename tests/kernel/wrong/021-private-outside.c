/* the PRIVATE 'h' is used outside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    THREADS (t)
        h = 1;
    if (h) return; /* here */
}
