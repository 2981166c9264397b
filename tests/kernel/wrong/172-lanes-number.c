/* int where u32_lanes is expected; lanes come from lanes_load and go to lanes_store */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t) {
        u32_lanes x = 0; /* here */
        lanes_store(a[t], x);
    }
}
