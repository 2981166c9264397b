/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials that stay in a machine's memory: chains of operations as FLINT does them, what they move, errors. */
#include "machines.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <flint/nmod_poly.h>

enum { POOL = 6 };

static const uint64_t primes[] = {2, 2013265921, 9223372036854775783u};

/* An array and what it should be. */
typedef struct pair {
    mmm_array *array;
    nmod_poly_t flint;
} pair;

static void new_pair(pair *x, mmm_machine *machine, uint64_t p, const uint64_t *a, int64_t terms)
{
    nmod_poly_init(x->flint, p);
    for (int64_t i = 0; i < terms; i++)
        nmod_poly_set_coeff_ui(x->flint, i, a[i]);
    assert_ok(mmm_array_new(machine, p, a, terms, &x->array));
}

/* Random coefficients with zeros on top now and then. */
static void random_pair(pair *x, mmm_random *random, mmm_machine *machine, uint64_t p, int64_t terms)
{
    uint64_t *a = calloc((size_t)terms + 1, sizeof *a);
    for (int64_t i = 0; i < terms; i++)
        a[i] = mmm_random_below(random, p);
    if (terms > 3 && draw(random, 0, 3) == 0) a[terms - 1] = a[terms - 2] = 0;
    new_pair(x, machine, p, a, terms);
    free(a);
}

static void free_pair(pair *x)
{
    mmm_array_free(x->array);
    nmod_poly_clear(x->flint);
}

static void assert_pair(const pair *x, const char *machine)
{
    int64_t terms = mmm_array_terms(x->array);
    uint64_t *a = calloc((size_t)terms + 1, sizeof *a);
    assert_int_equal(terms, nmod_poly_length(x->flint));
    assert_ok(mmm_array_read(x->array, a));
    for (int64_t i = 0; i < terms; i++)
        if (a[i] != nmod_poly_get_coeff_ui(x->flint, i))
            fail_msg("%s: coefficient %lld is %llu, not %llu", machine, (long long)i, (unsigned long long)a[i],
                     (unsigned long long)nmod_poly_get_coeff_ui(x->flint, i));
    free(a);
}

/* Puts f where something was, unless it has grown too long. */
static void keep(pair *x, pair *f, int64_t most)
{
    if (mmm_array_terms(f->array) > most) {
        free_pair(f);
        return;
    }
    free_pair(x);
    *x = *f;
}

/* One operation on members of a pool, which may be the same one; its results take the places of others. */
static void step(mmm_random *random, pair *pool, int64_t most)
{
    const pair *a = &pool[draw(random, 0, POOL - 1)], *b = &pool[draw(random, 0, POOL - 1)];
    pair f, g;
    nmod_poly_init(f.flint, nmod_poly_modulus(a->flint));
    int64_t which = draw(random, 0, 2);
    if (which == 0) {
        assert_ok(mmm_array_multiply(a->array, b->array, &f.array));
        nmod_poly_mul(f.flint, a->flint, b->flint);
    } else if (which == 1) {
        assert_ok(mmm_array_gcd(a->array, b->array, &f.array));
        nmod_poly_gcd(f.flint, a->flint, b->flint);
    } else if (nmod_poly_is_zero(b->flint)) {
        assert_fails(mmm_array_divide(a->array, b->array, &f.array, &g.array), MMM_INVALID, "b is 0");
        nmod_poly_clear(f.flint);
        return;
    } else {
        nmod_poly_init(g.flint, nmod_poly_modulus(a->flint));
        assert_ok(mmm_array_divide(a->array, b->array, &f.array, &g.array));
        nmod_poly_divrem(f.flint, g.flint, a->flint, b->flint);
        keep(&pool[draw(random, 0, POOL - 1)], &g, most);
    }
    keep(&pool[draw(random, 0, POOL - 1)], &f, most);
}

static void test_chains(void **state)
{
    (void)state;
    for (int i = 0; i < machine_count; i++) {
        mmm_random random = {11}; /* the same chains everywhere */
        bool quick = strcmp(names[i], "cpu") == 0;
        for (int round = 0; round < (quick ? 30 : 6); round++) {
            pair pool[POOL];
            for (int j = 0; j < POOL; j++)
                random_pair(&pool[j], &random, machines[i], primes[round % 3], draw(&random, 0, j ? 90 : 400));
            for (int j = 0; j < 12; j++)
                step(&random, pool, 400);
            for (int j = 0; j < POOL; j++) { /* results, and operands that are still there */
                assert_pair(&pool[j], names[i]);
                free_pair(&pool[j]);
            }
        }
    }
}

