/* '__syncthreads' is no function that kernels know: every region ends with a barrier */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        a[t] = 1;
        __syncthreads(); /* here */
    }
}
