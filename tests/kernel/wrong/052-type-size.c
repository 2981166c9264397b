/* 'size_t' is no type of the dialect */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        a[t] = (size_t)1; /* here */
    }
}
