/* points to memory that is not GLOBAL */
KERNEL void wrong(word *a) /* here */
{
    THREADS (t)
        OPS(1);
}
