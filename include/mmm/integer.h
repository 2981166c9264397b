/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over the integers, as FLINT has them, by many primes: each is a problem over Z/p for the functions of
 * mmm.h, many at once on one machine, and their results are put together by Chinese remainders.  This header needs
 * FLINT's (2.9 or later); no other header of mmm does.
 *
 *     mmm_machine_open("cuda:0", &machine);
 *     mmm_integer_gcd(machine, g, a, b, NULL);
 *
 * Results are those of FLINT's functions, and are proved: no result rests on luck with primes.  Arguments are
 * initialised polynomials; a result may be the same one as an argument, two results may not.  Those over Q are FLINT's
 * fmpq_poly.
 *
 * Coefficients of quotients and gcds may have up to about 120,000 bits, and those of products by an engine, which have
 * the bits of both operands; longer ones fail with MMM_TOO_LARGE.  A lack of memory is MMM_MEMORY and aborts nothing;
 * for that results are made by malloc, whatever memory functions FLINT was given. */
#ifndef MMM_INTEGER_H
#define MMM_INTEGER_H

#include <mmm.h>

#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Polynomials over the integers --------------------------------------------------------------------------------
 */

/* What a result rests on. */
typedef enum mmm_proof {
    MMM_PROOF_NONE,     /* there was nothing to compute: an operand is 0, or a constant */
    MMM_PROOF_BOUND,    /* the primes' product is larger than twice any coefficient that there can be */
    MMM_PROOF_DIVISION, /* the result divides both operands over Z, and no common divisor has a higher degree */
    MMM_PROOF_IDENTITY, /* a = q b + r holds modulo primes whose product is larger than twice what both sides can differ
                           by */
    MMM_PROOF_PRIME,    /* one prime is enough: modulo it the operands have no common divisor */
} mmm_proof;

/* A sentence for it. */
MMM_API const char *mmm_proof_name(mmm_proof proof);

/* How a result came about. */
typedef struct mmm_integer_facts {
    int64_t primes;  /* that were used */
    int64_t unlucky; /* that were tried and thrown away: they divide a leading coefficient, or gave a larger gcd */
    int64_t bits;    /* of the largest coefficient of the result */
    mmm_proof proof;
} mmm_integer_facts;

/* f = a b; facts may be NULL, as below. */
MMM_API mmm_status mmm_integer_multiply(mmm_machine *machine, fmpz_poly_t f, const fmpz_poly_t a, const fmpz_poly_t b,
                                        mmm_integer_facts *facts);

/* g = gcd(a, b), with its content and a positive leading coefficient, as fmpz_poly_gcd has it; 0 where both are 0. */
MMM_API mmm_status mmm_integer_gcd(mmm_machine *machine, fmpz_poly_t g, const fmpz_poly_t a, const fmpz_poly_t b,
                                   mmm_integer_facts *facts);

/* a = q b + r with deg r < deg b and integer coefficients, where there are such q and r: when the leading coefficient
 * of b is 1 or -1, then as fmpz_poly_divrem has them; and, of other b, when b divides a, with r = 0, as
 * fmpz_poly_divides.  Else it fails with MMM_INVALID, and so it does for b = 0.  r may be NULL: then b must divide a.
 */
MMM_API mmm_status mmm_integer_divide(mmm_machine *machine, fmpz_poly_t q, fmpz_poly_struct *r, const fmpz_poly_t a,
                                      const fmpz_poly_t b, mmm_integer_facts *facts);

/* The resultant of two polynomials in x and y with respect to y, a polynomial in x: a has n coefficients a[0], a[1],
 * ..., of 1, y, y^2, ..., which are polynomials in x; b has m.  It is 0 where one of them is.  Each prime is a task, by
 * FLINT's functions on the CPU: an engine has many at once. */
MMM_API mmm_status mmm_integer_resultant(mmm_machine *machine, fmpz_poly_t r, const fmpz_poly_struct *a, int64_t n,
                                         const fmpz_poly_struct *b, int64_t m, mmm_integer_facts *facts);

/* Over Q: f = a b; the monic gcd, 0 where both are 0; a = q b + r with deg r < deg b for every b but 0, whose
 * quotients can have long denominators, powers of the leading coefficient of b.  `facts` are those of the numerators.
 */
MMM_API mmm_status mmm_rational_multiply(mmm_machine *machine, fmpq_poly_t f, const fmpq_poly_t a, const fmpq_poly_t b,
                                         mmm_integer_facts *facts);
MMM_API mmm_status mmm_rational_gcd(mmm_machine *machine, fmpq_poly_t g, const fmpq_poly_t a, const fmpq_poly_t b,
                                    mmm_integer_facts *facts);
MMM_API mmm_status mmm_rational_divide(mmm_machine *machine, fmpq_poly_t q, fmpq_poly_t r, const fmpq_poly_t a,
                                       const fmpq_poly_t b, mmm_integer_facts *facts);

/* A polynomial as FLINT's text, "length  c0 c1 ...", from a file ("-": standard input), and to one. */
MMM_API mmm_status mmm_integer_read(const char *path, fmpz_poly_t out);
MMM_API mmm_status mmm_integer_write(const fmpz_poly_t a, const char *path);

/* A polynomial in x and y: such polynomials in x one after the other, the coefficients of 1, y, y^2, ...; a file with
 * one is a polynomial in y alone.  They are freed together. */
MMM_API mmm_status mmm_integer_read_rows(const char *path, fmpz_poly_struct **rows, int64_t *count);
MMM_API void mmm_integer_rows_free(fmpz_poly_struct *rows, int64_t count);

/* Compares f, and of a division also r (NULL: 0), with what FLINT's functions give for "multiplication", "division" or
 * "gcd": MMM_WRONG where they differ.  *seconds is FLINT's time on one core; it may be NULL. */
MMM_API mmm_status mmm_integer_check(const char *operation, const fmpz_poly_t a, const fmpz_poly_t b,
                                     const fmpz_poly_t f, const fmpz_poly_struct *r, double *seconds);

/* The same for r, the resultant of a and b, by FLINT's polynomials in several variables. */
MMM_API mmm_status mmm_integer_check_resultant(const fmpz_poly_struct *a, int64_t n, const fmpz_poly_struct *b,
                                               int64_t m, const fmpz_poly_t r, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
