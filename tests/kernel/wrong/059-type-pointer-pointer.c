/* points to pointers */
KERNEL void wrong(GLOBAL word **a) /* here */
{
    THREADS (t)
        a[0][t] = 1;
}
