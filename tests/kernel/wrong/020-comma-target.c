/* neither a variable nor an element */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        int x = 0;
        (0, x) = 1; /* here */
    }
}
