/* FIRST_GROUP inside a region, where threads differ */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        FIRST_GROUP /* here */
            a[t] = b[t];
    }
}
