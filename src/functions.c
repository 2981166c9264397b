/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms, each in its fastest form, as functions on arrays: a call runs a plan, which the machine keeps. */
#include "job/plan.h"
#include "study/study.h"

#include <flint/nmod.h>
#include <flint/ulong_extras.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    const int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m"), most = n > m ? n : m;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        int64_t value = machine->cpu ? usual[i].cpu : usual[i].other;
        int64_t few = machine->cpu ? usual[i].few_cpu : usual[i].few_other;
        if (few && most <= few) value = 0;
        if (strcmp(usual[i].app, mmm_job_app(job)->name) == 0) TRY(mmm_job_set(job, usual[i].name, value));
    }
done:
    return result;
}

/* What tuning found for such a job; else the usual values.  A prediction would take longer than many a call. */
static mmm_status choose(mmm_job *job, const mmm_machine *machine, bool *found)
{
    mmm_status result = MMM_OK;
    bool exact;
    *found = false;
    if (machine->type->has_time) TRY(mmm_wisdom_apply(job, machine, found, &exact));
    if (!*found) TRY(take_usual(job, machine));
done:
    return result;
}

/* ---- Plans of operations ------------------------------------------------------------------------------------------
 */

/* What is asked for; the applications' names are compared as pointers. */
static const char multiplication[] = "multiplication-tile", division[] = "division-inverse", gcd[] = "gcd-jump";
static const char sorting_app[] = "sort";
enum { N, M, P, BITS, VALUES, BATCH, WISDOM };

static mmm_plan_key key_of(const char *app, uint64_t p, int64_t n, int64_t m, int64_t batch)
{
    return (mmm_plan_key){app, {[N] = n, [M] = m, [P] = (int64_t)p, [BATCH] = batch, [WISDOM] = mmm_wisdom_changes()}};
}

static mmm_status choose_sorting(mmm_job *job, const mmm_machine *machine, int64_t count, int bits, bool pairs);

static mmm_status make_plan(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    bool found = false;
    const int64_t *numbers = key->numbers;
    TRY(mmm_job_new(key->app, &job));
    TRY(mmm_job_set_batch(job, numbers[BATCH]));
    TRY(mmm_job_set(job, "n", numbers[N]));
    if (key->app == sorting_app) {
        TRY(mmm_job_set(job, "bits", numbers[BITS]));
        TRY(mmm_job_set(job, "values", numbers[VALUES]));
        TRY(choose_sorting(job, machine, numbers[N], (int)numbers[BITS], numbers[VALUES]));
    } else {
        TRY(mmm_job_set(job, "m", numbers[M]));
        TRY(mmm_job_set(job, "p", numbers[P]));
    }
    TRY(choose(job, machine, &found));
    mmm_job *taken = job;
    job = NULL;
    TRY(mmm_plan_take(taken, machine, out));
done:
    mmm_job_free(job);
    return result;
}

/* The machine's plan for what is asked for: of an earlier call, or a new one.  Where there is no memory for it, older
 * ones go first. */
static mmm_status find_plan(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out)
{
    mmm_plan *plan = mmm_recent_find(machine, key);
    if (!plan) {
        mmm_status status = make_plan(machine, key, &plan);
        if ((status == MMM_MEMORY || status == MMM_TOO_LARGE) && mmm_recent_count(machine)) {
            machine->drop_recent(machine->recent, false);
            status = make_plan(machine, key, &plan);
        }
        if (status != MMM_OK) return status;
        MMM_TRY(mmm_recent_add(machine, key, plan));
    }
    *out = plan;
    return MMM_OK;
}

static mmm_status run_plan(mmm_machine *machine, const mmm_plan_key *key, const void *const *inputs,
                           void *const *outputs, int64_t *const *counts)
{
    mmm_plan *plan;
    MMM_TRY(find_plan(machine, key, &plan));
    mmm_status result = mmm_plan_run(plan, inputs, outputs, counts);
    if (result != MMM_OK && result != MMM_INVALID && result != MMM_STOPPED) mmm_recent_drop(machine, plan);
    return result;
}

static mmm_status new_plan(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out)
{
    NEED(machine, "the machine");
    NEED(out, "the place for a plan");
    return make_plan(machine, key, out);
}

