/* #pragma is not part of the dialect */
#pragma unroll /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
