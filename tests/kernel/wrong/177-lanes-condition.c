/* u32_lanes in a condition */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t)
        if (lanes_load(a[t])) /* here */
            OPS(1);
}