mmm_status mmm_plan_multiply(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = key_of(multiplication, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_divide(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = key_of(division, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_gcd(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = key_of(gcd, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_sort(mmm_machine *machine, int64_t count, int bits, int values, int64_t batch, mmm_plan **out)
{
    mmm_plan_key key = key_of(sorting_app, 0, count, 0, batch);
    key.numbers[BITS] = bits;
    key.numbers[VALUES] = values != 0;
    return new_plan(machine, &key, out);
}

/* ---- Polynomials ---------------------------------------------------------------------------------------------------
 */

static mmm_status check_coefficients(uint64_t p, const uint64_t *a, int64_t n, const char *name)
{
    if (mmm_words_below(a, n, p)) return MMM_OK;
    int64_t i = 0;
    while (a[i] < p)
        i++;
    return mmm_fail(MMM_INVALID, "'%s': coefficient %" PRIu64 " of x^%" PRId64 " is not below the modulus %" PRIu64,
                    name, a[i], i, p);
}

static int64_t trim(const uint64_t *a, int64_t n)
{
    while (n > 0 && a[n - 1] == 0)
        n--;
    return n;
}

static mmm_status check_operands(const mmm_machine *machine, const uint64_t *a, int64_t *n, const uint64_t *b,
                                 int64_t *m)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(*n, a, "a"));
    TRY(mmm_check_terms(*m, b, "b"));
    *n = trim(a, *n);
    *m = trim(b, *m);
done:
    return result;
}

/* Where one operand is 0, or too short, no machine is needed; but they must be what they should be. */
static mmm_status check_trivial(uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                                mmm_modulus *modulus)
{
    mmm_status result = MMM_OK;
    TRY(mmm_modulus_read(p, modulus));
    TRY(check_coefficients(p, a, n, "a"));
    TRY(check_coefficients(p, b, m, "b"));
done:
    return result;
}

mmm_status mmm_multiply(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                        uint64_t *f, int64_t *f_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(f_terms, "the place for the number of terms of f");
    NEED(f || n <= 0 || m <= 0, "the array f");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        *f_terms = 0;
        return MMM_OK;
    }
    const mmm_plan_key key = key_of(multiplication, p, n, m, 1);
    TRY(run_plan(machine, &key, (const void *[]){a, b}, (void *[]){f}, (int64_t *[]){f_terms}));
done:
    return result;
}

mmm_status mmm_divide(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                      uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(q_terms, "the place for the number of terms of q");
    NEED(r_terms, "the place for the number of terms of r");
    NEED((q && r) || n <= 0, q ? "the array r" : "the array q");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n < m || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        if (m == 0) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
        if (n) memmove(r, a, (size_t)n * sizeof *r);
        *q_terms = 0;
        *r_terms = n;
        return MMM_OK;
    }
    const mmm_plan_key key = key_of(division, p, n, m, 1);
    TRY(run_plan(machine, &key, (const void *[]){a, b}, (void *[]){q, r}, (int64_t *[]){q_terms, r_terms}));
done:
    return result;
}

/* g = a, divided by its leading coefficient. */
static void make_monic(const mmm_modulus *modulus, const uint64_t *a, int64_t n, uint64_t *g)
{
    nmod_t p;
    if (n == 0) return;
    nmod_init(&p, modulus->p);
    const uint64_t inverse = n_invmod(a[n - 1], modulus->p);
    memmove(g, a, (size_t)n * sizeof *g);
    for (int64_t i = 0; i < n; i++)
        g[i] = nmod_mul(g[i], inverse, p);
}

mmm_status mmm_gcd(mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m,
                   uint64_t *g, int64_t *g_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(g_terms, "the place for the number of terms of g");
    NEED(g || (n <= 0 && m <= 0), "the array g");
    TRY(check_operands(machine, a, &n, b, &m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n, b, m, &modulus));
        make_monic(&modulus, n ? a : b, n + m, g);
        *g_terms = n + m;
        return MMM_OK;
    }
    const mmm_plan_key key = key_of(gcd, p, n, m, 1);
    TRY(run_plan(machine, &key, (const void *[]){a, b}, (void *[]){g}, (int64_t *[]){g_terms}));
done:
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
    mmm_array *array = mmm_job_out(job, which)->array;
    *mmm_job_out(job, which) = (mmm_vector){0};
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

static mmm_status sort(mmm_machine *machine, void *keys, void *values, int64_t count, int bits, int64_t batch)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    TRY(mmm_check_terms(count, keys, "the array of keys"));
    if (count == 0 || batch == 0) return MMM_OK;
    mmm_plan_key key = key_of(sorting_app, 0, count, 0, batch);
    key.numbers[BITS] = bits;
    key.numbers[VALUES] = values != NULL;
    TRY(run_plan(machine, &key, (const void *[]){keys, values}, (void *[]){keys, values}, NULL));
done:
    return result;
}

mmm_status mmm_sort_u32(mmm_machine *machine, uint32_t *keys, uint32_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 32, 1);
}

mmm_status mmm_sort_u64(mmm_machine *machine, uint64_t *keys, uint64_t *values, int64_t count)
{
    return sort(machine, keys, values, count, 64, 1);
}

/* ---- Batches --------------------------------------------------------------------------------------------------------
 */

/* Problems of one program: what devices take, and about so much memory. */
enum { BATCH_MOST = 65535, BATCH_WORDS = 1 << 25 };

static int64_t part_of(int64_t batch, int64_t words)
{
    int64_t most = BATCH_WORDS / (words + 64) + 1;
    if (most > BATCH_MOST) most = BATCH_MOST;
    return batch < most ? batch : most;
}

