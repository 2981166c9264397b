/* 'long' is no type of the dialect: its size is not the same everywhere; write i64 */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    long x = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
