/* 't' is the name of a thread already */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        EACH (t, 4) /* here */
            a[t] = 1;
}
