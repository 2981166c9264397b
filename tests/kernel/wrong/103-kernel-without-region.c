/* the kernel 'wrong' has no region */
KERNEL void wrong(GLOBAL word *a, int n) /* here */
{
    int x = n;
}
