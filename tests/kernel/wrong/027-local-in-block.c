/* LOCAL declared inside a block */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    if (n > 0) {
        LOCAL word cell[4]; /* here */
        THREADS (t)
            cell[0] = 1;
    }
    THREADS (t)
        a[t] = 0;
}
