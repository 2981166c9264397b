/* 'clamp' is a function of C, CUDA or OpenCL C */
int clamp(int x) /* here */
{
    return x;
}

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
