/* 'times' charges operations in spread, which may be looked at more than once or never; compute it before */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    LOCAL word tile[64 + 2];
    THREADS (t, 0, 64)
        tile[spread(t + (int)times(a[t], b[t], b[t], b[t]))] = 1; /* here */
}
