/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithm is usual: crossovers of operations by size, modulus and machine, and the usual values of choices, all
 * measured (docs/performance.md, bench/crossovers.c). */
#include "job/job.h"

#include <math.h>
#include <string.h>

enum { CORES, GPU, FULL, KINDS }; /* FULL: a GPU with many problems at once */
/* p < 2^31 with roots of unity, other p < 2^31, all others; on cores with vectors of 8 words of 64 bits these, and
 * those below 2^60 where numbers of 52 bits are multiplied. */
enum { ROOTS, SHORT, LONG, VECTORS, BELOW_60, MODULI };
enum { LANES_LEAST = 16 };
/* Between this part of the crossover and so many times it another machine may have its own. */
enum { DOUBTFUL_BELOW = 64, DOUBTFUL_ABOVE = 16 };

/* An operation: an algorithm for few terms and one for more, from `crossover` of them on, up to `most`. */
typedef struct operation {
    const char *name, *few, *many;
    int64_t crossover[KINDS][MODULI], most;
} operation;

static const operation operations[] = {
    {"multiplication",
     "multiplication-tile",
     "multiplication-ntt",
     {{110, 520, 110, 110, 110}, {130, 170, 24}, {4000, 5000, 1000}},
     1 << 27},
    {"division",
     "division-inverse",
     "division-newton",
     {{150, 1500, 1000, 1000, 460}, {11500, 12000, 3500}, {18000, 20000, 8000}},
     1 << 22},
    {"gcd",
     "gcd-jump",
     "gcd-half",
     {{1100, 6300, 700, 1500, 1500}, {31000, 31000, 15500}, {34000, 36000, 12000}},
     1 << 22},
};

static int64_t within(int64_t terms)
{
    return terms < 0 ? 0 : terms > INT32_MAX ? INT32_MAX : terms;
}

/* Terms that both operands would have if they had as many, for the same work. */
static int64_t size_of(const operation *x, int64_t n, int64_t m)
{
    n = within(n);
    m = within(m);
    if (x == &operations[2]) return (n + m) / 2;
    if (x == &operations[1]) n = n - m + 1; /* quotients, times terms of b */
    return n < 1 || m < 1 ? 0 : (int64_t)(2 * (double)n * (double)m / ((double)n + (double)m));
}

mmm_status mmm_algorithms(const mmm_machine *machine, const char *name, uint64_t p, int64_t n, int64_t m, int64_t batch,
                          const char *out[2])
{
    mmm_status result = MMM_OK;
    const operation *x = operations, *end = operations + sizeof operations / sizeof *operations;
    NEED(machine, "the machine");
    NEED(name, "the operation");
    while (x < end && strcmp(x->name, name) != 0)
        x++;
    if (x == end) FAIL(MMM_INVALID, "'%s' is not an operation; they are multiplication, division and gcd", name);
    const mmm_parameters *z = &machine->parameters;
    const bool vectors = machine->cpu && z->lanes >= LANES_LEAST;
    const int large = !vectors ? LONG : mmm_cpu_way(p) == MMM_ISA_V4_60 ? BELOW_60 : VECTORS;
    const int modulus = p >= (uint64_t)1 << 31 ? large : p > 2 && (p - 1) % ((uint64_t)1 << 24) == 0 ? ROOTS : SHORT;
    const bool room = machine->cpu || (z->Z >= 12288 && (z->threads == 0 || z->threads >= 512));
    const bool possible = room && n <= x->most && m <= x->most;
    const int kind = machine->cpu ? CORES : batch > 1 ? FULL : GPU;
    const double size = (double)size_of(x, n, m), crossover = (double)x->crossover[kind][modulus];
    const bool many = possible && size >= crossover;
    out[0] = many ? x->many : x->few;
    out[1] = many ? x->few : x->many;
    if (!possible || size < crossover / DOUBTFUL_BELOW || size > crossover * DOUBTFUL_ABOVE) out[1] = NULL;
done:
    return result;
}

#define SHARED(x, y) .share = 128, .shared = (x), .shared_wide = (y)

/* Of an application, a choice and its value on CPUs and on others; for inputs of few elements it is `few` instead, and
 * for words of 64 bits `wide` on others; on cores with vectors of 16 words of 32 bits or 8 of 64 `vectors` and
 * `few_vectors`, for either, and `below_60` where p is below 2^60 and they multiply numbers of 52 bits; all where these
 * are not 0.  Where each of a machine's SMs, SMS_LEAST or more, has at most `share` elements, `shared` and
 * `shared_wide` are for the others, or if `shared` is OWN as many elements as it has, in sixteens. */
