/* the PRIVATE 'h' is no array */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    THREADS (t)
        h[0] = 1; /* here */
}
