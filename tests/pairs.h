/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of polynomials, and what every gcd of one satisfies. */
#ifndef MMM_TESTS_PAIRS_H
#define MMM_TESTS_PAIRS_H

#include "jobs.h"

/* Kinds of pairs of polynomials, from easy to hostile. */
enum { RANDOM, SHORT_B, EQUAL, MULTIPLE, COMMON, CONSTANT, SPARSE, POWERS, QUOTIENTS, GAP, ONE_ZERO, BOTH_ZERO, KINDS };

/* A pair whose remainder sequence has quotients of random, often high degree: every kind of degree drop. */
static void pair_of_quotients(mmm_random *random, int64_t terms, nmod_poly_t a, nmod_poly_t b)
{
    nmod_poly_t q;
    nmod_poly_init(q, nmod_poly_modulus(a));
    random_polynomial(random, a, draw(random, 1, 4));
    nmod_poly_zero(b);
    while (nmod_poly_length(a) < terms) { /* (a, b) := (q a + b, a) */
        random_polynomial(random, q, draw(random, 2, draw(random, 2, 12)));
        nmod_poly_mul(q, q, a);
        nmod_poly_add(q, q, b);
        nmod_poly_swap(b, a);
        nmod_poly_swap(a, q);
    }
    nmod_poly_clear(q);
}

static void make_pair(mmm_random *random, int kind, int64_t terms, nmod_poly_t a, nmod_poly_t b)
{
    nmod_poly_t f;
    nmod_poly_init(f, nmod_poly_modulus(a));
    random_polynomial(random, a, draw(random, 1, terms));
    random_polynomial(random, b, draw(random, 1, terms));
    random_polynomial(random, f, draw(random, 1, terms / 2));
    switch (kind) {
    case SHORT_B: random_polynomial(random, b, draw(random, 1, 3)); break;
    case EQUAL: nmod_poly_set(b, a); break;
    case MULTIPLE: nmod_poly_mul(a, b, f); break;
    case COMMON:
        nmod_poly_mul(a, a, f);
        nmod_poly_mul(b, b, f);
        break;
    case CONSTANT: random_polynomial(random, b, 1); break;
    case SPARSE:
        nmod_poly_zero(a);
        nmod_poly_zero(b);
        for (int i = 0; i < 3; i++) {
            nmod_poly_set_coeff_ui(a, draw(random, 0, terms - 1), 1);
            nmod_poly_set_coeff_ui(b, draw(random, 0, terms - 1), 1);
        }
        break;
    case POWERS: /* low coefficients 0 */
        nmod_poly_shift_left(a, a, draw(random, 0, terms));
        nmod_poly_shift_left(b, b, draw(random, 0, terms));
        break;
    case QUOTIENTS: pair_of_quotients(random, terms, a, b); break;
    case GAP: /* a = f b + a short remainder */
        nmod_poly_mul(a, b, f);
        random_polynomial(random, f, draw(random, 1, 3));
        nmod_poly_add(a, a, f);
        break;
    case ONE_ZERO: nmod_poly_zero(b); break;
    case BOTH_ZERO:
        nmod_poly_zero(a);
        nmod_poly_zero(b);
        break;
    default: break;
    }
    if (draw(random, 0, 1)) nmod_poly_swap(a, b);
    nmod_poly_clear(f);
}

/* The result is monic, divides both, and is FLINT's. */
static void check_pair(mmm_job *job, mmm_machine *machine, const nmod_poly_t a, const nmod_poly_t b)
{
    nmod_poly_t g, r;
    nmod_poly_init(g, nmod_poly_modulus(a));
    nmod_poly_init(r, nmod_poly_modulus(a));
    give(job, 0, a);
    give(job, 1, b);
    run_checked(job, machine);
    take(job, g);
    if (nmod_poly_is_zero(g)) {
        assert_true(nmod_poly_is_zero(a) && nmod_poly_is_zero(b));
    } else {
        assert_int_equal(nmod_poly_get_coeff_ui(g, nmod_poly_degree(g)), 1);
        nmod_poly_rem(r, a, g);
        assert_true(nmod_poly_is_zero(r));
        nmod_poly_rem(r, b, g);
        assert_true(nmod_poly_is_zero(r));
    }
    nmod_poly_clear(g);
    nmod_poly_clear(r);
}

typedef struct room {
    const mmm_job *job;
    int64_t Z;
} room;

static inline int look_up(const void *context, const char *name, int64_t *value)
{
    const room *x = context;
    int found = mmm_job_lookup(x->job, name, value);
    if (found == 0) *value = strcmp(name, "Z") == 0 ? x->Z : INT32_MAX; /* or threads */
    return found < 0 ? found : 1;
}

/* The constraints ask for the words of local memory that a run took on the abstract machine, and for no more. */
static inline void check_room(mmm_job *job, mmm_machine *machine, int64_t n, int64_t m)
{
    assert_ok(mmm_job_set(job, "n", n));
    assert_ok(mmm_job_set(job, "m", m));
    assert_ok(mmm_job_run(job, machine, NULL));
    room x = {job, mmm_machine_counts(machine)->local_words};
    for (int less = 0; less < 2; less++, x.Z--) {
        char failed[256];
        assert_ok(mmm_constraints_check(mmm_job_app(job)->constraints, look_up, &x, failed, sizeof failed));
        if (less ? !strstr(failed, "<= Z") : *failed)
            fail_msg("%s of %lld words: '%s' fails", mmm_job_app(job)->name, (long long)x.Z, failed);
    }
}

/* Pairs of every kind modulo every prime, of up to `terms` terms. */
static inline void check_pairs(mmm_job *job, mmm_machine *machine, mmm_random *random, int rounds, int64_t terms)
{
    for (int j = 0; j < PRIMES; j++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int round = 0; round < rounds; round++) {
                nmod_poly_t a, b;
                nmod_poly_init(a, primes[j]);
                nmod_poly_init(b, primes[j]);
                make_pair(random, kind, draw(random, 2, terms), a, b);
                check_pair(job, machine, a, b);
                nmod_poly_clear(a);
                nmod_poly_clear(b);
            }
}

/* Settings: an array of what `job_of` of a test makes a job of. */
#define EACH_SETTING(settings, job)                                                \
    for (size_t mmm_i = 0; mmm_i < sizeof(settings) / sizeof *(settings); mmm_i++) \
        for (mmm_job *job = job_of((settings)[mmm_i]); job; mmm_job_free(job), job = NULL)

/* Pairs of every kind by every setting; the machine is freed. */
#define CHECK(settings, machine, seed, rounds, terms)         \
    do {                                                      \
        mmm_machine *mmm_on = (machine);                      \
        mmm_random mmm_chance = {seed};                       \
        EACH_SETTING(settings, job)                           \
        check_pairs(job, mmm_on, &mmm_chance, rounds, terms); \
        mmm_machine_free(mmm_on);                             \
    } while (0)

/* The constraints of every setting, at so many terms. */
#define CHECK_ROOM(settings, n, m)              \
    do {                                        \
        mmm_machine *mmm_on = open_abstract(1); \
        EACH_SETTING(settings, job)             \
        check_room(job, mmm_on, n, m);          \
        mmm_machine_free(mmm_on);               \
    } while (0)

#endif
