/* 'memset' is no function that kernels know: write ITEMS (i, count) to[i] = 0; */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t, 0, 1)
        memset(a, 0, 64); /* here */
}
