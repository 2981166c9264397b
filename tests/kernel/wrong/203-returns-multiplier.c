/* 'wrong' returns multiplier; return the word */
multiplier wrong(word x) /* here */
{
    return multiplier_of(x);
}
KERNEL void other(GLOBAL word *a)
{
    THREADS (t)
        a[t] = a[0];
}
