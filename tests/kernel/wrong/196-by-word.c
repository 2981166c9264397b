/* 'cross_by' multiplies by a multiplier; write multiplier_of(...) */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = multiplier_of(a[0]);
    THREADS (t)
        a[t] = cross_by(f, a[t], a[1], a[t]); /* here */
}
