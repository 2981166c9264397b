/* uses # or ## */
#define NAME(x) x##1 /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
