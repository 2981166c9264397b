/* 'x' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int x = 0, y = 0;
    THREADS (t) {
        int z;
        z = 1, x = 2; /* here */
        a[t] = 1;
    }
}
