/* 'convert_int4' is a function of C, CUDA or OpenCL C */
int convert_int4(int x) /* here */
{
    return x + 1;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = b[convert_int4(t)];
}
