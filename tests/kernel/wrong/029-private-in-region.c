/* PRIVATE declared inside a region */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        PRIVATE word h; /* here */
        h = 1;
    }
}
