/* 'typedef' is not part of the dialect */
typedef int number; /* here */

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
