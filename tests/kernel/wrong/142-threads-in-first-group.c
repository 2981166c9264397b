/* THREADS inside FIRST_GROUP ends with a barrier of all threads; write GROUPS (t) */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    FIRST_GROUP {
        THREADS (t) /* here */
            a[t] = b[t];
    }
}
