/* 'pow' is given float and double: machines would not choose the same function */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    THREADS (t) {
        x[t] = pow(x[t] + 1, 2.0); /* here */
        OPS(1);
    }
}
