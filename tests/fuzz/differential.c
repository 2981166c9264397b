/* SPDX-License-Identifier: Apache-2.0 */
/* Applications, calls for many problems and calls over Z on machines with inputs that are hard: small and large primes,
 * sparse and equal polynomials, common factors, degrees that drop, choices at random; every result is FLINT's, a plain
 * sort's or a plain loop's, and on the abstract machine there is no violation.
 * Use: differential SECONDS [SEED [RUNS]]: the seed and the number of the run make it again. */
#include <mmm/app.h>
#include <mmm/integer.h>

#include "base/base.h"
#include "machine/machine.h"

#include <flint/nmod_poly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t primes[] = {2,
                                  3,
                                  5,
                                  7,
                                  101,
                                  2013265921,
                                  2147483629,
                                  2147483647,
                                  2147483659u,
                                  4294967291u,
                                  4294967311,
                                  1000000007,
                                  1152921504606846883u,
                                  1152921504606847009u,
                                  4611686018427387847u,
                                  9223372036854775783u};

static const char *const polynomial_apps[] = {
    "division-naive", "division", "division-inverse", "multiplication", "multiplication-tile", "multiplication-ntt",
    "gcd-naive",      "gcd",      "gcd-jump",         "gcd-half",       "division-newton",     "gcd-stop"};
static const char *const sorting_apps[] = {"radix-sort", "sort"};
enum { POLYNOMIAL = 12, SORTING = 2, MOST = 90 };

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

