/* 'h' is declared outside this region and written in it */
KERNEL void wrong(GLOBAL word *a)
{
    dots h;
    dots_clear(h);
    THREADS (t) {
        dots_more(h, operand_of(a[t]), operand_of(a[t])); /* here */
        a[t] = dots_value(h);
    }
}
