/* the PRIVATE 'h' is used in ITEMS */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    ITEMS (i, n)
        h = 1; /* here */
}
