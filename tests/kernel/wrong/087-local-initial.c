/* cannot begin with a value */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word cell = 0; /* here */
    THREADS (t)
        a[t] = cell;
}
