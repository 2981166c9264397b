/* a pointer to a function */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int (*f)(int); /* here */
    THREADS (t)
        a[t] = 1;
}
