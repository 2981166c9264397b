/* 'x' is u32_lanes, which only variables in a region LANES are */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    THREADS (t) {
        u32_lanes x; /* here */
        a[t] = 1;
    }
}
