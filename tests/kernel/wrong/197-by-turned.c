/* 'mul_by' multiplies words by multipliers, the multiplier first */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = multiplier_of(a[0]);
    THREADS (t)
        a[t] = mul_by(f, f); /* here */
}
