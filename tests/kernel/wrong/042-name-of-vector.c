/* 'float4' is a word of C++, CUDA, OpenCL C */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int float4 = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
