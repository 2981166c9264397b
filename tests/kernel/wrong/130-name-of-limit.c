/* 'INT8_MAX' is a word of C++, CUDA, OpenCL C or their headers */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int INT8_MAX = 3; /* here */
    THREADS (t)
        a[t] = b[t + INT8_MAX];
}