enum { OWN = -1, SMS_LEAST = 32 };
enum { OF_32, OF_64, WIDTHS };
static const struct {
    const char *app, *name;
    int64_t cpu, other;
    int64_t few, few_cpu, few_other, wide, vectors[WIDTHS], few_vectors[WIDTHS], below_60;
    int64_t share, shared, shared_wide;
} usual[] = {
    {"multiplication-tile", "s", .cpu = 1024, .other = 256},
    {"multiplication-tile", "l", .cpu = 8, .other = 32},
    {"multiplication-tile", "g", .cpu = 8, .other = 1, .few = 4, .few_cpu = 128},
    {"multiplication-ntt", "s", .cpu = 11, .other = 8, .few = 8, .few_cpu = 1 << 17, .few_vectors[OF_64] = 1},
    {"multiplication-ntt", "c", .cpu = 128, .other = 16},
    {"multiplication-ntt", "large", .below_60 = 1},
    {"multiplication-ring", "s", .cpu = 11, .other = 8, .few = 8, .few_cpu = 1 << 17},
    {"multiplication-ring", "c", .cpu = 128, .other = 16},
    {"multiplication-ring", "large", .below_60 = 1},
    {"division-inverse", "s", .cpu = 256, .other = 4096, .vectors[OF_64] = 128},
    {"division-inverse", "w", .cpu = 1024, .other = 64},
    {"division-inverse", "l", .cpu = 8, .other = 64},
    {"division-inverse", "g", .cpu = 8, .other = 1},
    {"division-newton", "s", .cpu = 11, .other = 8},
    {"division-newton", "c", .cpu = 128, .other = 16},
    {"division-newton", "w", .cpu = 1 << 23, .other = 1 << 23},
    {"division-newton", "large", .below_60 = 1},
    {"gcd-jump", "s", .cpu = 206, .other = 360, .few_cpu = 600, .few_other = 100, .wide = 180,
     .few_vectors = {2000, 2000}, SHARED(180, 90)},
    {"gcd-jump", "h", .cpu = 1, .other = 256},
    {"gcd-jump", "l", .cpu = 32, .other = 32, SHARED(OWN, OWN)},
    {"gcd-jump", "r", .cpu = 8, .other = 1, SHARED(0, 0)},
    {"gcd-jump", "k", .cpu = 1, .other = 2},
    {"gcd-half", "s", .cpu = 127, .other = 180, .wide = 90, .vectors = {255, 255}},
    {"gcd-half", "j", .cpu = 1, .other = 18, .wide = 16},
    {"gcd-half", "h", .cpu = 1, .other = 256},
    {"gcd-half", "l", .cpu = 8, .other = 78, .wide = 36},
    {"gcd-half", "k", .cpu = 1, .other = 2},
    {"gcd-half", "e", .cpu = 11, .other = 8},
    {"gcd-half", "c", .cpu = 64, .other = 16},
    {"gcd-half", "large", .below_60 = 1},
};

static int64_t usual_value(const mmm_job *job, const mmm_machine *machine, size_t i, bool shares)
{
    const int64_t n = mmm_job_get(job, "n"), m = mmm_job_get(job, "m"), most = n > m ? n : m;
    const bool wide = mmm_job_get(job, "p") >= (int64_t)1 << 31;
    const double each = (double)most * (double)(job->batch > 1 ? job->batch : 1) / (double)machine->parameters.P;
    const bool vectors = machine->cpu && machine->parameters.lanes >= LANES_LEAST;
    int64_t value = machine->cpu ? usual[i].cpu : wide && usual[i].wide ? usual[i].wide : usual[i].other;
    if (shares && each <= (double)usual[i].share) {
        value = wide ? usual[i].shared_wide : usual[i].shared;
        if (value == OWN) value = 16 * (int64_t)ceil(each / 16);
    }
    if (vectors && usual[i].vectors[wide]) value = usual[i].vectors[wide];
    if (vectors && wide && usual[i].below_60 && mmm_cpu_way((uint64_t)mmm_job_get(job, "p")) == MMM_ISA_V4_60)
        value = usual[i].below_60;
    int64_t few_most = machine->cpu ? usual[i].few_cpu : usual[i].few_other;
    if (vectors && usual[i].few_vectors[wide]) few_most = usual[i].few_vectors[wide];
    return few_most && most <= few_most ? usual[i].few : value;
}

/* How to sort up to so many keys. */
typedef struct sorting {
    int64_t most, method, s, l, e, b;
} sorting;

