/* 'lower' returns no value here; write return and a value */
int lower(int x)
{
    if (x > 7) return x / 2;
    return; /* here */
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = b[lower(t)];
}
