/* 'M_PI_F' is a word of C++, CUDA, OpenCL C or their headers */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int M_PI_F = 3; /* here */
    THREADS (t)
        a[t] = b[t + M_PI_F];
}
