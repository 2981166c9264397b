/* the parameter 'f' is multiplier: only variables are; pass the value as a word */
word wrong(multiplier f, word x) /* here */
{
    return mul_by(f, x);
}
KERNEL void other(GLOBAL word *a)
{
    THREADS (t)
        a[t] = a[0];
}
