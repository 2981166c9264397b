/* 'sqrt' of int: not every machine has it for integers */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    THREADS (t) {
        x[t] = sqrt(n - 1); /* here */
        OPS(1);
    }
}
