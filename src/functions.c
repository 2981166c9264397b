/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms, each in its fastest form, as functions on arrays: each call is a job. */
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static mmm_status copy_result(const mmm_job *job, int which, uint64_t *out, int64_t *terms)
{
    int64_t count;
    const uint64_t *words = mmm_job_result(job, which, &count);
    if (!words) return MMM_INVALID;
    if (count) memcpy(out, words, (size_t)count * sizeof *out);
    *terms = count;
    return MMM_OK;
}

/* What a function calls where tuning found nothing: of an application, a choice and its value on CPUs and on others;
 * for inputs of few elements it is 0 instead. */
static const struct {
    const char *app, *name;
    int64_t cpu, other;
    int64_t few_cpu, few_other;
} usual[] = {
    {"multiplication-tile", "s", 1024, 256, 0, 0},
    {"multiplication-tile", "l", 8, 32, 0, 0},
    {"multiplication-tile", "g", 8, 1, 0, 0},
    {"division-inverse", "s", 256, 4096, 0, 0},
    {"division-inverse", "w", 1024, 64, 0, 0},
    {"division-inverse", "l", 8, 64, 0, 0},
    {"division-inverse", "g", 8, 1, 0, 0},
    {"gcd-jump", "s", 240, 240, 800, 100},
    {"gcd-jump", "h", 1, 256, 0, 0},
    {"gcd-jump", "l", 8, 32, 0, 0},
    {"gcd-jump", "r", 8, 1, 0, 0},
    {"gcd-jump", "k", 1, 2, 0, 0},
};

static mmm_status take_usual(mmm_job *job, const mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    const int64_t n = mmm_job_length(job, 0), m = mmm_job_length(job, 1), most = n > m ? n : m;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        int64_t value = machine->cpu ? usual[i].cpu : usual[i].other;
        int64_t few = machine->cpu ? usual[i].few_cpu : usual[i].few_other;
        if (few && most <= few) value = 0;
        if (strcmp(usual[i].app, mmm_job_app(job)->name) == 0) TRY(mmm_job_set(job, usual[i].name, value));
    }
done:
    return result;
}

/* Runs with what tuning found for such a job; else with the usual values.  A prediction would take longer than many a
 * call. */
static mmm_status run_wisely(mmm_job *job, mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    bool found = false, exact;
    if (machine->type->has_time) TRY(mmm_wisdom_apply(job, machine, &found, &exact));
    if (!found) TRY(take_usual(job, machine));
    result = mmm_job_run(job, machine, NULL);
    if (found) mmm_wisdom_blame(result, job);
done:
    return result;
}

/* Runs a job on two polynomials; the inputs are copied, so outputs may lie where they lie. */
static mmm_status run_polynomials(mmm_machine *machine, const char *app, uint64_t p, const uint64_t *a, int64_t n,
                                  const uint64_t *b, int64_t m, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(n, a, "a"));
    TRY(mmm_check_terms(m, b, "b"));
    TRY(mmm_job_new(app, &job));
    TRY(mmm_job_polynomial(job, 0, p, a, n));
    TRY(mmm_job_polynomial(job, 1, p, b, m));
    TRY(run_wisely(job, machine));
    *out = job;
    job = NULL;
done:
    mmm_job_free(job);
    return result;
}

mmm_status mmm_multiply(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                        uint64_t *f, int64_t *f_terms)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(f_terms, "the place for the number of terms of f");
    NEED(f || n <= 0 || m <= 0, "the array f");
    TRY(run_polynomials(machine, "multiplication-tile", p, a, n, b, m, &job));
    TRY(copy_result(job, 0, f, f_terms));
done:
    mmm_job_free(job);
    return result;
}

mmm_status mmm_divide(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                      uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(q_terms, "the place for the number of terms of q");
    NEED(r_terms, "the place for the number of terms of r");
    NEED((q && r) || n <= 0, q ? "the array r" : "the array q");
    TRY(run_polynomials(machine, "division-inverse", p, a, n, b, m, &job));
    TRY(copy_result(job, 0, q, q_terms));
    TRY(copy_result(job, 1, r, r_terms));
done:
    mmm_job_free(job);
    return result;
}

mmm_status mmm_gcd(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                   uint64_t *g, int64_t *g_terms)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(g_terms, "the place for the number of terms of g");
    NEED(g || (n <= 0 && m <= 0), "the array g");
    TRY(run_polynomials(machine, "gcd-jump", p, a, n, b, m, &job));
    TRY(copy_result(job, 0, g, g_terms));
done:
    mmm_job_free(job);
    return result;
}

static mmm_status check_arrays(const mmm_array *a, const mmm_array *b)
{
    mmm_status result = MMM_OK;
    if (!a || !b) FAIL(MMM_INVALID, "%s is NULL, not an array", a ? "b" : "a");
    if (a->machine != b->machine) FAIL(MMM_INVALID, "a and b are arrays of different machines");
    if (a->modulus.p != b->modulus.p)
        FAIL(MMM_INVALID, "a has modulus %" PRIu64 ", b has %" PRIu64, a->modulus.p, b->modulus.p);
done:
    return result;
}

/* The same in the memory of the machine that has a and b. */
static mmm_status run_arrays(const char *app, const mmm_array *a, const mmm_array *b, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    TRY(check_arrays(a, b));
    TRY(mmm_job_new(app, &job));
    TRY(mmm_job_take(job, 0, a));
    TRY(mmm_job_take(job, 1, b));
    TRY(take_usual(job, a->machine));
    TRY(mmm_job_run(job, a->machine, NULL));
    *out = job;
    job = NULL;
done:
    mmm_job_free(job);
    return result;
}

