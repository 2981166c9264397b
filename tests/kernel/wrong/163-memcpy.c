/* 'memcpy' is no function that kernels know: write ITEMS (i, count) to[i] = from[i]; */
KERNEL void f(GLOBAL word *a, GLOBAL const word *b)
{
    THREADS (t, 0, 1)
        memcpy(a, b, 64); /* here */
}
