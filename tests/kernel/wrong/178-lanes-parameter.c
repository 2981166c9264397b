/* the parameter 'x' is u32_lanes: only variables are */
u32 wrong(u32_lanes x) /* here */
{
    return 1;
}
KERNEL void other(GLOBAL u32 *a, int n)
{
    THREADS (t)
        a[t] = 1;
}