/* f = a b, f = q a + r, g = gcd(f, c b), of so many terms that other algorithms do them, on machines that take their
 * time. */
static void test_large(void **state)
{
    mmm_random random = {12};
    (void)state;
    for (int i = 0; i < machine_count; i++) {
        const uint64_t p = primes[1];
        const int64_t n = strcmp(names[i], "cpu") == 0 ? 2500 : 300;
        pair a, b, c, f, g, q, r, h;
        random_pair(&a, &random, machines[i], p, n);
        random_pair(&b, &random, machines[i], p, n);
        random_pair(&c, &random, machines[i], p, n / 2);
        nmod_poly_init(f.flint, p), nmod_poly_init(g.flint, p), nmod_poly_init(h.flint, p);
        nmod_poly_init(q.flint, p), nmod_poly_init(r.flint, p);
        assert_ok(mmm_array_multiply(a.array, b.array, &f.array));
        assert_ok(mmm_array_multiply(b.array, c.array, &g.array));
        assert_ok(mmm_array_divide(f.array, a.array, &q.array, &r.array));
        assert_ok(mmm_array_gcd(f.array, g.array, &h.array));
        nmod_poly_mul(f.flint, a.flint, b.flint);
        nmod_poly_mul(g.flint, b.flint, c.flint);
        nmod_poly_divrem(q.flint, r.flint, f.flint, a.flint);
        nmod_poly_gcd(h.flint, f.flint, g.flint);
        assert_pair(&f, names[i]);
        assert_pair(&g, names[i]);
        assert_pair(&q, names[i]);
        assert_pair(&r, names[i]);
        assert_pair(&h, names[i]);
        free_pair(&a), free_pair(&b), free_pair(&c), free_pair(&f);
        free_pair(&g), free_pair(&h), free_pair(&q), free_pair(&r);
    }
}

/* 0, constants, n < m, a divided by itself, and powers of x: the remainder is 0 in all places but the last. */
static void test_edges(void **state)
{
    static uint64_t power[40001] = {1};
    power[40000] = 1;
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int k = 0; k < 3; k++) {
            uint64_t p = primes[k], one[] = {1, 0, 0}, last[] = {1, p - 1, 1};
            pair zero, unit, x, big;
            mmm_array *f, *q, *r;
            uint64_t word = 7;
            new_pair(&zero, machines[i], p, NULL, 0);
            new_pair(&unit, machines[i], p, one, 3);
            new_pair(&x, machines[i], p, last, 3);
            assert_int_equal(mmm_array_terms(unit.array), 1);
            assert_int_equal(mmm_array_terms(zero.array), 0);
            assert_ok(mmm_array_read(zero.array, NULL));
            assert_ok(mmm_array_multiply(zero.array, x.array, &f));
            assert_int_equal(mmm_array_terms(f), 0);
            mmm_array_free(f);
            assert_ok(mmm_array_gcd(zero.array, zero.array, &f));
            assert_int_equal(mmm_array_terms(f), 0);
            mmm_array_free(f);
            assert_ok(mmm_array_gcd(zero.array, x.array, &f));
            assert_int_equal(mmm_array_terms(f), 3);
            mmm_array_free(f);
            assert_ok(mmm_array_gcd(unit.array, x.array, &f));
            assert_int_equal(mmm_array_terms(f), 1);
            assert_ok(mmm_array_read(f, &word));
            assert_int_equal(word, 1);
            mmm_array_free(f);
            assert_ok(mmm_array_divide(unit.array, x.array, &q, &r)); /* n < m */
            assert_int_equal(mmm_array_terms(q), 0);
            assert_int_equal(mmm_array_terms(r), 1);
            mmm_array_free(q);
            mmm_array_free(r);
            assert_ok(mmm_array_divide(x.array, x.array, &q, &r));
            assert_int_equal(mmm_array_terms(q), 1);
            assert_int_equal(mmm_array_terms(r), 0);
            mmm_array_free(q);
            mmm_array_free(r);
            assert_pair(&x, names[i]);
            new_pair(&big, machines[i], p, power, 40001); /* 1 + x^40000 modulo x^39999 is 1 */
            power[0] = 0;
            power[39999] = 1;
            mmm_array *top;
            assert_ok(mmm_array_new(machines[i], p, power, 40000, &top));
            power[0] = 1;
            power[39999] = 0;
            assert_ok(mmm_array_divide(big.array, top, &q, &r));
            const mmm_counts *counts = mmm_machine_counts(machines[i]); /* of the kernel that counts terms */
            if (counts) assert_int_equal(counts->violation_count, 0);
            assert_int_equal(mmm_array_terms(q), 2);
            assert_int_equal(mmm_array_terms(r), 1);
            mmm_array_free(q);
            mmm_array_free(r);
            mmm_array_free(top);
            assert_pair(&big, names[i]);
            free_pair(&big);
            free_pair(&zero);
            free_pair(&unit);
            free_pair(&x);
        }
}

