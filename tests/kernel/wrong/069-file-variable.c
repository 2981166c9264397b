/* 'counter' is a variable outside functions */
int counter = 0; /* here */

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
