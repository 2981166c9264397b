/* 'i' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int i;
    THREADS (t)
        for (i = 0; i < 3; i = i + 1 > 3 ? 3 : 3) /* here */
            a[t] = 0;
}
