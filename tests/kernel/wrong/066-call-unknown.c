/* 'frobnicate' is no function that kernels know */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = frobnicate(t); /* here */
}
