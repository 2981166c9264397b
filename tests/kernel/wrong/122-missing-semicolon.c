/* ';' is missing after a statement */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = 1
    THREADS (t) /* here */
        a[t] = 2;
}
