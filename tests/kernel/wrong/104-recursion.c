/* 'down' calls itself */
int down(int n)
{
    return n > 0 ? down(n - 1) : 0; /* here */
}

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = down(t);
}
