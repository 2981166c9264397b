/* a LOCAL multiplier: its size differs between machines; declare it where it is used */
KERNEL void wrong(GLOBAL word *a)
{
    LOCAL multiplier f[4]; /* here */
    THREADS (t)
        a[t] = 0;
}
