/* the pointer 'p' does not say where it points to */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        word x[4] = {0};
        word *p; /* here */
        a[t] = x[0];
    }
}
