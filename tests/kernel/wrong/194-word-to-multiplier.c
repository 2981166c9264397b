/* word where a multiplier is expected; write multiplier_of(...) */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = a[0]; /* here */
    THREADS (t)
        a[t] = mul_by(f, a[t]);
}
