/* ITEM_LANES of i64; write ITEM_LANES (u32, ...) or ITEM_LANES (word, ...) */
KERNEL void wrong(GLOBAL u32 *a, int n)
{
    ITEM_LANES (i64, i, n) /* here */
        OPS(1);
}
