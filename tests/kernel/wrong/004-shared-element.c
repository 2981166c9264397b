/* 'sum' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    word sum[4] = {0};
    THREADS (t) {
        sum[0]++; /* here */
        OPS(1);
    }
}
