/* SPDX-License-Identifier: Apache-2.0 */
/* The primes that integers are taken modulo. */
#include "integer/integer.h"

#include <flint/ulong_extras.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 30 };

/* Those of each order that were asked for in this process, which stay: to find one takes 2 µs. */
static struct {
    pthread_mutex_t lock;
    mmm_primes of[ORDER_MOST + 1];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static mmm_status find(mmm_primes *all, int order, int64_t count)
{
    mmm_status result = MMM_OK;
    const uint64_t step = (uint64_t)1 << order;
    TRY(mmm_grow(&all->p, &all->room, count, sizeof *all->p));
    uint64_t p = all->count ? all->p[all->count - 1] : ((uint64_t)1 << 31) + 1;
    while (all->count < count) {
        p -= step;
        if (p < (uint64_t)1 << 30)
            FAIL(MMM_TOO_LARGE, "there are %lld primes of 31 bits with roots of unity of order 2^%d, %lld are needed",
                 (long long)all->count, order, (long long)count);
        if (n_is_prime(p)) all->p[all->count++] = p;
    }
done:
    return result;
}

mmm_status mmm_primes_reach(mmm_primes *primes, int64_t count)
{
    mmm_status result = MMM_OK;
    if (count <= primes->count) return MMM_OK;
    if (count > PRIMES_MOST)
        FAIL(MMM_TOO_LARGE,
             "%lld primes are needed: up to %d are possible, for coefficients of %d bits in the result and on the way",
             (long long)count, PRIMES_MOST, 30 * PRIMES_MOST);
    TRY(mmm_grow(&primes->p, &primes->room, count, sizeof *primes->p));
    mmm_primes *all = &known.of[primes->order];
    pthread_mutex_lock(&known.lock);
    result = find(all, primes->order, count);
    if (result == MMM_OK) memcpy(primes->p, all->p, (size_t)count * sizeof *primes->p);
    pthread_mutex_unlock(&known.lock);
    if (result == MMM_OK) primes->count = count;
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
    const bool enough = order < 25 && primes <= ((int64_t)1 << (30 - order)) / 14; /* one in 10 to 14 is prime */
    return enough ? order : 1;
}

double mmm_primes_bits(const uint64_t *p, int64_t count)
{
    double bits = 0;
    for (int64_t i = 0; i < count; i++)
        bits += log2((double)p[i]) - 1e-9;
    return bits;
}
