/* 'bool' is no type of the dialect */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    bool done = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
