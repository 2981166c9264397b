/* the parameter 'a' is operand */
KERNEL void wrong(GLOBAL operand *a) /* here */
{
    THREADS (t)
        a[t] = 0;
}
