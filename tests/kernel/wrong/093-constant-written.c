/* 's' is a CONSTANT and cannot be written */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    s++; /* here */
    THREADS (t)
        a[t] = 1;
}
