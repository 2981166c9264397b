/* 'cell' is the name of a LOCAL already */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word cell;
    for (int cell = 0; cell < 3; cell++) /* here */
        THREADS (t)
            a[t] = 1;
}