static mmm_status check_batch(const mmm_machine *machine, int64_t batch, const void *a, int64_t n, const void *b,
                              int64_t m)
{
    mmm_status result = MMM_OK;
    NEED(machine, "the machine");
    if (batch < 0 || batch > TERMS_MOST)
        FAIL(MMM_INVALID, "a batch of %" PRId64 " problems: 0 to %d are possible", batch, TERMS_MOST);
    TRY(mmm_check_terms(n, batch ? a : "", "a"));
    TRY(mmm_check_terms(m, batch ? b : "", "b"));
done:
    return result;
}

mmm_status mmm_multiply_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                             const uint64_t *b, int64_t m, uint64_t *f, int64_t *f_terms)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    NEED(f_terms || batch <= 0, "the array of numbers of terms of f");
    NEED(f || n <= 0 || m <= 0 || batch <= 0, "the array f");
    TRY(check_batch(machine, batch, a, n, b, m));
    if (n == 0 || m == 0) {
        TRY(check_trivial(p, a, n * batch, b, m * batch, &modulus));
        for (int64_t i = 0; i < batch; i++)
            f_terms[i] = 0;
        return MMM_OK;
    }
    for (int64_t i = 0, part; i < batch; i += part) {
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = key_of(multiplication, p, n, m, part);
        TRY(run_plan(machine, &key, (const void *[]){a + i * n, b + i * m}, (void *[]){f + i * (n + m - 1)},
                     (int64_t *[]){f_terms + i}));
    }
done:
    return result;
}

mmm_status mmm_divide_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                           const uint64_t *b, int64_t m, uint64_t *q, int64_t *q_terms, uint64_t *r, int64_t *r_terms)
{
    mmm_status result = MMM_OK;
    const int64_t left = n < m ? 0 : n - m + 1;
    NEED((q_terms && r_terms) || batch <= 0, "the array of numbers of terms of q or r");
    NEED(((q || !left) && (r || m <= 1)) || batch <= 0, q ? "the array r" : "the array q");
    TRY(check_batch(machine, batch, a, n, b, m));
    if (m == 0 && batch) FAIL(MMM_INVALID, "b is 0: division by the zero polynomial");
    for (int64_t i = 0; i < batch; i++)
        if (!b[i * m + m - 1])
            FAIL(MMM_INVALID, "the last coefficient of b number %" PRId64 " is 0: those of a batch have m terms", i);
    for (int64_t i = 0, part; n && i < batch; i += part) {
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = key_of(division, p, n, m, part);
        TRY(run_plan(machine, &key, (const void *[]){a + i * n, b + i * m}, (void *[]){q + i * left, r + i * (m - 1)},
                     (int64_t *[]){q_terms + i, r_terms + i}));
    }
    for (int64_t i = 0; !n && i < batch; i++)
        q_terms[i] = r_terms[i] = 0;
done:
    return result;
}

mmm_status mmm_gcd_many(mmm_machine *machine, uint64_t p, int64_t batch, const uint64_t *a, int64_t n,
                        const uint64_t *b, int64_t m, uint64_t *g, int64_t *g_terms)
{
    mmm_status result = MMM_OK;
    const int64_t most = n > m ? n : m;
    NEED(g_terms || batch <= 0, "the array of numbers of terms of g");
    NEED(g || most <= 0 || batch <= 0, "the array g");
    TRY(check_batch(machine, batch, a, n, b, m));
    for (int64_t i = 0, part = 1; i < batch; i += part) {
        if (n == 0 || m == 0) { /* of some, nothing but one operand is there */
            TRY(mmm_gcd(machine, p, a + i * n, n, b + i * m, m, g + i * most, &g_terms[i]));
            continue;
        }
        part = part_of(batch - i, n + m);
        const mmm_plan_key key = key_of(gcd, p, n, m, part);
        TRY(run_plan(machine, &key, (const void *[]){a + i * n, b + i * m}, (void *[]){g + i * most},
                     (int64_t *[]){g_terms + i}));
    }
done:
    return result;
}

static mmm_status sort_many(mmm_machine *machine, int64_t batch, void *keys, void *values, int64_t count, int bits)
{
    mmm_status result = MMM_OK;
    TRY(check_batch(machine, batch, keys, count, "", 0));
    for (int64_t i = 0, part; i < batch; i += part) {
        part = part_of(batch - i, count);
        const size_t at = (size_t)(i * count) * (size_t)bits / 8;
        TRY(sort(machine, (char *)keys + at, values ? (char *)values + at : NULL, count, bits, part));
    }
done:
    return result;
}

mmm_status mmm_sort_many_u32(mmm_machine *machine, int64_t batch, uint32_t *keys, uint32_t *values, int64_t count)
{
    return sort_many(machine, batch, keys, values, count, 32);
}

mmm_status mmm_sort_many_u64(mmm_machine *machine, int64_t batch, uint64_t *keys, uint64_t *values, int64_t count)
{
    return sort_many(machine, batch, keys, values, count, 64);
}
