/* GROUPS inside REGION */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    REGION {
        GROUPS (t) /* here */
            a[t] = 1;
    }
}