/* Applications that draw and check for themselves: values of what is no choice, at random. */
static mmm_status run_drawn(const char *app, mmm_machine *machine, char *words)
{
    mmm_job *job = NULL;
    char choices[200] = "";
    bool ntt = strcmp(app, "ntt") == 0, ring = strcmp(app, "multiplication-ring") == 0, slow = strstr(app, "relax");
    const int64_t n = ntt ? (int64_t)1 << below(12) : ring ? (int64_t)1 << below(10) : 1 + below(slow ? 60 : 3000);
    const int64_t p = ntt ? below(2) ? 2013265921 : (int64_t)4179340454199820289
                          : (int64_t)primes[below((int64_t)(sizeof primes / sizeof *primes))];
    const int64_t batch = 1 + below(3), first = below(2), second = below(2);
    mmm_status status = mmm_job_new(app, &job);
    if (status == MMM_OK) status = choose(job, choices, sizeof choices);
    if (status == MMM_OK) status = mmm_job_set(job, "n", n);
    if (status == MMM_OK) status = mmm_job_set(job, "seed", below(1 << 20));
    if (status == MMM_OK && (ntt || ring)) status = mmm_job_set(job, "p", p);
    if (status == MMM_OK && (ntt || ring)) status = mmm_job_set(job, "batch", batch);
    if (status == MMM_OK && ntt) status = mmm_job_set(job, "inverse", first);
    if (status == MMM_OK && ntt) status = mmm_job_set(job, "ordered", second);
    if (status == MMM_OK && ring) status = mmm_job_set(job, "negacyclic", first);
    if (status == MMM_OK && slow) status = mmm_job_set(job, "e", below(6));
    snprintf(words, 600, "%s%s n=%lld p=%lld batch=%lld %lld %lld", app, choices, (long long)n, (long long)p,
             (long long)batch, (long long)first, (long long)second);
    if (status == MMM_OK) status = run(job, machine);
    if (status == MMM_OK) status = mmm_job_check(job);
    mmm_job_free(job);
    return status;
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

enum { MANY = 4, ROOM = 2 * MOST };

static bool equal_words(const uint64_t *words, int64_t count, const nmod_poly_t f)
{
    bool equal = count == nmod_poly_length(f);
    for (int64_t i = 0; equal && i < count; i++)
        equal = words[i] == nmod_poly_get_coeff_ui(f, i);
    return equal;
}

/* A few problems of the same sizes in one call: operation 0 is a product, 1 a division, 2 a gcd. */
static mmm_status run_many(int operation, mmm_machine *machine, char *words)
{
    static uint64_t a[MANY * MOST], b[MANY * MOST], f[MANY * ROOM], r[MANY * ROOM];
    const uint64_t p = primes[below((int64_t)(sizeof primes / sizeof *primes))];
    const int64_t n = 1 + below(MOST), m = 1 + below(MOST), batch = 1 + below(MANY);
    const int64_t f_room = operation == 0 ? n + m - 1 : operation == 1 ? (n < m ? 0 : n - m + 1) : n > m ? n : m;
    int64_t f_terms[MANY], r_terms[MANY];
    nmod_poly_t x[MANY], y[MANY], want, rest;
    nmod_poly_init(want, p);
    nmod_poly_init(rest, p);
    for (int64_t k = 0; k < batch; k++) {
        nmod_poly_init(x[k], p);
        nmod_poly_init(y[k], p);
        draw(x[k], p, (int)below(9), n);
        if (operation == 2 && below(3) == 0)
            nmod_poly_set(y[k], x[k]);
        else
            draw(y[k], p, (int)below(9), m);
        nmod_poly_truncate(y[k], m);
        if (operation == 1) nmod_poly_set_coeff_ui(y[k], m - 1, 1 + mmm_random_below(&dice, p - 1));
        for (int64_t i = 0; i < n; i++)
            a[k * n + i] = nmod_poly_get_coeff_ui(x[k], i);
        for (int64_t i = 0; i < m; i++)
            b[k * m + i] = nmod_poly_get_coeff_ui(y[k], i);
    }
    snprintf(words, 600, "%s of %lld problems, n=%lld m=%lld p=%llu",
             operation == 0   ? "mmm_multiply_many"
             : operation == 1 ? "mmm_divide_many"
                              : "mmm_gcd_many",
             (long long)batch, (long long)n, (long long)m, (unsigned long long)p);
    mmm_status status = operation == 0   ? mmm_multiply_many(machine, p, batch, a, n, b, m, f, f_terms)
                        : operation == 1 ? mmm_divide_many(machine, p, batch, a, n, b, m, f, f_terms, r, r_terms)
                                         : mmm_gcd_many(machine, p, batch, a, n, b, m, f, f_terms);
    for (int64_t k = 0; k < batch && status == MMM_OK; k++) {
        if (operation == 0)
            nmod_poly_mul(want, x[k], y[k]);
        else if (operation == 1)
            nmod_poly_divrem(want, rest, x[k], y[k]);
        else
            nmod_poly_gcd(want, x[k], y[k]);
        if (!equal_words(f + k * f_room, f_terms[k], want) ||
            (operation == 1 && !equal_words(r + k * (m - 1), r_terms[k], rest)))
            status = mmm_fail(MMM_WRONG, "problem %lld is not FLINT's", (long long)k);
    }
    for (int64_t k = 0; k < batch; k++) {
        nmod_poly_clear(x[k]);
        nmod_poly_clear(y[k]);
    }
    nmod_poly_clear(want);
    nmod_poly_clear(rest);
    return status;
}

/* Coefficients around the sizes of words, with a common content or without, few of them or all. */
static void draw_integers(fmpz_poly_t f, int64_t terms, int kind)
{
    static const int bits[] = {1, 2, 31, 32, 33, 62, 63, 64, 65, 200};
    const int width = bits[below(10)];
    fmpz_t x, one;
    fmpz_init(x);
    fmpz_init(one);
    fmpz_poly_zero(f);
    for (int64_t i = 0; i < terms; i++) {
        fmpz_set_ui(one, 1);
        fmpz_mul_2exp(one, one, (ulong)width);
        if (kind == 1) {
            fmpz_sub_ui(x, one, 1); /* all ones */
        } else {
            fmpz_set_ui(x, mmm_random_next(&dice));
            for (int w = 64; w < width; w += 64) {
                fmpz_mul_2exp(x, x, 64);
                fmpz_add_ui(x, x, mmm_random_next(&dice));
            }
            fmpz_fdiv_r(x, x, one);
        }
        if (kind == 2 && below(6) && i < terms - 1) fmpz_zero(x);
        if (kind == 3) fmpz_mul_ui(x, x, 4294967291u);
        if (below(2)) fmpz_neg(x, x);
        fmpz_poly_set_coeff_fmpz(f, i, x);
    }
    fmpz_clear(x);
    fmpz_clear(one);
}

static mmm_status run_integers(int operation, mmm_machine *machine, char *words)
{
    static const char *const names[] = {"multiplication", "division", "gcd"};
    fmpz_poly_t a, b, g, f, r;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(g), fmpz_poly_init(f), fmpz_poly_init(r);
    const int first = (int)below(4), second = (int)below(4), way = (int)below(4);
    draw_integers(a, below(40), first);
    draw_integers(b, below(40), second);
    draw_integers(g, 1 + below(10), (int)below(4));
    if (way == 1) fmpz_poly_mul(a, a, b);
    if (way == 2) fmpz_poly_mul(a, a, g), fmpz_poly_mul(b, b, g);
    if (way == 3) fmpz_poly_set(b, a);
    if (operation == 1 && below(2)) fmpz_poly_set_coeff_si(b, below(40), below(2) ? 1 : -1);
    snprintf(words, 600, "%s over Z, kinds %d and %d, way %d, %ld and %ld terms of %ld and %ld bits", names[operation],
             first, second, way, (long)fmpz_poly_length(a), (long)fmpz_poly_length(b), (long)fmpz_poly_max_bits(a),
             (long)fmpz_poly_max_bits(b));
    mmm_status status = operation == 0   ? mmm_integer_multiply(machine, f, a, b, NULL)
                        : operation == 1 ? mmm_integer_divide(machine, f, r, a, b, NULL)
                                         : mmm_integer_gcd(machine, f, a, b, NULL);
    if (status == MMM_OK) status = mmm_integer_check(names[operation], a, b, f, operation == 1 ? r : NULL, NULL);
    /* What cannot be divided is refused, and only that: FLINT agrees. */
    if (status == MMM_INVALID && operation == 1 && !fmpz_poly_is_zero(b) &&
        (fmpz_is_pm1(fmpz_poly_lead(b)) || fmpz_poly_divides(g, a, b)))
        status = mmm_fail(MMM_WRONG, "a division that is possible was refused");
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(g), fmpz_poly_clear(f), fmpz_poly_clear(r);
    return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------------------
 */

static const char *const drawn_apps[] = {"ntt", "multiplication-ring", "./examples/prefix-sum",
                                         "./examples/relaxation"};
enum { DRAWN = 4, OPERATIONS = 3 };

/* Number `kind` of what there is. */
static mmm_status run_kind(int kind, mmm_machine *machine, char *words)
{
    if (kind < POLYNOMIAL) return run_polynomials(polynomial_apps[kind], machine, words);
    kind -= POLYNOMIAL;
    if (kind < SORTING) return run_sort(sorting_apps[kind], machine, words);
    kind -= SORTING;
    if (kind < DRAWN) return run_drawn(drawn_apps[kind], machine, words);
    kind -= DRAWN;
    return kind < OPERATIONS ? run_many(kind, machine, words) : run_integers(kind - OPERATIONS, machine, words);
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
        int which = below(40) == 0 ? 2 : (int)below(2); /* PoCL compiles for a second */
        int kind = (int)below(POLYNOMIAL + SORTING + DRAWN + 2 * OPERATIONS);
        if (getenv("MMM_DIFFERENTIAL")) kind = atoi(getenv("MMM_DIFFERENTIAL"));
        if (!machines[which]) continue;
        mmm_status status = run_kind(kind, machines[which], words);
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
