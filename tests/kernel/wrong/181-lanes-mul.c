/* word_lanes in a call: lanes are added, subtracted, given to times, fold, mul_by and its kind, loaded and stored */
KERNEL void wrong(GLOBAL word *a, int n)
{
    LANES (word, t)
        lanes_store(a[t], mul(lanes_load(a[t]), a[0])); /* here */
}
