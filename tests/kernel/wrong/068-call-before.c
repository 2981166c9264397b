/* 'later' is called before it is written */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = later(t); /* here */
}

word later(int t)
{
    return t;
}
