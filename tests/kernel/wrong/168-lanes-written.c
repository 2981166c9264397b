/* an element of GLOBAL 'a' is written in LANES, which takes several threads at once */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, x, y)
        a[y] = a[0]; /* here */
}
