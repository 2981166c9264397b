/* the kernel 'first' is called */
KERNEL void first(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
    first(a); /* here */
}
