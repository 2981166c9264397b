/* 'a__b' has two underscores */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int a__b = 0; /* here */
    THREADS (t)
        a[t] = 1;
}
