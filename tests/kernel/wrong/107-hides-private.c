/* 'h' is the name of a PRIVATE already */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    THREADS (t) {
        word h = 1; /* here */
        a[t] = 1;
    }
}
