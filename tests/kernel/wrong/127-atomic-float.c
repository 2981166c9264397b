/* 'atomic_add' on float: not every machine can */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    THREADS (t)
        atomic_add(&x[0], 1.0f); /* here */
}
