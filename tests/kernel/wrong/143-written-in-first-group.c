/* 'k' is declared outside FIRST_GROUP and written in it */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    int k = 0;
    FIRST_GROUP {
        GROUPS (t)
            a[t] = b[t];
        k = n; /* here */
    }
    THREADS (t)
        a[t + k] = b[t];
}
