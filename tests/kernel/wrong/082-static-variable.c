/* 'static' inside a function */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    static int x = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
