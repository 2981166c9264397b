/* 'struct' is not part of the dialect */
struct pair { int x, y; }; /* here */

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
