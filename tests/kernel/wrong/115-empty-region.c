/* REGION without parts */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    REGION { /* here */
        int x = 0;
    }
    THREADS (t)
        a[t] = 1;
}
