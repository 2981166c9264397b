/* the size of the LOCAL 'cell' uses 'n' */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word cell[2 * n]; /* here */
    THREADS (t)
        cell[t] = 1;
}
