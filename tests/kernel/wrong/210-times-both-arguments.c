/* 'times_both' takes 6 arguments, not 5 */
KERNEL void wrong(GLOBAL u32 *a, GLOBAL const u32 *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = times_both(a[t], b[t], a[t], b[t], 101u); /* here */
}