/* What a chain moves between the first and the last array: nothing as long as a polynomial.  Sizes are below those from
 * which on transforms, which have tables, are faster. */
static void test_transfers(void **state)
{
    enum { N = 60, M = 12 };
    static uint64_t f[N + M], g[N + M];
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int k = 0; k < 3; k++) {
            mmm_random random = {12};
            uint64_t p = primes[k];
            int64_t size = p < (uint64_t)1 << 31 ? 4 : 8, in, out, in_before, out_before, terms, more;
            uint64_t a[N], b[M];
            mmm_array *x, *y, *xy, *q, *r, *d;
            for (int j = 0; j < N; j++)
                a[j] = mmm_random_below(&random, p);
            for (int j = 0; j < M; j++)
                b[j] = mmm_random_below(&random, p);
            a[N - 1] = b[M - 1] = p - 1;
            mmm_machine_transferred(machines[i], &in_before, &out_before);
            assert_ok(mmm_array_new(machines[i], p, a, N, &x));
            assert_ok(mmm_array_new(machines[i], p, b, M, &y));
            mmm_machine_transferred(machines[i], &in, &out);
            assert_int_equal(in - in_before, (N + M) * size);
            assert_int_equal(out, out_before);
            in_before = in;
            assert_ok(mmm_array_multiply(x, y, &xy));
            assert_ok(mmm_array_divide(xy, y, &q, &r)); /* r is 0, and that is found out without moving it */
            assert_ok(mmm_array_gcd(xy, q, &d));
            assert_int_equal(mmm_array_terms(r), 0);
            assert_int_equal(mmm_array_terms(d), N);
            mmm_machine_transferred(machines[i], &in, &out);
            assert_true(in - in_before < 200 && out - out_before < 1000);
            out_before = out;
            assert_ok(mmm_array_read(q, f));
            mmm_machine_transferred(machines[i], &in, &out);
            assert_int_equal(out - out_before, N * size);
            assert_memory_equal(f, a, sizeof a);

            in_before = in;
            out_before = out;
            assert_ok(mmm_multiply(machines[i], p, a, N, b, M, f, &terms)); /* the same with arrays on the host */
            assert_ok(mmm_divide(machines[i], p, f, terms, b, M, g, &terms, f, &more));
            assert_memory_equal(g, a, sizeof a);
            mmm_machine_transferred(machines[i], &in, &out);
            assert_true(in - in_before > 2 * (N + M) * size && out - out_before == 2 * (N + M - 1) * size);
            mmm_array *const all[] = {x, y, xy, q, r, d};
            for (int j = 0; j < 6; j++)
                mmm_array_free(all[j]);
        }
}

/* Memory of the machine that another array has, as memory of the caller's. */
static void test_wrapped(void **state)
{
    mmm_random random = {9};
    (void)state;
    for (int i = 0; i < machine_count; i++)
        for (int j = 0; j < 3; j++) {
            pair x, y, f;
            mmm_array *wrapped;
            random_pair(&x, &random, machines[i], primes[j], 50);
            random_pair(&y, &random, machines[i], primes[j], 30);
            int64_t terms = mmm_array_terms(x.array);
            if (!terms) assert_null(mmm_array_memory(x.array));
            if (terms) {
                assert_ok(mmm_array_wrap(machines[i], primes[j], mmm_array_memory(x.array), terms, &wrapped));
                assert_ok(mmm_array_multiply(wrapped, y.array, &f.array));
                nmod_poly_init(f.flint, primes[j]);
                nmod_poly_mul(f.flint, x.flint, y.flint);
                assert_pair(&f, names[i]);
                free_pair(&f);
                mmm_array_free(wrapped);
                assert_pair(&x, names[i]); /* its memory is still there */
            }
            free_pair(&x);
            free_pair(&y);
        }
}

/* ---- Memory that the caller has made with the driver's own functions -----------------------------------------------
 */

enum { FOREIGN = 200, ABOVE = 20 }; /* terms, and zeros above them */

static void *symbol(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW), *found = handle ? dlsym(handle, name) : NULL;
    if (!found) fail_msg("%s has no %s", library, name);
    return found;
}

typedef struct foreign {
    void *memory, *context;
    void *queue; /* of OpenCL */
} foreign;

