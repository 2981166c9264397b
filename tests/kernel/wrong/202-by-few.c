/* 'cross_by' takes 4 arguments, not 2 */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = multiplier_of(a[0]);
    THREADS (t)
        a[t] = cross_by(f, a[t]); /* here */
}
