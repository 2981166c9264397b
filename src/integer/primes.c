/* SPDX-License-Identifier: Apache-2.0 */
/* The primes that integers are taken modulo. */
#include "integer/integer.h"

#include <flint/ulong_extras.h>
#include <math.h>
#include <stdlib.h>

mmm_status mmm_primes_reach(mmm_primes *primes, int64_t count)
{
    mmm_status result = MMM_OK;
    const uint64_t step = (uint64_t)1 << primes->order;
    if (count > PRIMES_MOST)
        FAIL(MMM_TOO_LARGE,
             "%lld primes are needed: up to %d are possible, for coefficients of %d bits in the result and on the way",
             (long long)count, PRIMES_MOST, 30 * PRIMES_MOST);
    TRY(mmm_grow(&primes->p, &primes->room, count, sizeof *primes->p));
    uint64_t p = primes->count ? primes->p[primes->count - 1] : ((uint64_t)1 << 31) + 1;
    while (primes->count < count) {
        p -= step;
        if (p < (uint64_t)1 << 30)
            FAIL(MMM_TOO_LARGE, "there are %lld primes of 31 bits with roots of unity of order 2^%d, %lld are needed",
                 (long long)primes->count, primes->order, (long long)count);
        if (n_is_prime(p)) primes->p[primes->count++] = p;
    }
done:
    return result;
}

void mmm_primes_free(mmm_primes *primes)
{
    free(primes->p);
    *primes = (mmm_primes){0};
}

int64_t mmm_primes_needed(int64_t bits)
{
    return (bits + 2) / 30 + 1;
}

int mmm_primes_order(int64_t length, int64_t primes)
{
    int order = 11;
    while (order < 30 && (int64_t)1 << order < length)
        order++;
    return order < 25 && primes < (int64_t)1 << (25 - order) ? order : 1; /* one in 11 of those there are is prime */
}

double mmm_primes_bits(const uint64_t *p, int64_t count)
{
    double bits = 0;
    for (int64_t i = 0; i < count; i++)
        bits += log2((double)p[i]) - 1e-9;
    return bits;
}
