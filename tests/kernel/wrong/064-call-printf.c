/* 'printf' is no function that kernels know */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        printf(t); /* here */
}
