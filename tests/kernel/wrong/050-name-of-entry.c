/* 'entry_wrong' begins like the generated entries */
int entry_wrong(int x) /* here */
{
    return x;
}

KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
