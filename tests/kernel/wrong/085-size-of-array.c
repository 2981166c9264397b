/* the size of 'x' uses 'n' */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        word x[n]; /* here */
        x[0] = 1;
        a[t] = x[0];
    }
}
