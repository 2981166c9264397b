/* LOCAL declared inside a function */
void helper(GLOBAL word *a)
{
    LOCAL word cell[4]; /* here */
    THREADS (t)
        a[t] = cell[0];
}

KERNEL void wrong(GLOBAL word *a)
{
    helper(a);
}
