/* 'half' is a word of C++, CUDA, OpenCL C */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (half) /* here */
        a[0] = 1;
}
