/* Read twice by macros.c. */
type larger(type x, type y)
{
    OPS(1);
    return x > y ? x : y;
}
