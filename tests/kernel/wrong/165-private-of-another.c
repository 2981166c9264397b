/* the PRIVATE 'x' is no array; a PRIVATE is reached as x or, where it is an array, x[k] */
KERNEL void f(GLOBAL word *a)
{
    PRIVATE word x;
    THREADS (t)
        x = a[t];
    THREADS (t)
        a[t] = x[t + 1]; /* here */
}
