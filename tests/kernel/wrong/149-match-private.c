/* PRIVATE */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE u32 h, x;
    PRIVATE int k;
    THREADS (t) {
        x = 1;
        k = t;
    }
    h = match(x, k, 8); /* here */
    THREADS (t)
        a[t] = h;
}
