/* a word where an operand is expected; write operand_of(...) */
KERNEL void wrong(GLOBAL word *a)
{
    LOCAL operand x[block_size];
    THREADS (t)
        x[t] = a[t]; /* here */
    THREADS (t) {
        dots h;
        dots_clear(h);
        dots_more(h, x[t], x[0]);
        a[t] = dots_value(h);
    }
}
