/* 'h' may be read here before it has a value; give it one where it is declared */
KERNEL void f(GLOBAL word *a)
{
    THREADS (t) {
        dots h;
        dots_more(h, operand_of(a[t]), operand_of(a[t])); /* here */
        a[t] = dots_value(h);
    }
}
