/* 't' is the name of a thread or an item and cannot be written */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        t += 1; /* here */
        a[t] = 1;
    }
}
