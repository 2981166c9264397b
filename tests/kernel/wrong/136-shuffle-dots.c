/* 'shuffle' of dots, which are several words */
KERNEL void wrong(GLOBAL word *a)
{
    PRIVATE dots h, x;
    THREADS (t) {
        dots_clear(x);
        dots_more(x, operand_of(a[t]), operand_of(a[t]));
    }
    h = shuffle(x, 0); /* here */
    THREADS (t)
        a[t] = dots_value(h);
}