#define CUDA_FUNCTION(name, ...) int (*name)(__VA_ARGS__) = symbol("libcuda.so.1", #name)
#define OPENCL_FUNCTION(name)    __typeof__(&name) name##_ = symbol("libOpenCL.so.1", #name)

static foreign foreign_new(bool opencl, mmm_machine *machine, const void *words, size_t bytes)
{
    foreign x = {0};
    if (opencl) {
        OPENCL_FUNCTION(clGetMemObjectInfo);
        OPENCL_FUNCTION(clGetContextInfo);
        OPENCL_FUNCTION(clCreateCommandQueue);
        OPENCL_FUNCTION(clCreateBuffer);
        OPENCL_FUNCTION(clEnqueueWriteBuffer);
        mmm_array *any; /* tells the machine's context */
        cl_device_id device;
        assert_ok(mmm_array_new(machine, 7, (uint64_t[]){1}, 1, &any));
        assert_int_equal(
            clGetMemObjectInfo_(mmm_array_memory(any), CL_MEM_CONTEXT, sizeof(cl_context), &x.context, NULL), 0);
        mmm_array_free(any);
        assert_int_equal(clGetContextInfo_(x.context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), 0);
        x.queue = clCreateCommandQueue_(x.context, device, 0, NULL);
        x.memory = clCreateBuffer_(x.context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        assert_non_null(x.queue);
        assert_non_null(x.memory);
        assert_int_equal(clEnqueueWriteBuffer_(x.queue, x.memory, CL_TRUE, 0, bytes, words, 0, NULL, NULL), 0);
    } else {
        CUDA_FUNCTION(cuDevicePrimaryCtxRetain, void **, int);
        CUDA_FUNCTION(cuCtxPushCurrent_v2, void *);
        CUDA_FUNCTION(cuMemAlloc_v2, void **, size_t);
        CUDA_FUNCTION(cuMemcpyHtoD_v2, void *, const void *, size_t);
        assert_int_equal(cuDevicePrimaryCtxRetain(&x.context, 0), 0);
        assert_int_equal(cuCtxPushCurrent_v2(x.context), 0);
        assert_int_equal(cuMemAlloc_v2(&x.memory, bytes), 0);
        assert_int_equal(cuMemcpyHtoD_v2(x.memory, words, bytes), 0);
    }
    return x;
}

static void foreign_read(bool opencl, const foreign *x, void *to, size_t bytes)
{
    if (opencl) {
        OPENCL_FUNCTION(clEnqueueReadBuffer);
        assert_int_equal(clEnqueueReadBuffer_(x->queue, x->memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL), 0);
    } else {
        CUDA_FUNCTION(cuMemcpyDtoH_v2, void *, void *, size_t);
        assert_int_equal(cuMemcpyDtoH_v2(to, x->memory, bytes), 0);
    }
}

static void foreign_free(bool opencl, const foreign *x)
{
    if (opencl) {
        OPENCL_FUNCTION(clReleaseMemObject);
        OPENCL_FUNCTION(clReleaseCommandQueue);
        assert_int_equal(clReleaseMemObject_(x->memory), 0);
        assert_int_equal(clReleaseCommandQueue_(x->queue), 0);
    } else {
        void *old;
        CUDA_FUNCTION(cuMemFree_v2, void *);
        CUDA_FUNCTION(cuCtxPopCurrent_v2, void **);
        CUDA_FUNCTION(cuDevicePrimaryCtxRelease_v2, int);
        assert_int_equal(cuMemFree_v2(x->memory), 0);
        assert_int_equal(cuCtxPopCurrent_v2(&old), 0);
        assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
    }
}

/* x in the words of programs, with zeros above it. */
static void words_of(const pair *x, uint64_t p, char *words)
{
    mmm_modulus modulus;
    assert_ok(mmm_modulus_read(p, &modulus));
    const size_t size = (size_t)modulus.bits / 8;
    for (int64_t i = 0; i < nmod_poly_length(x->flint); i++) {
        uint64_t word = mmm_modulus_enter(&modulus, nmod_poly_get_coeff_ui(x->flint, i));
        memcpy(words + (size_t)i * size, &word, size);
    }
}

/* What a call that need not wait has begun is there when its memory is asked for. */
static void check_handed_on(bool opencl, const foreign *own, const pair *x, uint64_t p)
{
    const size_t size = p >> 31 ? sizeof(uint64_t) : sizeof(uint32_t);
    pair square;
    assert_ok(mmm_array_multiply(x->array, x->array, &square.array));
    const foreign handed = {mmm_array_memory(square.array), own->context, own->queue};
    nmod_poly_init(square.flint, p);
    nmod_poly_mul(square.flint, x->flint, x->flint);
    const size_t bytes = (size_t)nmod_poly_length(square.flint) * size;
    char *words = malloc(bytes), *found = malloc(bytes);
    assert_non_null(words);
    assert_non_null(found);
    words_of(&square, p, words);
    foreign_read(opencl, &handed, found, bytes);
    assert_memory_equal(found, words, bytes);
    free(words);
    free(found);
    free_pair(&square);
}

/* A buffer that the caller has made, and releases: an operand, and unchanged after. */
static void test_foreign(void **state)
{
    mmm_random random = {13};
    (void)state;
    for (int i = 0; i < machine_count; i++) {
        const bool opencl = strncmp(names[i], "opencl:", 7) == 0;
        for (int j = 0; j < 3 && (opencl || strcmp(names[i], "cuda:0") == 0); j++) {
            const size_t bytes = (FOREIGN + ABOVE) * (primes[j] >> 31 ? sizeof(uint64_t) : sizeof(uint32_t));
            char words[(FOREIGN + ABOVE) * sizeof(uint64_t)] = {0}, after[sizeof words];
            pair x, y, f, g;
            mmm_array *wrapped;
            random_pair(&x, &random, machines[i], primes[j], FOREIGN);
            random_pair(&y, &random, machines[i], primes[j], 30);
            words_of(&x, primes[j], words);
            const foreign own = foreign_new(opencl, machines[i], words, bytes);
            assert_ok(mmm_array_wrap(machines[i], primes[j], own.memory, FOREIGN + ABOVE, &wrapped));
            assert_int_equal(mmm_array_terms(wrapped), nmod_poly_length(x.flint));
            assert_ok(mmm_array_multiply(wrapped, y.array, &f.array));
            assert_ok(mmm_array_gcd(f.array, wrapped, &g.array));
            nmod_poly_init(f.flint, primes[j]), nmod_poly_init(g.flint, primes[j]);
            nmod_poly_mul(f.flint, x.flint, y.flint);
            nmod_poly_gcd(g.flint, f.flint, x.flint);
            assert_pair(&f, names[i]);
            assert_pair(&g, names[i]);
            mmm_array_free(wrapped);
            foreign_read(opencl, &own, after, bytes);
            assert_memory_equal(after, words, bytes);
            check_handed_on(opencl, &own, &f, primes[j]);
            foreign_free(opencl, &own);
            free_pair(&x), free_pair(&y), free_pair(&f), free_pair(&g);
        }
    }
}

static void test_errors(void **state)
{
    uint64_t a[] = {1, 2, 3};
    mmm_array *x, *y, *z, *f = NULL, *g = NULL;
    mmm_machine *other;
    (void)state;
    assert_ok(mmm_machine_open("cpu", &other));
    assert_ok(mmm_array_new(machines[0], 7, a, 3, &x));
    assert_ok(mmm_array_new(machines[0], 5, a, 3, &y));
    assert_ok(mmm_array_new(other, 7, a, 3, &z));
    assert_fails(mmm_array_new(NULL, 7, a, 3, &f), MMM_INVALID, "machine");
    assert_fails(mmm_array_new(other, 15, a, 3, &f), MMM_INVALID, "prime");
    assert_fails(mmm_array_new(other, 3, a, 3, &f), MMM_INVALID, "not below");
    assert_fails(mmm_array_new(other, 7, a, -2, &f), MMM_INVALID, "-2 terms");
    assert_fails(mmm_array_new(other, 7, NULL, 2, &f), MMM_INVALID, "NULL");
    assert_fails(mmm_array_read(x, NULL), MMM_INVALID, "NULL");
    assert_fails(mmm_array_read(NULL, a), MMM_INVALID, "NULL");
    assert_fails(mmm_array_multiply(x, y, &f), MMM_INVALID, "a has modulus 7, b has 5");
    assert_fails(mmm_array_divide(x, z, &f, &g), MMM_INVALID, "different machines");
    assert_fails(mmm_array_gcd(NULL, z, &f), MMM_INVALID, "a is NULL");
    assert_fails(mmm_array_gcd(x, NULL, &f), MMM_INVALID, "b is NULL");
    assert_null(f);
    assert_null(g);
    mmm_array_free(NULL);
    mmm_array_free(x);
    mmm_array_free(y);
    mmm_array_free(z);
    mmm_machine_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),  cmocka_unit_test(test_edges),   cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_wrapped), cmocka_unit_test(test_foreign), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
