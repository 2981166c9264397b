/* SPDX-License-Identifier: Apache-2.0 */
/* Applications on machines with inputs that are hard: small and large primes, sparse and equal polynomials, common
 * factors, degrees that drop, choices at random; every result is FLINT's or a plain sort's, and on the abstract machine
 * there is no violation.
 * Use: differential SECONDS [SEED [RUNS]]: the seed and the number of the run make it again. */
#include <mmm/app.h>

#include "base/base.h"
#include "machine/machine.h"

#include <flint/nmod_poly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t primes[] = {
    2,          3,           5,           7,          101,        2013265921,           2147483629,
    2147483647, 2147483659u, 4294967291u, 4294967311, 1000000007, 4611686018427387847u, 9223372036854775783u};

static const char *const polynomial_apps[] = {
    "division-naive", "division", "division-inverse", "multiplication", "multiplication-tile", "multiplication-ntt",
    "gcd-naive",      "gcd",      "gcd-jump",         "gcd-half",       "division-newton"};
static const char *const sorting_apps[] = {"radix-sort", "sort"};
enum { POLYNOMIAL = 11, SORTING = 2, MOST = 90 };

static mmm_random dice;

static int64_t below(int64_t n)
{
    return (int64_t)mmm_random_below(&dice, (uint64_t)n);
}

/* ---- Inputs -------------------------------------------------------------------------------------------------------
 */

static const char *const kinds[] = {"random",   "sparse", "largest",       "few values", "a power and one",
                                    "constant", "zero",   "leading zeros", "geometric"};

static void draw(nmod_poly_t f, uint64_t p, int kind, int64_t terms)
{
    nmod_poly_zero(f);
    for (int64_t i = 0; i < terms; i++) {
        uint64_t x = mmm_random_below(&dice, p);
        switch (kind) {
        case 1: x = below(8) && i < terms - 1 ? 0 : x; break;
        case 2: x = p - 1; break;
        case 3: x = below(2) ? p - 1 : 1; break;
        case 4: x = i == 0 || i == terms - 1; break;
        case 5: x = i == 0 ? x : 0; break;
        case 6: x = 0; break;
        case 7: x = i > terms / 2 ? 0 : x; break;
        case 8: x = i ? n_mulmod2(nmod_poly_get_coeff_ui(f, i - 1), 2 % p, p) : 1; break;
        default: break;
        }
        nmod_poly_set_coeff_ui(f, i, x % p);
    }
}

/* Two polynomials, alone or with something in common. */
static const char *draw_pair(nmod_poly_t a, nmod_poly_t b, uint64_t p, char *words)
{
    static const char *const ways[] = {"apart", "equal", "with a common factor", "one divides the other",
                                       "with a small remainder"};
    int way = (int)below(5), first = (int)below(9), second = (int)below(9);
    int64_t n = 1 + below(MOST), m = 1 + below(MOST);
    nmod_poly_t g;
    nmod_poly_init(g, p);
    draw(a, p, first, n);
    draw(b, p, second, m);
    if (way == 1) nmod_poly_set(b, a);
    if (way == 2) {
        draw(g, p, (int)below(5), 1 + below(20));
        nmod_poly_mul(a, a, g);
        nmod_poly_mul(b, b, g);
    }
    if (way == 3) nmod_poly_mul(a, a, b);
    if (way == 4) {
        draw(g, p, (int)below(5), 1 + below(5));
        nmod_poly_mul(a, a, b);
        nmod_poly_add(a, a, g);
    }
    nmod_poly_clear(g);
    snprintf(words, 200, "%s and %s, %s, %ld and %ld terms", kinds[first], kinds[second], ways[way],
             (long)nmod_poly_length(a), (long)nmod_poly_length(b));
    return words;
}

/* ---- Runs ---------------------------------------------------------------------------------------------------------
 */

/* Values for the choices, mostly small; what is not possible is refused later. */
static mmm_status choose(mmm_job *job, char *words, size_t size)
{
    mmm_status status = MMM_OK;
    size_t used = 0;
    *words = 0;
    for (const mmm_parameter *p = mmm_job_app(job)->parameters; p->name && status == MMM_OK; p++) {
        if (p->role != MMM_CHOICE || below(4) == 0) continue;
        int64_t most = below(3) ? 12 : 70,
                value = p->least + below(p->most - p->least < most ? p->most - p->least + 1 : most);
        if (below(2)) value = (int64_t)1 << below(8);
        if (value < p->least || value > p->most) value = p->least;
        status = mmm_job_set(job, p->name, value);
        used += (size_t)snprintf(words + used, size - used, " %s=%lld", p->name, (long long)value);
    }
    return status;
}

