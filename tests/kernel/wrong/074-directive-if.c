/* #if is not part of the dialect */
#if 1 /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