static mmm_array *take_result(mmm_job *job, int which)
{
    mmm_array *array = job->outputs[which].array;
    job->outputs[which] = (mmm_vector){0};
    return array;
}

mmm_status mmm_array_multiply(const mmm_array *a, const mmm_array *b, mmm_array **f)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(f, "the place for the array f");
    TRY(run_arrays("multiplication-tile", a, b, &job));
    *f = take_result(job, 0);
done:
    mmm_job_free(job);
    return result;
}

mmm_status mmm_array_divide(const mmm_array *a, const mmm_array *b, mmm_array **q, mmm_array **r)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(q, "the place for the array q");
    NEED(r, "the place for the array r");
    TRY(run_arrays("division-inverse", a, b, &job));
    *q = take_result(job, 0);
    *r = take_result(job, 1);
done:
    mmm_job_free(job);
    return result;
}

mmm_status mmm_array_gcd(const mmm_array *a, const mmm_array *b, mmm_array **g)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    NEED(g, "the place for the array g");
    TRY(run_arrays("gcd-jump", a, b, &job));
    *g = take_result(job, 0);
done:
    mmm_job_free(job);
    return result;
}

static void widen(uint64_t *to, const void *from, int64_t count, int bits)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = bits == 64 ? ((const uint64_t *)from)[i] : ((const uint32_t *)from)[i];
}

static mmm_status take_sorted(const mmm_job *job, int which, void *to, int bits)
{
    int64_t count;
    const uint64_t *words = mmm_job_result(job, which, &count);
    if (!words) return MMM_INVALID;
    for (int64_t i = 0; i < count; i++)
        if (bits == 64)
            ((uint64_t *)to)[i] = words[i];
        else
            ((uint32_t *)to)[i] = (uint32_t)words[i];
    return MMM_OK;
}

/* How to sort up to so many keys where nothing was tuned. */
typedef struct sorting {
    int64_t most, method, s, l, e, b;
} sorting;

/* Blocks of one thread; buckets where all keys do not fit the caches, or for several cores. */
static sorting sorting_on_cores(int64_t cores, int64_t count, bool large, bool pairs)
{
    sorting x = {.method = 4, .s = count < 100000 ? 11 : 12, .l = 1, .e = count / (8 * cores) + 1};
    bool buckets = count >= (large || cores > 1 ? 300000 : 4000000);
    x.b = !buckets ? 1 : count >= 20000000 ? 512 : pairs || count >= 4000000 ? 256 : 16;
    return x;
}

static sorting sorting_by_tiles(int64_t count, bool large)
{
    static const sorting table[] = {
        {1024, 1, 8, 256, 4, 1},   {2048, 1, 8, 256, 8, 1},     {4096, 1, 8, 512, 8, 1},      {30000, 3, 8, 256, 4, 1},
        {300000, 1, 8, 256, 8, 1}, {1500000, 2, 8, 512, 16, 1}, {INT64_MAX, 1, 8, 512, 16, 1}};
    int i = 0;
    while (count > table[i].most)
        i++;
    sorting x = table[i];
    if (large && x.e > 12) x.e = 12; /* more would need too many registers */
    return x;
}

static mmm_status choose_sorting(mmm_job *job, const mmm_machine *machine, int64_t count, int bits, bool pairs)
{
    mmm_status result = MMM_OK;
    const mmm_parameters *p = &machine->parameters;
    const bool large = pairs || bits == 64;
    sorting x = sorting_by_tiles(count, large);
    int64_t words = x.l * x.e * bits / 32 * (pairs ? 2 : 1) + (x.l / 32 + 4) * 256 + x.l;
    if (words > p->Z) x.l = 256, x.e = 4, words = x.l * x.e * bits / 32 * (pairs ? 2 : 1) + 12 * 256 + x.l;
    if (machine->cpu || words > p->Z || (p->threads > 0 && p->threads < x.l))
        x = sorting_on_cores(p->P >= 1 ? (int64_t)p->P : 1, count, large, pairs);
    if (!machine->cpu && (3 << x.s) + 16 > p->Z) x.s = 4; /* a machine with hardly any local memory */
    TRY(mmm_job_set(job, "method", x.method));
    TRY(mmm_job_set(job, "s", x.s));
    TRY(mmm_job_set(job, "l", x.l));
    TRY(mmm_job_set(job, "e", x.e));
    TRY(mmm_job_set(job, "b", x.b));
done:
    return result;
}

static mmm_status sort(mmm_machine *machine, void *keys, void *values, int64_t count, int bits)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    uint64_t *wide = NULL;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(count, keys, "the array of keys"));
    TRY(mmm_job_new("sort", &job));
    TRY(mmm_job_set(job, "bits", bits));
    TRY(choose_sorting(job, machine, count, bits, values != NULL));
    TRY(mmm_alloc(&wide, count, sizeof *wide));
    widen(wide, keys, count, bits);
    TRY(mmm_job_give(job, 0, wide, &count, 1));
    if (values) {
        widen(wide, values, count, bits);
        TRY(mmm_job_give(job, 1, wide, &count, 1));
    }
    TRY(run_wisely(job, machine));
    TRY(take_sorted(job, 0, keys, bits));
    if (values) TRY(take_sorted(job, 1, values, bits));
done:
    free(wide);
    mmm_job_free(job);
    return result;
}

mmm_status mmm_sort_u32(mmm_machine *machine, uint32_t *keys, uint32_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 32);
}

mmm_status mmm_sort_u64(mmm_machine *machine, uint64_t *keys, uint64_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 64);
}