static bool same(const mmm_job *job, int which, const nmod_poly_t f)
{
    int64_t count;
    const uint64_t *words = mmm_job_result(job, which, &count);
    bool equal = words && count == nmod_poly_length(f);
    for (int64_t i = 0; equal && i < count; i++)
        equal = words[i] == nmod_poly_get_coeff_ui(f, i);
    return equal;
}

static bool right(const mmm_job *job, const char *app, const nmod_poly_t a, const nmod_poly_t b)
{
    nmod_poly_t x, y;
    bool good;
    nmod_poly_init(x, nmod_poly_modulus(a));
    nmod_poly_init(y, nmod_poly_modulus(a));
    if (strncmp(app, "div", 3) == 0) {
        nmod_poly_divrem(x, y, a, b);
        good = same(job, 0, x) && same(job, 1, y);
    } else {
        if (app[0] == 'm')
            nmod_poly_mul(x, a, b);
        else
            nmod_poly_gcd(x, a, b);
        good = same(job, 0, x);
    }
    nmod_poly_clear(x);
    nmod_poly_clear(y);
    return good;
}

static int compare(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* A run that takes long is given up. */
static int too_long(void *context, double done)
{
    (void)done;
    return mmm_now() > *(double *)context;
}

static mmm_status run(mmm_job *job, mmm_machine *machine)
{
    double end = mmm_now() + 2;
    mmm_machine_on_progress(machine, too_long, &end);
    mmm_status status = mmm_job_run(job, machine, NULL);
    mmm_machine_on_progress(machine, NULL, NULL);
    const mmm_counts *counts = status == MMM_OK ? mmm_machine_counts(machine) : NULL;
    if (counts && counts->violation_count) {
        const mmm_violation *v = counts->violations;
        if (v->kind == MMM_VIOLATION_LOCAL_MEMORY || v->kind == MMM_VIOLATION_THREADS)
            return mmm_fail(MMM_TOO_LARGE, "the machine is too small for these choices");
        return mmm_fail(MMM_WRONG, "violation %s at %s[%lld], %s:%d", mmm_violation_name(v->kind), v->array,
                        (long long)v->index, v->file, v->line);
    }
    return status;
}

static mmm_status run_polynomials(const char *app, mmm_machine *machine, char *words)
{
    uint64_t p = primes[below((int64_t)(sizeof primes / sizeof *primes))];
    nmod_poly_t a, b;
    mmm_job *job = NULL;
    char inputs[200], choices[200];
    nmod_poly_init(a, p);
    nmod_poly_init(b, p);
    draw_pair(a, b, p, inputs);
    mmm_status status = mmm_job_new(app, &job);
    if (status == MMM_OK) status = choose(job, choices, sizeof choices);
    if (status == MMM_OK) status = mmm_job_polynomial(job, 0, p, a->coeffs, nmod_poly_length(a));
    if (status == MMM_OK) status = mmm_job_polynomial(job, 1, p, b->coeffs, nmod_poly_length(b));
    snprintf(words, 600, "%s%s p=%llu: %s", app, choices, (unsigned long long)p, inputs);
    if (status == MMM_OK) status = run(job, machine);
    if (status == MMM_OK && !right(job, app, a, b)) status = mmm_fail(MMM_WRONG, "the result is not FLINT's");
    mmm_job_free(job);
    nmod_poly_clear(a);
    nmod_poly_clear(b);
    return status;
}

static mmm_status run_sort(const char *app, mmm_machine *machine, char *words)
{
    uint64_t keys[2000];
    int64_t n = below(2000), count;
    int kind = (int)below(5), bits = below(2) ? 32 : 64;
    mmm_job *job = NULL;
    char choices[200];
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = mmm_random_next(&dice);
        x = kind == 1 ? 7 : kind == 2 ? (uint64_t)i : kind == 3 ? (uint64_t)(n - i) : kind == 4 ? x >> (x & 63) : x;
        keys[i] = bits == 32 ? (uint32_t)x : x;
    }
    mmm_status status = mmm_job_new(app, &job);
    if (status == MMM_OK) status = choose(job, choices, sizeof choices);
    if (status == MMM_OK) status = mmm_job_set(job, "bits", bits);
    if (status == MMM_OK && strcmp(app, "radix-sort") == 0) status = mmm_job_set(job, "c", bits);
    if (status == MMM_OK) status = mmm_job_give(job, 0, keys, &n, 1);
    snprintf(words, 600, "%s%s bits=%d: %lld keys of kind %d", app, choices, bits, (long long)n, kind);
    if (status == MMM_OK) status = run(job, machine);
    if (status == MMM_OK) {
        const uint64_t *found = mmm_job_result(job, 0, &count);
        qsort(keys, (size_t)n, sizeof *keys, compare);
        if (!found || count != n || memcmp(found, keys, (size_t)n * sizeof *keys) != 0)
            status = mmm_fail(MMM_WRONG, "the keys are not sorted");
    }
    mmm_job_free(job);
    return status;
}

