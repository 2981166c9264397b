/* u32_lanes in a call: lanes are added, subtracted, given to times, fold, mul_by and its kind, loaded and stored */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    multiplier f = multiplier_of(ONE);
    ITEM_LANES (u32, i, n)
        lanes_store(a[i], mul_by(f, lanes_load(a[i]))); /* here */
}
