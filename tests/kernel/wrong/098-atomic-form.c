/* needs & and an element of a GLOBAL or LOCAL array first */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t)
        atomic_add(a, 1); /* here */
}
