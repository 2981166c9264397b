/* 'mul' is a word of the dialect */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        word mul = 0; /* here */
        a[t] = 1;
    }
}
