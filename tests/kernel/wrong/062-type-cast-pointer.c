/* a pointer cannot be converted */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        a[t] = *(GLOBAL word *)b; /* here */
}
