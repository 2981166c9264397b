/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of operations on polynomials that stay in a machine's memory, and what it moved.
 *
 * Build:  cc chain.c $(pkg-config --cflags --libs mmm) -o chain
 * Use:    chain [MACHINE [TERMS]], by default "cpu" and 2000 */
#include <mmm.h>

#include <stdio.h>
#include <stdlib.h>

static void check(mmm_status status)
{
    if (status == MMM_OK) return;
    fprintf(stderr, "chain: %s: %s\n", mmm_status_name(status), mmm_message());
    exit(1);
}

static uint64_t next(uint64_t *state) /* a linear congruential generator */
{
    return (*state = *state * 6364136223846793005u + 1442695040888963407u) >> 33;
}

static mmm_array *draw(mmm_machine *machine, uint64_t p, int64_t terms, uint64_t seed)
{
    uint64_t *a = malloc((size_t)terms * sizeof *a);
    mmm_array *array;
    if (!a) exit(1);
    for (int64_t i = 0; i < terms; i++)
        a[i] = next(&seed) % p;
    a[terms - 1] = 1;
    check(mmm_array_new(machine, p, a, terms, &array));
    free(a);
    return array;
}

int main(int count, char **words)
{
    const uint64_t p = 2013265921;
    int64_t terms = count > 2 ? atoll(words[2]) : 2000, in, out;
    mmm_machine *machine;
    if (terms < 2) {
        fprintf(stderr, "chain: 2 terms or more are possible\n");
        return 1;
    }
    check(mmm_machine_open(count > 1 ? words[1] : "cpu", &machine));

    /* g = gcd(a c, b c) is c where a and b have no common factor; (a c) / g is then a. */
    mmm_array *a = draw(machine, p, terms, 1), *b = draw(machine, p, terms, 2), *c = draw(machine, p, terms / 2, 3);
    mmm_array *ac, *bc, *g, *q, *r;
    mmm_machine_transferred(machine, &in, &out);
    printf("%lld bytes in, %lld out: three polynomials went in\n", (long long)in, (long long)out);
    check(mmm_array_multiply(a, c, &ac));
    check(mmm_array_multiply(b, c, &bc));
    check(mmm_array_gcd(ac, bc, &g));
    check(mmm_array_divide(ac, g, &q, &r));
    mmm_machine_transferred(machine, &in, &out);
    printf("%lld bytes in, %lld out: two products, a gcd and a division later\n", (long long)in, (long long)out);

    uint64_t *result = malloc((size_t)mmm_array_terms(q) * sizeof *result);
    if (!result) return 1;
    check(mmm_array_read(q, result));
    mmm_machine_transferred(machine, &in, &out);
    printf("%lld bytes in, %lld out: one polynomial came out\n", (long long)in, (long long)out);
    printf("the gcd has %lld terms, the quotient %lld, the remainder %lld\n", (long long)mmm_array_terms(g),
           (long long)mmm_array_terms(q), (long long)mmm_array_terms(r));
    int right = mmm_array_terms(q) == terms && result[terms - 1] == 1 && mmm_array_terms(r) == 0;

    free(result);
    mmm_array *const all[] = {a, b, c, ac, bc, g, q, r};
    for (int i = 0; i < 8; i++)
        mmm_array_free(all[i]);
    mmm_machine_free(machine);
    return !right;
}
