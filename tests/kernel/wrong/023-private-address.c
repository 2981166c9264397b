/* & of the PRIVATE 'h' */
void set(word *x)
{
    x[0] = 1;
}

KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    THREADS (t)
        set(&h); /* here */
}
