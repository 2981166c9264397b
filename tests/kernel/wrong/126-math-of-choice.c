/* 'fma' is given float and an integer */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    THREADS (t) {
        x[t] = fma(t > 0 ? x[t] : 1, x[t], min(n, 3)); /* here */
        OPS(1);
    }
}
