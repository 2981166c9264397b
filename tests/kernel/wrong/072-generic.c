/* '_Generic' stands where a value is expected */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = _Generic(t, int: 1); /* here */
}
