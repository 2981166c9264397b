/* 'put' writes GLOBAL or LOCAL elements and is called outside a region */
void put(GLOBAL word *x)
{
    x[0] = 1;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    put(a); /* here */
    THREADS (t)
        a[t] = 1;
}
