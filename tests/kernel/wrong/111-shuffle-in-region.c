/* 'shuffle' inside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h, x;
    THREADS (t)
        x = h = 1;
    THREADS (t)
        h = shuffle(x, 0); /* here */
}
