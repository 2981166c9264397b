/* 'scan_add' is written 'h = scan_add(x);' with PRIVATE h and x */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    PRIVATE word h;
    word x = 1;
    h = scan_add(x); /* here */
    THREADS (t)
        a[t] = h;
}
