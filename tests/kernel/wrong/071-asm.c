/* 'asm' is not part of the dialect */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = 1;
    asm(1); /* here */
}
