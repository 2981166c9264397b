/* 'THREADS' is a word of C or of the dialect and cannot be a macro */
#define THREADS(t) for (int t = 0; t < 8; t++) /* here */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        a[t] = 1;
}
