/* 'pow' is given float and an integer: machines would not choose the same function */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    THREADS (t) {
        x[t] = pow(x[t], n); /* here */
        OPS(1);
    }
}
