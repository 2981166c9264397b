/* 'lanes_load' needs an element of a GLOBAL or LOCAL array of u32 or word here */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (u32, t)
        lanes_store(a[t], lanes_load(n)); /* here */
}
