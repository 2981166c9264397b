/* something is written in OPS */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        int x = 0;
        OPS(x++); /* here */
    }
}
