/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting on the CPU beside what people use, in one run and in turns: a plain radix sort in ten lines, the C++
 * library's sort and vqsort where they were found when this was built.  Use: sort [LARGEST [FILE.csv]] */
#include "bench.h"
#include "mmm/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 11, PEERS = 3 };

#if defined(BENCH_CXX)
void bench_std_sort(void *keys, size_t n, int bits);
#else
#define bench_std_sort NULL
#endif
#if defined(BENCH_VQSORT)
void bench_vqsort(void *keys, size_t n, int bits);
#else
#define bench_vqsort NULL
#endif

/* Digits of 8 bits, the last one first, all counted at once; the result is in a and v again. */
#define PLAIN_SORT(name, key)                                      \
    static void name(key *a, key *b, key *v, key *w, size_t n)     \
    {                                                              \
        static unsigned counts[sizeof(key)][256];                  \
        memset(counts, 0, sizeof counts);                          \
        for (size_t i = 0; i < n; i++)                             \
            for (unsigned p = 0; p < sizeof(key); p++)             \
                counts[p][a[i] >> 8 * p & 255]++;                  \
        for (unsigned p = 0; p < sizeof(key); p++) {               \
            for (unsigned d = 0, sum = 0; d < 256; d++) {          \
                unsigned count = counts[p][d];                     \
                counts[p][d] = sum;                                \
                sum += count;                                      \
            }                                                      \
            for (size_t i = 0; i < n; i++) {                       \
                unsigned place = counts[p][a[i] >> 8 * p & 255]++; \
                b[place] = a[i];                                   \
                if (v) w[place] = v[i];                            \
            }                                                      \
            key *other = a, *other_values = v;                     \
            a = b, b = other, v = w, w = other_values;             \
        }                                                          \
    }
PLAIN_SORT(plain_sort_32, uint32_t)
PLAIN_SORT(plain_sort_64, uint64_t)

/* As mmm_sort_u32 and mmm_sort_u64 choose. */
static mmm_job *job_of(int64_t n, int bits, int pairs, int kind, int64_t cores)
{
    int64_t b = n >= (cores > 1 ? 300000 : pairs || bits == 64 ? 700000 : 1600000) ? 256 : 1;
    const char *const names[] = {"n", "bits", "values", "kind", "method", "s", "l", "e", "b"};
    const int64_t values[] = {n, bits, pairs, kind, 4, n < 100000 ? 11 : 12, 1, n / (8 * cores) + 1, b};
    mmm_job *job;
    must(mmm_job_new("sort", &job));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        must(mmm_job_set(job, names[i], values[i]));
    return job;
}

static void bench(mmm_machine *machine, int64_t cores, int64_t n, int bits, int pairs, int kind, FILE *csv)
{
    static const char *const kinds[] = {"random", "equal", "two values", "sorted", "all magnitudes", "geometric"};
    static const char *const names[PEERS] = {"plain", "std::sort", "vqsort"};
    void (*const others[PEERS])(void *, size_t, int) = {NULL, bench_std_sort, bench_vqsort};
    double ours[ROUNDS], theirs[PEERS][ROUNDS];
    char name[64];
    int rounds = n >= 10000000 ? 3 : ROUNDS;
    size_t bytes = (size_t)n * (size_t)bits / 8;
    void *from = malloc(bytes), *a = malloc(bytes), *b = calloc(bytes, 1);
    void *v = pairs ? calloc(bytes, 1) : NULL, *w = pairs ? calloc(bytes, 1) : NULL;
    if (!from || !a || !b || (pairs && (!v || !w))) exit(1);
    mmm_job *job = job_of(n, bits, pairs, kind, cores);
    must(mmm_job_run(job, machine, NULL));
    if (n <= 1000000) must(mmm_job_check(job));
    const uint64_t *given = mmm_job_given(job, 0, NULL);
    for (int64_t i = 0; i < n; i++)
        if (bits == 64)
            ((uint64_t *)from)[i] = given[i];
        else
            ((uint32_t *)from)[i] = (uint32_t)given[i];
    for (int r = 0; r < rounds; r++) {
        must(mmm_job_run(job, machine, &ours[r]));
        for (int k = 0; k < PEERS; k++) {
            if (k > 0 && (!others[k] || pairs)) continue;
            memcpy(a, from, bytes);
            double start = mmm_now();
            if (k > 0)
                others[k](a, (size_t)n, bits);
            else if (bits == 64)
                plain_sort_64(a, b, v, w, (size_t)n);
            else
                plain_sort_32(a, b, v, w, (size_t)n);
            theirs[k][r] = mmm_now() - start;
        }
    }
    snprintf(name, sizeof name, "sort%s %s %lld core%s", pairs ? " pairs" : "", kinds[kind], (long long)cores,
             cores == 1 ? "" : "s");
    printf("%s, %lld keys of %d bits\n", name, (long long)n, bits);
    print_run(csv, name, n, bits, 0, "mmm", ours, ours, rounds);
    for (int k = 0; k < PEERS; k++)
        if (k == 0 || (others[k] && !pairs)) print_run(csv, name, n, bits, 0, names[k], theirs[k], ours, rounds);
    fflush(stdout);
    mmm_job_free(job);
    free(from), free(a), free(b), free(v), free(w);
}

int main(int count, char **words)
{
    int64_t most = count > 1 ? atoll(words[1]) : 10000000;
    FILE *csv = count > 2 ? open_csv(words[2]) : NULL;
    mmm_machine *machine;
    printf(
        "sorting: medians of %d rounds (3 from 10^7 on) in turns, with least and most, and how many times mmm's they\n"
        "are; peers on 1 core\n",
        ROUNDS);
    for (int all = 0; all < 2; all++) {
        if (all)
            unsetenv("OMP_NUM_THREADS");
        else
            setenv("OMP_NUM_THREADS", "1", 1);
        must(mmm_machine_open("cpu", &machine));
        int64_t cores = all ? (int64_t)sysconf(_SC_NPROCESSORS_ONLN) : 1;
        if (all && cores == 1) break;
        for (int64_t n = all ? 1000000 : 1000; n <= most; n *= 10)
            for (int i = 0; i < 3; i++)
                bench(machine, cores, n, i == 2 ? 64 : 32, i == 1, 0, csv);
        for (int kind = 1; kind <= 5; kind++)
            bench(machine, cores, 1000000, 32, 0, kind, csv);
        mmm_machine_free(machine);
    }
    return csv && fclose(csv) != 0;
}
