/* a multiplier in this operation: it comes from multiplier_of, and goes to mul_by and cross_by */
KERNEL void wrong(GLOBAL word *a)
{
    multiplier f = multiplier_of(a[0]);
    THREADS (t)
        a[t] = add(a[t], ONE) + f; /* here */
}
