/* Sums of products, with operands that are used again. */
KERNEL void dots_of_all(GLOBAL const word *a, GLOBAL const word *b, GLOBAL word *c, int n, CONSTANT int s)
{
    LOCAL operand part[s][4];
    PRIVATE dots sum;
    ITEMS (i, s)
        EACH (k, 4)
            part[i][k] = operand_of(b[4 * i + k]);
    THREADS (t) {
        dots h[2];
        EACH (e, 2)
            dots_clear(h[e]);
        int i = 0;
        do {
            EACH (k, 4)
                EACH (e, 2)
                    dots_more(h[e], operand_of(a[t + i + k + e]), part[i % s][k]);
            EACH (e, 2)
                dots_carry(h[e]);
            i++;
        } while (i < n);
        sum = h[0];
        c[t] = dots_value(h[1]);
    }
    THREADS (t) {
        dots_more(sum, part[0][0], part[0][1]);
        dots_carry(sum);
    }
    THREADS (t) {
        dots few;
        dots_clear(few);
        EACH (k, 3)
            dots_more(few, operand_of(a[t + k]), operand_of(b[t + k]));
        c[t] = add(add(c[t], dots_value(sum)), dots_few(few));
    }
}
