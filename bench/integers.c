/* SPDX-License-Identifier: Apache-2.0 */
/* Products, quotients and gcds over Z of polynomials with long coefficients, beside FLINT's on one core and on two.
 * With MMM_BENCH_FLINT=libflint.so of another FLINT that one is measured too.  Use: integers [MACHINE [DEGREE [BITS
 * [ROUNDS]]]] */
#include "bench.h"
#include "mmm/integer.h"

#include <dlfcn.h>

typedef struct flint {
    const char *name;
    void (*mul)(fmpz_poly_t, const fmpz_poly_t, const fmpz_poly_t);
    int (*divides)(fmpz_poly_t, const fmpz_poly_t, const fmpz_poly_t);
    void (*gcd)(fmpz_poly_t, const fmpz_poly_t, const fmpz_poly_t);
    void (*set_threads)(int);
    void (*init)(fmpz_poly_t);
    int (*set_str)(fmpz_poly_t, const char *);
} flint;

static flint peers[2] = {{"FLINT", fmpz_poly_mul, fmpz_poly_divides, fmpz_poly_gcd, flint_set_num_threads,
                          fmpz_poly_init, fmpz_poly_set_str}};

typedef enum operation { MULTIPLY, DIVIDE, GCD, OPERATIONS } operation;
static const char *const names[] = {"multiply", "divide", "gcd"};

static void draw(fmpz_poly_t a, flint_rand_t random, slong terms, flint_bitcnt_t bits)
{
    fmpz_t c;
    fmpz_init(c);
    fmpz_poly_zero(a);
    for (slong i = 0; i < terms; i++) {
        fmpz_randbits(c, random, bits);
        fmpz_poly_set_coeff_fmpz(a, i, c);
    }
    fmpz_clear(c);
}

static void call(mmm_machine *machine, operation what, fmpz_poly_t f, const fmpz_poly_t a, const fmpz_poly_t b,
                 mmm_integer_facts *facts)
{
    switch (what) {
    case MULTIPLY: must(mmm_integer_multiply(machine, f, a, b, facts)); break;
    case DIVIDE: must(mmm_integer_divide(machine, f, NULL, a, b, facts)); break;
    default: must(mmm_integer_gcd(machine, f, a, b, facts));
    }
}

static void call_peer(const flint *peer, operation what, fmpz_poly_t f, const fmpz_poly_t a, const fmpz_poly_t b)
{
    if (what == MULTIPLY) peer->mul(f, a, b);
    if (what == DIVIDE) peer->divides(f, a, b);
    if (what == GCD) peer->gcd(f, a, b);
}

static double least(double x, double y)
{
    return x < y ? x : y;
}

static void measure(mmm_machine *machine, operation what, const fmpz_poly_t a, const fmpz_poly_t b, int rounds)
{
    double mine = 1e9, theirs[2][2] = {{1e9, 1e9}, {1e9, 1e9}}, first = mmm_now();
    mmm_integer_facts facts;
    fmpz_poly_t f, copies[2], results[2];
    fmpz_poly_init(f);
    call(machine, what, f, a, b, &facts);
    first = mmm_now() - first;
    if (peers[1].name) {
        char *text[2] = {fmpz_poly_get_str(a), fmpz_poly_get_str(b)};
        for (int i = 0; i < 2; i++) {
            peers[1].init(copies[i]);
            peers[1].init(results[i]);
            peers[1].set_str(copies[i], text[i]);
            flint_free(text[i]);
        }
    }
    for (int i = 0; i < rounds; i++) {
        double start = mmm_now();
        call(machine, what, f, a, b, &facts);
        mine = least(mine, mmm_now() - start);
        for (int k = 0; k < 2 && peers[k].name && i < 5; k++)
            for (int threads = 1; threads <= 2; threads++) {
                fmpz_poly_t g;
                fmpz_poly_init(g);
                peers[k].set_threads(threads);
                start = mmm_now();
                call_peer(&peers[k], what, k ? results[0] : g, k ? copies[0] : a, k ? copies[1] : b);
                theirs[k][threads - 1] = least(theirs[k][threads - 1], mmm_now() - start);
                if (!k && !fmpz_poly_equal(f, g)) must(mmm_fail(MMM_WRONG, "%s differs from FLINT's", names[what]));
                fmpz_poly_clear(g);
            }
    }
    printf("%-8s degrees %ld, %ld, %ld and %ld bits: %.2f ms, first %.2f ms, %lld primes, %lld unlucky, %s\n",
           names[what], (long)fmpz_poly_degree(a), (long)fmpz_poly_degree(b), labs((long)fmpz_poly_max_bits(a)),
           labs((long)fmpz_poly_max_bits(b)), mine * 1e3, first * 1e3, (long long)facts.primes,
           (long long)facts.unlucky, mmm_proof_name(facts.proof));
    for (int k = 0; k < 2 && peers[k].name; k++)
        printf("         %s: %.2f ms on one thread, %.2f on two: %.2f and %.2f times as long\n", peers[k].name,
               theirs[k][0] * 1e3, theirs[k][1] * 1e3, theirs[k][0] / mine, theirs[k][1] / mine);
    fflush(stdout);
    fmpz_poly_clear(f);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu", *other = getenv("MMM_BENCH_FLINT");
    const slong degree = argc > 2 ? atol(argv[2]) : 2000, bits = argc > 3 ? atol(argv[3]) : 2000;
    const int rounds = argc > 4 ? atoi(argv[4]) : 7;
    mmm_machine *machine;
    flint_rand_t random;
    fmpz_poly_t a, b, f, g, u;
    void *library = other ? dlopen(other, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (library)
        peers[1] = (flint){"FLINT of MMM_BENCH_FLINT",
                           dlsym(library, "fmpz_poly_mul"),
                           dlsym(library, "fmpz_poly_divides"),
                           dlsym(library, "fmpz_poly_gcd"),
                           dlsym(library, "flint_set_num_threads"),
                           dlsym(library, "fmpz_poly_init"),
                           dlsym(library, "fmpz_poly_set_str")};
    must(mmm_machine_open(name, &machine));
    printf("over Z on %s (%s)\n", name, mmm_machine_description(machine));
    flint_randinit(random);
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_poly_init(f), fmpz_poly_init(g), fmpz_poly_init(u);
    draw(a, random, degree + 1, (flint_bitcnt_t)bits);
    draw(b, random, degree + 1, (flint_bitcnt_t)bits);
    measure(machine, MULTIPLY, a, b, rounds);
    measure(machine, GCD, a, b, rounds);
    fmpz_poly_mul(f, a, b);
    measure(machine, DIVIDE, f, b, rounds);
    draw(g, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2));
    draw(u, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2 - 8));
    fmpz_poly_mul(a, g, u);
    draw(u, random, degree / 2 + 1, (flint_bitcnt_t)(bits / 2 - 8));
    fmpz_poly_mul(b, g, u);
    measure(machine, GCD, a, b, rounds);
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_poly_clear(f), fmpz_poly_clear(g), fmpz_poly_clear(u);
    flint_randclear(random);
    mmm_machine_free(machine);
    return 0;
}
