/* the kernel 'wrong' returns int */
KERNEL int wrong(GLOBAL word *a) /* here */
{
    THREADS (t)
        a[t] = 1;
    return 0;
}
