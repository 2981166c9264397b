/* 'end_' has two underscores together or one at its end */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int end_ = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
