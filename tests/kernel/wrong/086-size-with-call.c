/* the size of the LOCAL 'cell' uses 'min' */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word cell[min(s, 4)]; /* here */
    THREADS (t)
        cell[0] = 1;
}
