/* a multiplier where word is expected; keep the word */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = multiplier_of(a[0]);
    THREADS (t)
        a[t] = f; /* here */
}
