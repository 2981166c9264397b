/* the parameter 'x' is products */
KERNEL void wrong(GLOBAL word *a, products x) /* here */
{
    THREADS (t)
        a[t] = x;
}
