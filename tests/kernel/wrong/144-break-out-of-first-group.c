/* 'break' leaves FIRST_GROUP, where the other threads have not come; write if */
KERNEL void wrong(GLOBAL word *a, GLOBAL const word *b, int n, CONSTANT int s)
{
    for (int k = 0; k < n; k++) {
        FIRST_GROUP {
            GROUPS (t)
                a[t] = b[t];
            break; /* here */
        }
        THREADS (t)
            a[t] = b[t];
    }
}
