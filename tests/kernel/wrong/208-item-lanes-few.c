/* ITEM_LANES with 1 arguments; write ITEM_LANES (word, i, count) */
KERNEL void wrong(GLOBAL word *a, int n)
{
    ITEM_LANES (word, i) { /* here */
        lanes_store(a[i], lanes_load(a[i]) + 1);
        OPS(1);
    }
}
