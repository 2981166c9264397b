/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs beside its kernels: the functions of mmm.h with host arrays, again and again for the same sizes,
 * the kernels of the same plan, and FLINT on one core; and batches.  The call's target is FLINT's time and a fifth on a
 * CPU; on a device the kernels' time, the transfers at the bandwidth that a large one has and a fifth, and 40 us: `of
 * it` counts the bytes that cross to the device, 4 a coefficient, `caller's` those of the caller's memory, 8 a
 * coefficient.  With MMM_BENCH_FLINT=libflint.so of another FLINT that one is measured.  `first, more` is what the
 * first call of a shape takes beyond the later ones, its kernels being in the cache on disk: at most 5 ms.  Use: calls
 * [MACHINE [SECONDS [FIRST]]] */
#include "bench.h"
#include "mmm.h"

#include <dlfcn.h>
#include <flint/nmod_poly.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, P = 2013265921 };

typedef struct flint {
    void (*init)(nmod_poly_t, mp_limb_t);
    void (*set)(nmod_poly_t, mp_limb_signed_t, mp_limb_t);
    void (*clear)(nmod_poly_t);
    void (*mul)(nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    void (*divrem)(nmod_poly_t, nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
    void (*gcd)(nmod_poly_t, const nmod_poly_t, const nmod_poly_t);
} flint;

static flint peer = {nmod_poly_init, nmod_poly_set_coeff_ui, nmod_poly_clear,
                     nmod_poly_mul,  nmod_poly_divrem,       nmod_poly_gcd};

typedef enum operation { MULTIPLY, DIVIDE, GCD, SORT } operation;

static const struct row {
    operation what;
    int64_t n, m, batch;
} rows[] = {{MULTIPLY, 64, 64, 1},    {MULTIPLY, 256, 256, 1}, {MULTIPLY, 1024, 1024, 1}, {MULTIPLY, 8000, 8000, 1},
            {DIVIDE, 128, 64, 1},     {DIVIDE, 512, 256, 1},   {DIVIDE, 2048, 1024, 1},   {DIVIDE, 16384, 8192, 1},
            {GCD, 64, 64, 1},         {GCD, 256, 256, 1},      {GCD, 1000, 1000, 1},      {GCD, 4000, 4000, 1},
            {GCD, 10000, 9000, 1},    {SORT, 10000, 0, 1},     {SORT, 1000000, 0, 1},     {SORT, 10000000, 0, 1},
            {MULTIPLY, 64, 64, 1000}, {DIVIDE, 128, 64, 1000}, {GCD, 64, 64, 1000},       {GCD, 256, 256, 1000},
            {SORT, 1000, 0, 1000}};

static uint64_t draw(void)
{
    static uint64_t x = 1;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return x >> 33;
}

/* The data of a row, and what it is called with. */
typedef struct work {
    struct row row;
    mmm_machine *machine;
    mmm_plan *plan;
    uint64_t *a, *b, *f, *g;
    int64_t *terms, *more;
    uint32_t *keys, *sorted;
    nmod_poly_t x, y, z, w;
} work;

static void call(work *w)
{
    const struct row *r = &w->row;
    if (r->what == SORT) memcpy(w->sorted, w->keys, (size_t)(r->n * r->batch) * sizeof *w->keys);
    if (r->batch > 1) switch (r->what) {
        case MULTIPLY: must(mmm_multiply_many(w->machine, P, r->batch, w->a, r->n, w->b, r->m, w->f, w->terms)); break;
        case DIVIDE:
            must(mmm_divide_many(w->machine, P, r->batch, w->a, r->n, w->b, r->m, w->f, w->terms, w->g, w->more));
            break;
        case GCD: must(mmm_gcd_many(w->machine, P, r->batch, w->a, r->n, w->b, r->m, w->f, w->terms)); break;
        case SORT: must(mmm_sort_many_u32(w->machine, r->batch, w->sorted, NULL, r->n)); break;
        }
    else
        switch (r->what) {
        case MULTIPLY: must(mmm_multiply(w->machine, P, w->a, r->n, w->b, r->m, w->f, w->terms)); break;
        case DIVIDE: must(mmm_divide(w->machine, P, w->a, r->n, w->b, r->m, w->f, w->terms, w->g, w->more)); break;
        case GCD: must(mmm_gcd(w->machine, P, w->a, r->n, w->b, r->m, w->f, w->terms)); break;
        case SORT: must(mmm_sort_u32(w->machine, w->sorted, NULL, r->n)); break;
        }
}

/* What a sort's copy before it costs. */
static void call_nothing(work *w)
{
    if (w->row.what == SORT) memcpy(w->sorted, w->keys, (size_t)(w->row.n * w->row.batch) * sizeof *w->keys);
}

static void call_flint(work *w)
{
    switch (w->row.what) {
    case MULTIPLY: peer.mul(w->z, w->x, w->y); break;
    case DIVIDE: peer.divrem(w->z, w->w, w->x, w->y); break;
    case GCD: peer.gcd(w->z, w->x, w->y); break;
    case SORT: break;
    }
}

/* The least of several times, each of so many calls that the clock can tell. */
static double time_of(void (*function)(work *), work *w, int64_t calls)
{
    double start = mmm_now();
    for (int64_t i = 0; i < calls; i++)
        function(w);
    return (mmm_now() - start) / (double)calls;
}

static void run_plan(work *w)
{
    must(mmm_plan_run(w->plan, w->row.what == SORT ? (const void *[]){w->keys, NULL} : (const void *[]){w->a, w->b},
                      w->row.what == SORT ? (void *[]){w->sorted, NULL} : (void *[]){w->f, w->g},
                      (int64_t *[]){w->terms, w->more}));
}

static void prepare(work *w)
{
    const struct row *r = &w->row;
    const int64_t n = r->n * r->batch, m = r->m * r->batch;
    w->a = room(n, 8), w->b = room(m, 8), w->f = room(n + m, 8), w->g = room(n + m, 8);
    w->terms = room(r->batch, 8), w->more = room(r->batch, 8);
    w->keys = room(n, 4), w->sorted = room(n, 4);
    for (int64_t i = 0; i < n; i++)
        w->keys[i] = (uint32_t)(draw() ^ draw() << 16), w->a[i] = 1 + draw() % (P - 1);
    for (int64_t i = 0; i < m; i++)
        w->b[i] = 1 + draw() % (P - 1);
    peer.init(w->x, P), peer.init(w->y, P), peer.init(w->z, P), peer.init(w->w, P);
    for (int64_t i = 0; r->what != SORT && i < r->n; i++)
        peer.set(w->x, i, w->a[i]);
    for (int64_t i = 0; r->what != SORT && i < r->m; i++)
        peer.set(w->y, i, w->b[i]);
}

static void make_plan(work *w)
{
    const struct row *r = &w->row;
    switch (r->what) {
    case MULTIPLY: must(mmm_plan_multiply(w->machine, P, r->n, r->m, r->batch, &w->plan)); break;
    case DIVIDE: must(mmm_plan_divide(w->machine, P, r->n, r->m, r->batch, &w->plan)); break;
    case GCD: must(mmm_plan_gcd(w->machine, P, r->n, r->m, r->batch, &w->plan)); break;
    case SORT: must(mmm_plan_sort(w->machine, r->n, 32, 0, r->batch, &w->plan)); break;
    }
}

static void release(work *w)
{
    mmm_plan_free(w->plan);
    free(w->a), free(w->b), free(w->f), free(w->g), free(w->terms), free(w->more), free(w->keys), free(w->sorted);
    peer.clear(w->x), peer.clear(w->y), peer.clear(w->z), peer.clear(w->w);
}

/* Bytes a second of plain copies by CUDA from and to memory as callers have it: there and back, 32 MB each. */
static double bandwidth(const char *name)
{
    enum { BYTES = 32 << 20 };
    void *library = strncmp(name, "cuda:", 5) == 0 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    if (!library) return 0;
    int (*retain)(void **, int) = dlsym(library, "cuDevicePrimaryCtxRetain");
    int (*push)(void *) = dlsym(library, "cuCtxPushCurrent_v2"), (*pop)(void **) = dlsym(library, "cuCtxPopCurrent_v2");
    int (*make)(uint64_t *, size_t) = dlsym(library, "cuMemAlloc_v2"),
                            (*drop)(uint64_t) = dlsym(library, "cuMemFree_v2");
    int (*in)(uint64_t, const void *, size_t) = dlsym(library, "cuMemcpyHtoD_v2");
    int (*out)(void *, uint64_t, size_t) = dlsym(library, "cuMemcpyDtoH_v2");
    void *context = NULL, *memory = room(BYTES, 1);
    uint64_t there;
    double best = 0;
    if (retain(&context, atoi(name + 5)) || push(context) || make(&there, BYTES)) return 0;
    memset(memory, 1, BYTES);
    for (int round = 0; round < 7; round++) {
        double start = mmm_now();
        if (in(there, memory, BYTES) || out(memory, there, BYTES)) return 0;
        double rate = 2.0 * BYTES / (mmm_now() - start);
        if (rate > best) best = rate;
    }
    drop(there);
    pop(&context);
    free(memory);
    return best;
}

/* Coefficients that go in and come out, 8 bytes each in the caller's memory. */
static int64_t results(const struct row *r)
{
    return r->n + r->m + (r->what == MULTIPLY ? r->n + r->m - 1 : r->what == DIVIDE ? r->n : r->n > r->m ? r->n : r->m);
}

/* `other` is the same machine once more, which has seen all kernels first, so that they are in the disk's cache. */
static void measure(struct row row, mmm_machine *machine, mmm_machine *other, double limit, double rate)
{
    static const char *const names[] = {"multiply", "divide", "gcd", "sort u32"};
    work w = {.row = row, .machine = other};
    double first, mine = 1e9, kernels = 1e9, theirs = 1e9, copy = 1e9, begun = mmm_now();
    int64_t in[2], out[2];
    prepare(&w);
    call(&w);
    w.machine = machine;
    first = mmm_now();
    call(&w);
    first = mmm_now() - first;
    make_plan(&w);
    call(&w);
    run_plan(&w);
    double once = time_of(call, &w, 1);
    const double once_theirs = row.what == SORT ? 1 : time_of(call_flint, &w, 2);
    const int64_t calls = (int64_t)(2e-4 / once) + 1, their_calls = (int64_t)(2e-4 / once_theirs) + 1;
    mmm_machine_transferred(machine, &in[0], &out[0]);
    call(&w);
    mmm_machine_transferred(machine, &in[1], &out[1]);
    for (int i = 0; i < ROUNDS && (i < 3 || mmm_now() - begun < limit); i++) {
        double t = time_of(call, &w, calls), c = time_of(call_nothing, &w, calls);
        if (t < mine) mine = t;
        if (c < copy) copy = c;
        for (int k = 0; k < 5; k++) {
            run_plan(&w);
            if (mmm_plan_seconds(w.plan) < kernels) kernels = mmm_plan_seconds(w.plan);
        }
        t = row.what == SORT ? 0 : time_of(call_flint, &w, their_calls) * (double)row.batch;
        if (t < theirs) theirs = t;
    }
    mine -= copy;
    double bytes = (double)(in[1] - in[0] + out[1] - out[0]);
    double target = rate ? kernels + 1.2 * bytes / rate + 40e-6 : 1.2 * theirs;
    const double own = (row.what == SORT ? 8.0 * (double)row.n : (double)(8 * results(&row))) * (double)row.batch;
    double of_caller = rate ? kernels + 1.2 * own / rate + 40e-6 : 0;
    printf("%-8s %8lld %6lld %6lld %11.2f %11.2f %11.2f %11.2f", names[row.what], (long long)row.n, (long long)row.m,
           (long long)row.batch, kernels * 1e6, mine * 1e6, (first - mine - copy) * 1e6, theirs * 1e6);
    if (target > 0) printf(" %11.2f %7.2f", target * 1e6, mine / target);
    if (of_caller > 0)
        printf(" %8.2f\n", mine / of_caller);
    else
        printf("\n");
    fflush(stdout);
    release(&w);
}

/* f = a b, f = q c + r and, where it is wanted, g = gcd(q, b): with host arrays, and with arrays that stay in the
 * machine's memory. */
static void measure_chain(int64_t n, bool gcd, mmm_machine *machine)
{
    uint64_t *a = room(n, 8), *b = room(n, 8), *c = room(n, 8), *f = room(4 * n, 8), *q = room(4 * n, 8),
             *r = room(4 * n, 8);
    int64_t f_terms, q_terms, r_terms, g_terms = 0;
    double host = 1e9, there = 1e9;
    mmm_array *x, *y, *z, *u, *v, *w, *g = NULL;
    for (int64_t i = 0; i < n; i++)
        a[i] = 1 + draw() % (P - 1), b[i] = 1 + draw() % (P - 1), c[i] = 1 + draw() % (P - 1);
    must(mmm_array_new(machine, P, c, n, &z));
    must(mmm_array_new(machine, P, a, n, &x));
    must(mmm_array_new(machine, P, b, n, &y));
    for (int round = 0; round < ROUNDS; round++) {
        double start = mmm_now();
        must(mmm_multiply(machine, P, a, n, b, n, f, &f_terms));
        must(mmm_divide(machine, P, f, f_terms, c, n, q, &q_terms, r, &r_terms));
        if (gcd) must(mmm_gcd(machine, P, q, q_terms, b, n, f, &g_terms));
        double middle = mmm_now();
        must(mmm_array_multiply(x, y, &u));
        must(mmm_array_divide(u, z, &v, &w));
        if (gcd) must(mmm_array_gcd(v, y, &g));
        double end = mmm_now();
        if (middle - start < host) host = middle - start;
        if (end - middle < there) there = end - middle;
        if (mmm_array_terms(v) != q_terms || (gcd && mmm_array_terms(g) != g_terms)) must(MMM_WRONG);
        mmm_array_free(u), mmm_array_free(v), mmm_array_free(w), mmm_array_free(g);
        g = NULL;
    }
    printf("multiply, divide%s in a row, n = %lld: host arrays %.1f us, arrays that stay %.1f us, %.2f of it\n",
           gcd ? ", gcd" : "", (long long)n, host * 1e6, there * 1e6, there / host);
    mmm_array_free(x), mmm_array_free(y), mmm_array_free(z);
    free(a), free(b), free(c), free(f), free(q), free(r);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu", *flint_file = getenv("MMM_BENCH_FLINT");
    mmm_machine *machine, *other;
    void *library = flint_file ? dlopen(flint_file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (library)
        peer = (flint){dlsym(library, "nmod_poly_init"),   dlsym(library, "nmod_poly_set_coeff_ui"),
                       dlsym(library, "nmod_poly_clear"),  dlsym(library, "nmod_poly_mul"),
                       dlsym(library, "nmod_poly_divrem"), dlsym(library, "nmod_poly_gcd")};
    must(mmm_machine_open(name, &machine));
    other = machine;
    if (strncmp(name, "cpu", 3) != 0) must(mmm_machine_open(name, &other));
    double rate = bandwidth(name);
    printf("calls on %s (%s), p = %d, in us%s\n", name, mmm_machine_description(machine), P,
           library ? ", FLINT of MMM_BENCH_FLINT" : "");
    if (rate) printf("copies of 32 MB from and to such memory: %.1f GB/s\n", rate / 1e9);
    printf("%-8s %8s %6s %6s %11s %11s %11s %11s %11s %7s %8s\n", "call", "n", "m", "batch", "kernels", "call",
           "first, more", "FLINT", "target", "of it", rate ? "caller's" : "");
    for (size_t i = argc > 3 ? (size_t)atoi(argv[3]) : 0; i < sizeof rows / sizeof *rows; i++)
        measure(rows[i], machine, other, argc > 2 ? atof(argv[2]) : 2, rate);
    for (int64_t n = 250; n <= 1 << 20; n *= 8) {
        measure_chain(n, false, machine);
        if (n <= 1 << 17) measure_chain(n, true, machine);
    }
    if (other != machine) mmm_machine_free(other);
    mmm_machine_free(machine);
    return 0;
}
