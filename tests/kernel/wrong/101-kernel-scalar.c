/* the kernel's parameter 'x' is i8 */
KERNEL void wrong(GLOBAL word *a, i8 x) /* here */
{
    THREADS (t)
        a[t] = x;
}
