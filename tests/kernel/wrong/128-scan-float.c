/* 'h' is float, and scan_add is for integers */
KERNEL void wrong(GLOBAL float *x, GLOBAL const double *y, int n)
{
    PRIVATE float h;
    THREADS (t)
        h = x[t];
    h = scan_add(h); /* here */
    THREADS (t)
        x[t] = h;
}
