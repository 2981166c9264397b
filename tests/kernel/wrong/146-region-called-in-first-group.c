/* 'clear' has regions and is called in FIRST_GROUP; write them there */
void clear(GLOBAL word *x)
{
    THREADS (t)
        x[t] = 0;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    FIRST_GROUP
        clear(a); /* here */
    THREADS (t)
        a[t] = b[t];
}
