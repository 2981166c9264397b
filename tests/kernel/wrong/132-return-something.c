/* a value is returned by 'nothing', which is void; write return; */
void nothing(int x)
{
    return x; /* here */
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    THREADS (t) {
        nothing(t);
        a[t] = b[t];
    }
}
