/* 'n' is the name of a parameter already */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        int n = 3; /* here */
        a[t] = n;
    }
}
