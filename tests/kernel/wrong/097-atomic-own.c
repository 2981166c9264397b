/* on what is neither GLOBAL nor LOCAL */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        int x = 0;
        atomic_add(&x, 1); /* here */
    }
}
