/* LANES of i64; write LANES (u32, ...) or LANES (word, ...) */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    LANES (i64, t) /* here */
        OPS(1);
}
