/* a string: kernels have numbers only */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = "x"[0]; /* here */
}
