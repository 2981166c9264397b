/* an operand where a word is expected; keep the word */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t) {
        operand x = operand_of(a[t]);
        word y = x; /* here */
        a[t] = mul(y, y);
    }
}
