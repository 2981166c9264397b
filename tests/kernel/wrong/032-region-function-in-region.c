/* 'helper' has regions and is called inside one */
void helper(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        helper(a); /* here */
}
