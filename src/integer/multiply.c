/* SPDX-License-Identifier: Apache-2.0 */
/* Products of polynomials over Z: the primes are as many as the largest coefficient can need, or, of long coefficients,
 * those of the product of their pieces.  Coefficients in pieces are polynomials in Y, a power of two; with Y = x^(n + m
 * - 1) a product in x and Y is one in x, as long as all its pieces together. */
#include "integer/integer.h"
#include "integer/wide.h"

/* Bits of a product of such numbers, or of their pieces of so many bits. */
static int64_t bits_of(const mmm_numbers *x, const mmm_numbers *y, int64_t piece)
{
    const int64_t few = mmm_lesser(x->terms, y->terms);
    if (!piece) return x->bits + y->bits + mmm_length_of(few);
    const int64_t pieces = mmm_lesser(mmm_quotient_up(x->bits + 1, piece), mmm_quotient_up(y->bits + 1, piece));
    return mmm_lesser(x->bits, piece) + mmm_lesser(y->bits, piece) + mmm_length_of(few * pieces);
}

/* What a core takes, in nanoseconds, by the bits of its digits: a product of a digit and a weight for one prime, an
 * entry of the tables, a residue with all that is done once, and a level of its transforms; and the most digits of a
 * piece. */
typedef struct costs {
    int bits, most;
    double multiply, entry, residue, level;
} costs;

static const costs all_costs[] = {{DIGIT_BITS, INT32_MAX, 0.068, 8, 1.2, 0.45},
                                  {WIDE_BITS, WIDE_ROWS_MOST / 2, 0.045, 4, 1.2, 0.45}};

/* About the nanoseconds that a product takes of a core, by pieces of so many digits: remainders and the way back, as
 * the square of the number of primes, with their tables; and transforms of polynomials that have all pieces one after
 * the other. */
static double cost_of(const costs *c, const mmm_numbers *x, const mmm_numbers *y, int64_t digits)
{
    const int64_t piece = c->bits * digits, k = mmm_quotient_up(x->bits + 1, piece),
                  l = mmm_quotient_up(y->bits + 1, piece);
    const int64_t primes = mmm_primes_needed(bits_of(x, y, piece)), rows = mmm_quotient_up(31 * primes, c->bits);
    const double terms = (double)(x->terms + y->terms - 1), words = terms * (double)(k + l - 1);
    const double there = (double)(x->terms * k + y->terms * l) * (double)(digits * primes);
    const double back = words * (double)(rows * primes), levels = (double)(mmm_length_of((int64_t)words) + 1);
    const bool cut = k + l > 2, roots = mmm_primes_order(4 * (int64_t)terms * (k > l ? k : l), primes) > 1;
    if (cut && (!roots || digits > c->most)) return 1e300;
    return c->multiply * (there + back) + c->entry * (double)(primes * (digits + rows)) +
           words * (double)primes * (c->residue + c->level * levels);
}

/* Digits of pieces that cost least; 0: coefficients stay whole, as they do where pieces gain little but words to move.
 * The workers of an engine may have digits of other lengths. */
static int64_t digits_of(const costs *c, bool engine, const mmm_numbers *x, const mmm_numbers *y)
{
    const int64_t most = mmm_quotient_up((x->bits > y->bits ? x->bits : y->bits) + 1, c->bits);
    int64_t best = 0;
    double least = 0.9 * cost_of(c, x, y, most);
    for (int64_t digits = most - 1; digits > 0 && !engine; digits = mmm_lesser(digits - 1, digits * 15 / 16)) {
        const double cost = cost_of(c, x, y, digits);
        if (cost < least) least = cost, best = digits;
    }
    for (int64_t piece = PIECE_STEP; engine && piece <= PIECE_MOST && piece / c->bits < most; piece += PIECE_STEP) {
        const double cost = cost_of(c, x, y, piece / c->bits);
        if (cost < least) least = cost, best = piece / c->bits;
    }
    return best;
}

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
        const costs *c = &all_costs[mmm_digit_bits(machine) == WIDE_BITS];
        const int64_t digits = digits_of(c, machine->engine, &x, &y), bits = bits_of(&x, &y, c->bits * digits);
        found.primes = mmm_primes_needed(bits);
        mmm_task_new(machine, mmm_multiplication, &x, &y, found.primes, digits, &task);
        TRY(mmm_primes_reach(&task.primes, found.primes));
        while (found.primes > 1 && mmm_primes_bits(task.primes.p, found.primes - 1) > (double)bits + 2)
            found.primes--;
        found.proof = MMM_PROOF_BOUND;
        TRY(mmm_task_multiply(&task, found.primes, bits_of(&x, &y, 0), &product));
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
