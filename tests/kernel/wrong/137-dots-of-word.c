/* 'dots_carry' needs a variable of type dots first */
KERNEL void wrong(GLOBAL word *a)
{
    THREADS (t)
        dots_carry(a[t]); /* here */
}
