/* 'p' could write what is const where it comes from */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    GLOBAL word *p = b; /* here */
    THREADS (t)
        p[t] = 1;
}
