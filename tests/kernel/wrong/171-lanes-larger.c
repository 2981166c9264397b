/* u32_lanes with u64, which is larger or no integer; make it u32 */
KERNEL void wrong(GLOBAL u32 *a, u64 n)
{
    LANES (u32, t) {
        OPS(1);
        lanes_store(a[t], lanes_load(a[t]) + n); /* here */
    }
}
