/* SPDX-License-Identifier: Apache-2.0 */
/* Products of polynomials over Z: the primes are as many as the largest coefficient can need. */
#include "integer/integer.h"

mmm_status mmm_integer_multiply(mmm_machine *machine, fmpz_poly_t f, const fmpz_poly_t a, const fmpz_poly_t b,
                                mmm_integer_facts *facts)
{
    mmm_status result = MMM_OK;
    mmm_numbers x = {0}, y = {0}, product = {0};
    mmm_task task = {0};
    mmm_integer_facts found = {.proof = MMM_PROOF_NONE};
    TRY(mmm_operands_read(machine, f, "f", a, b, &x, &y));
    TRY(mmm_numbers_share(machine, &x));
    TRY(mmm_numbers_share(machine, &y));
    if (x.terms && y.terms) {
        const int64_t few = x.terms < y.terms ? x.terms : y.terms,
                      bits = x.bits + y.bits + 64 - __builtin_clzll((uint64_t)few);
        found.primes = mmm_primes_needed(bits);
        mmm_task_new(machine, mmm_multiplication, &x, &y, found.primes, &task);
        TRY(mmm_primes_reach(&task.primes, found.primes));
        while (found.primes > 1 && mmm_primes_bits(task.primes.p, found.primes - 1) > (double)bits + 2)
            found.primes--;
        found.proof = MMM_PROOF_BOUND;
        TRY(mmm_task_multiply(&task, found.primes, &product));
    }
    found.bits = product.bits;
    TRY(mmm_numbers_write(&product, f));
    if (facts) *facts = found;
done:
    mmm_task_free(&task);
    mmm_numbers_clear(&x);
    mmm_numbers_clear(&y);
    mmm_numbers_clear(&product);
    return result;
}

const char *mmm_proof_name(mmm_proof proof)
{
    static const char *const names[] = {
        [MMM_PROOF_NONE] = "nothing to compute",
        [MMM_PROOF_BOUND] = "proved by the bound of its coefficients",
        [MMM_PROOF_DIVISION] = "proved by dividing both",
        [MMM_PROOF_IDENTITY] = "proved by a = q b + r modulo enough primes",
        [MMM_PROOF_PRIME] = "proved by one prime",
    };
    return (unsigned)proof < sizeof names / sizeof *names ? names[proof] : "";
}
