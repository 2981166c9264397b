/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are the same on every machine. */
#include "base/base.h"

uint64_t mmm_random_next(mmm_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t mmm_random_below(mmm_random *random, uint64_t bound)
{
    uint64_t reject = -bound % bound; /* 2^64 mod bound: values below it would be drawn once too often */
    uint64_t value;
    do
        value = mmm_random_next(random);
    while (value < reject);
    return value % bound;
}
