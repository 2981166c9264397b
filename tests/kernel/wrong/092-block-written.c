/* 'block' is given and cannot be written */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    block = 3; /* here */
    THREADS (t)
        a[t] = 1;
}