/* Blocks of one thread; buckets where all keys do not fit the caches, or for several cores. */
static sorting sorting_on_cores(int64_t cores, int64_t count, bool large)
{
    sorting x = {.method = 4, .s = count < 100000 ? 11 : 12, .l = 1, .e = count / (8 * cores) + 1};
    x.b = count >= (cores > 1 ? 300000 : large ? 700000 : 1600000) ? 256 : 1;
    return x;
}

/* By tiles of l e keys, as was quickest on an H200: few, then many of them alone, with values of 32 bits, or of 64
 * bits. */
static sorting sorting_by_tiles(int64_t count, int64_t bits, bool values)
{
    static const sorting few[] = {
        {1024, 1, 8, 256, 4, 1}, {2048, 1, 8, 256, 8, 1}, {4096, 1, 8, 512, 8, 1}, {30000, 3, 8, 256, 4, 1}};
    static const sorting many[3][4] = {
        {{300000, 1, 8, 256, 8, 1}, {1500000, 2, 8, 512, 16, 1}, {INT64_MAX, 1, 8, 256, 24, 1}},
        {{300000, 1, 8, 256, 4, 1},
         {1500000, 2, 8, 512, 16, 1},
         {30000000, 1, 8, 256, 28, 1},
         {INT64_MAX, 1, 8, 512, 28, 1}},
        {{300000, 1, 8, 256, 4, 1}, {INT64_MAX, 1, 8, 512, 12, 1}}};
    const sorting *x = count <= 30000 ? few : many[bits == 64 ? 2 : values];
    while (count > x->most)
        x++;
    return *x;
}

static sorting sorting_of(const mmm_job *job, const mmm_machine *machine)
{
    const mmm_parameters *p = &machine->parameters;
    const int64_t count = mmm_job_get(job, "n"), bits = mmm_job_get(job, "bits"), values = mmm_job_get(job, "values");
    const bool large = values || bits == 64;
    sorting x = sorting_by_tiles(count, bits, values != 0);
    int64_t words = x.l * x.e * bits / 32 * (1 + values) + (x.l / 32 + 4) * 256 + x.l;
    if (words > p->Z) x.l = 256, x.e = 4, words = x.l * x.e * bits / 32 * (1 + values) + 12 * 256 + x.l;
    if (machine->cpu || words > p->Z || (p->threads > 0 && p->threads < x.l))
        x = sorting_on_cores(p->P >= 1 ? p->P : 1, count, large);
    if (!machine->cpu && (3 << x.s) + 16 > p->Z) x.s = 4; /* a machine with hardly any local memory */
    return x;
}

static bool is_set(const mmm_job *job, const char *name)
{
    const int i = mmm_app_parameter(job->app, name);
    return i >= 0 && job->set[i];
}

/* An application of somebody else's with such a name need not have such a choice. */
static void take(const mmm_job *job, const char *name, int64_t value, int64_t *values)
{
    const int i = mmm_app_parameter(job->app, name);
    if (i >= 0 && !job->set[i] && value >= job->app->parameters[i].least && value <= job->app->parameters[i].most)
        values[i] = value;
}

bool mmm_usual_values(const mmm_job *job, const mmm_machine *machine, int64_t values[MMM_PARAMETERS_MOST])
{
    const bool sorts = strcmp(job->app->name, "sort") == 0;
    bool shares = !machine->cpu && machine->parameters.P >= SMS_LEAST, known = sorts;
    memcpy(values, job->values, sizeof job->values);
    if (sorts) {
        const sorting x = sorting_of(job, machine);
        take(job, "method", x.method, values);
        take(job, "s", x.s, values);
        take(job, "l", x.l, values);
        take(job, "e", x.e, values);
        take(job, "b", x.b, values);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) /* values for shares go together, or not at all */
        if (usual[i].share && strcmp(usual[i].app, job->app->name) == 0 && is_set(job, usual[i].name)) shares = false;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].app, job->app->name) != 0) continue;
        known = true;
        take(job, usual[i].name, usual_value(job, machine, i, shares), values);
    }
    return known;
}

void mmm_job_usual_others(mmm_job *job, const mmm_machine *machine)
{
    int64_t values[MMM_PARAMETERS_MOST];
    if (!mmm_usual_values(job, machine, values)) return;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role != MMM_CHOICE && values[i] != job->values[i])
            mmm_job_choose(job, i, values[i]);
}

mmm_status mmm_job_usual(mmm_job *job, const mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    int64_t values[MMM_PARAMETERS_MOST];
    NEED(job, "the job");
    NEED(machine, "the machine");
    if (!mmm_usual_values(job, machine, values)) return MMM_OK;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *x = &job->app->parameters[i];
        if (x->role == MMM_CHOICE || values[i] != job->values[i]) TRY(mmm_job_set(job, x->name, values[i]));
    }
done:
    return result;
}
