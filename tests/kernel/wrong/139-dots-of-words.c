/* 'dots_more' multiplies operands; write operand_of(...) */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t) {
        dots h;
        dots_clear(h);
        dots_more(h, operand_of(a[t]), a[t]); /* here */
        a[t] = dots_value(h);
    }
}
