/* u32_lanes in this operation: lanes are added, subtracted, given to times, fold, mul_by and its kind, loaded and stored */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t) {
        OPS(1);
        lanes_store(a[t], lanes_load(a[t]) * 3); /* here */
    }
}
