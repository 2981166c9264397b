/* the size of 'h' uses 'block_size' */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h[block_size]; /* here */
    THREADS (t)
        h[0] = 1;
}
