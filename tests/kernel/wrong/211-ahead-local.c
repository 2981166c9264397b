/* 'lanes_ahead' needs an element of a GLOBAL array here, as in a[i + t] */
KERNEL void wrong(GLOBAL u32 *a)
{
    LOCAL u32 x[block_size];
    LANES (u32, t) {
        lanes_ahead(x[t]); /* here */
        lanes_store(a[t], lanes_load(a[t]));
    }
}
