/* 't' is used outside lanes_load and its kind */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t) {
        u32 x = a[t]; /* here */
        OPS(1);
        lanes_store(a[t], lanes_load(a[t]) + x);
    }
}
