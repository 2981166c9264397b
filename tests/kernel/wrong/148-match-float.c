/* 'x' is no integer, as a match needs */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE u32 h;
    PRIVATE float x[2];
    THREADS (t)
        x[0] = x[1] = 1;
    h = match(x[1], 0, 8); /* here */
    THREADS (t)
        a[t] = h;
}
