/* 'x' is declared outside this region and written in it */
void helper(word *x)
{
    THREADS (t)
        x[t] = 1; /* here */
}

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 0;
}
