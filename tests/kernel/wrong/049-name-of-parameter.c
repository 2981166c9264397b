/* 'blocks' is a word of the dialect */
KERNEL void wrong(GLOBAL word *a, int blocks) /* here */
{
    THREADS (t)
        a[t] = 1;
}
