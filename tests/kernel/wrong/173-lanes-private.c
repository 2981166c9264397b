/* the PRIVATE 'x' is used in LANES, which takes several threads at once */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    PRIVATE u32 x;
    LANES (u32, t) {
        OPS(1);
        lanes_store(a[t], lanes_load(a[t]) + x); /* here */
    }
}
