/* an element of word in LANES (u32, ...), which takes other vectors; write LANES (word, ...) */
KERNEL void wrong(GLOBAL word *a, int n)
{
    LANES (u32, t)
        lanes_store(a[t], lanes_load(a[t])); /* here */
}
