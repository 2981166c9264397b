/* 'b' is const and written */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        b[t] = 1; /* here */
}
