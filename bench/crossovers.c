/* SPDX-License-Identifier: Apache-2.0 */
/* Where the algorithm for many terms overtakes that for few: both with their usual choices, in turns, in one run, the
 * smallest time of each; times are of the kernels.  Columns: operation, p, terms, both times in microseconds; after
 * each operation and p, the least size from which on the second is faster.  Use: crossovers [MACHINE [MOST]] */
#include "bench.h"
#include "mmm/study.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9 };

static const struct {
    const char *operation, *apps[2];
    int64_t least, most, half; /* sizes; whether b has half the terms of a */
} rows[] = {{"multiplication", {"multiplication-tile", "multiplication-ntt"}, 128, 32768, 0},
            {"division", {"division-inverse", "division-newton"}, 512, 65536, 1},
            {"gcd", {"gcd-jump", "gcd-half"}, 512, 262144, 0}};

static mmm_job *job_of(mmm_machine *machine, const char *app, int64_t n, int64_t m, uint64_t p)
{
    mmm_job *job;
    must(mmm_job_new(app, &job));
    must(mmm_job_set(job, "n", n));
    must(mmm_job_set(job, "m", m));
    must(mmm_job_set(job, "p", (int64_t)p));
    must(mmm_job_usual(job, machine));
    return job;
}

int main(int count, char **words)
{
    static const uint64_t primes[] = {2013265921, 2147483647, 1152921504606846883u};
    const int64_t most = count > 2 ? atoll(words[2]) : 16384;
    mmm_machine *machine;
    must(mmm_machine_open(count > 1 ? words[1] : "cpu", &machine));
    for (int i = 0; i < 9; i++) {
        const int64_t end = rows[i / 3].most < most ? rows[i / 3].most : most;
        int64_t from = 0; /* the second has been faster since */
        for (int64_t n = rows[i / 3].least; n <= end; n = n * 5 / 4) {
            const int64_t m = rows[i / 3].half ? n / 2 : n;
            double times[2] = {1e9, 1e9}, seconds;
            mmm_job *jobs[2];
            for (int j = 0; j < 2; j++)
                jobs[j] = job_of(machine, rows[i / 3].apps[j], n, m, primes[i % 3]);
            for (int round = 0; round < 2 * ROUNDS; round++) {
                must(mmm_job_run(jobs[round % 2], machine, &seconds));
                if (seconds < times[round % 2]) times[round % 2] = seconds;
            }
            printf("%s,%llu,%lld,%.1f,%.1f\n", rows[i / 3].operation, (unsigned long long)primes[i % 3], (long long)m,
                   times[0] * 1e6, times[1] * 1e6);
            if (times[1] >= times[0]) from = 0;
            if (times[1] < times[0] && !from) from = m;
            for (int j = 0; j < 2; j++)
                mmm_job_free(jobs[j]);
        }
        printf("# %s modulo %llu: %s from %lld terms on\n", rows[i / 3].operation, (unsigned long long)primes[i % 3],
               rows[i / 3].apps[1], (long long)from);
    }
    mmm_machine_free(machine);
    return 0;
}
