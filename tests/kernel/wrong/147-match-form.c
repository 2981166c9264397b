/* 'match' is written 'h = match(x, low, bits);' with PRIVATE h and x, or h[k] and x[k] */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE u32 h[2], x[2];
    THREADS (t)
        x[0] = x[1] = 1;
    h = match(x, 0, 8); /* here */
    THREADS (t)
        a[t] = h[0];
}
