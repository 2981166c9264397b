/* the PRIVATE 'x' is used in LANES, which takes several threads at once; use LOCAL memory */
KERNEL void wrong(GLOBAL word *a, int n)
{
    PRIVATE word x;
    THREADS (t)
        x = a[t];
    ITEM_LANES (word, i, n) {
        word y = x; /* here */
        lanes_store(a[i], lanes_load(a[i]) + y);
        OPS(1);
    }
    THREADS (t)
        a[t] = x;
}