static mmm_status run_transform(mmm_machine *machine, char *words)
{
    mmm_job *job = NULL;
    char choices[200];
    int64_t n = (int64_t)1 << below(12), inverse = below(2), ordered = below(2);
    mmm_status status = mmm_job_new("ntt", &job);
    if (status == MMM_OK) status = choose(job, choices, sizeof choices);
    if (status == MMM_OK) status = mmm_job_set(job, "n", n);
    if (status == MMM_OK) status = mmm_job_set(job, "batch", 1 + below(3));
    if (status == MMM_OK) status = mmm_job_set(job, "inverse", inverse);
    if (status == MMM_OK) status = mmm_job_set(job, "ordered", ordered);
    if (status == MMM_OK) status = mmm_job_set(job, "p", below(2) ? 2013265921 : (int64_t)4179340454199820289);
    snprintf(words, 600, "ntt%s n=%lld inverse=%lld ordered=%lld", choices, (long long)n, (long long)inverse,
             (long long)ordered);
    if (status == MMM_OK) status = run(job, machine);
    if (status == MMM_OK) status = mmm_job_check(job);
    mmm_job_free(job);
    return status;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10, end = mmm_now() + seconds;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)(mmm_now() * 1e6);
    int64_t only = argc > 3 ? atoll(argv[3]) : -1, done[3] = {0}, refused = 0, wrong = 0;
    mmm_machine *machines[3] = {NULL};
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const char *const names[] = {"abstract", "cpu", "opencl:0"};
    for (int i = 0; i < 3; i++)
        if (mmm_machine_open(names[i], &machines[i]) != MMM_OK) machines[i] = NULL; /* no OpenCL here */
    if (!machines[0] || !machines[1]) return 2;
    for (int64_t i = only < 0 ? 0 : only; only < 0 ? mmm_now() < end : i == only; i++) {
        dice = (mmm_random){seed ^ (uint64_t)i * 0x9e3779b97f4a7c15u};
        char words[600] = "";
        int which = below(40) == 0 ? 2 : (int)below(2), kind = (int)below(14); /* PoCL compiles for a second */
        if (!machines[which]) continue;
        mmm_status status = kind < POLYNOMIAL ? run_polynomials(polynomial_apps[kind], machines[which], words)
                            : kind < POLYNOMIAL + SORTING
                                ? run_sort(sorting_apps[kind - POLYNOMIAL], machines[which], words)
                                : run_transform(machines[which], words);
        if (status == MMM_OK) {
            done[which]++;
        } else if (status == MMM_INVALID || status == MMM_TOO_LARGE || status == MMM_STOPPED) {
            refused++;
            if (only >= 0) printf("%s on %s: refused, %s\n", words, names[which], mmm_message());
        } else {
            wrong++;
            printf("differential: %s on %s: %s (differential 0 %llu %lld)\n", words, names[which], mmm_message(),
                   (unsigned long long)seed, (long long)i);
        }
    }
    printf("differential: %lld runs on abstract, %lld on cpu, %lld on opencl:0 are right, %lld refused or too long, "
           "%lld wrong "
           "(seed %llu)\n",
           (long long)done[0], (long long)done[1], (long long)done[2], (long long)refused, (long long)wrong,
           (unsigned long long)seed);
    for (int i = 0; i < 3; i++)
        mmm_machine_free(machines[i]);
    flint_cleanup();
    return wrong != 0;
}
