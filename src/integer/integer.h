/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials over Z by many primes: what the functions of mmm/integer.h are made of.
 *
 * A problem is two polynomials and an operation.  A range of primes is a task, which knows nothing of others: its
 * answer are the residues of the result, prime by prime (mmm_task_run).  On one machine tasks are done one after the
 * other, each a batch of problems with a modulus of their own; an engine gives each of its workers ranges of its own
 * (far.c), of primes and, on the way back, of coefficients. */
#ifndef MMM_INTEGER_PRIVATE_H
#define MMM_INTEGER_PRIVATE_H

#include "engine/engine.h"
#include "job/plan.h"
#include "operations.h"

#include "mmm/integer.h"

enum { DIGIT_BITS = 30, CHUNK = 8, TILE = 64, PRIMES_MOST = 4096, RESULTANT_TERMS_MOST = 1 << 24 };

/* Coefficients in one piece of memory: `limbs` words of 32 bits each, the lowest first, and signs. */
typedef struct mmm_numbers {
    int64_t terms, limbs, bits; /* bits: of the largest absolute value */
    uint32_t *words, *negative; /* one behind the other */
    struct mmm_shared *shared;  /* what an engine knows them by; NULL: it does not */
    mmm_machine *lender;        /* whose memory it is, of so many bytes; NULL: their own */
    size_t lent;
} mmm_numbers;

static inline int64_t mmm_lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static inline int64_t mmm_quotient_up(int64_t x, int64_t y) /* x / y, rounded up */
{
    return (x + y - 1) / y;
}

static inline int64_t mmm_length_of(int64_t x) /* bits of x, above 0 */
{
    return 64 - __builtin_clzll((uint64_t)x);
}

/* What a function on polynomials is given: none of these may be NULL, and `name` is that of its result. */
mmm_status mmm_operands_read(mmm_machine *machine, const fmpz_poly_struct *out, const char *name,
                             const fmpz_poly_struct *a, const fmpz_poly_struct *b, mmm_numbers *x, mmm_numbers *y);

mmm_status mmm_numbers_read(mmm_machine *machine, const fmpz_poly_t a, const char *name, mmm_numbers *out);
mmm_status mmm_numbers_room(int64_t terms, int64_t limbs, mmm_numbers *out);
mmm_status mmm_numbers_borrow(mmm_machine *machine, int64_t terms, int64_t limbs, mmm_numbers *out);
mmm_status mmm_numbers_copy(const mmm_numbers *a, mmm_numbers *out);
void mmm_numbers_clear(mmm_numbers *a);

/* Has the tasks of the machine's engine, if there is one, share them until they are cleared; and its end. */
mmm_status mmm_numbers_share(mmm_machine *machine, mmm_numbers *a);
void mmm_shared_drop(struct mmm_shared *shared);
int64_t mmm_shared_number(const mmm_numbers *a);

/* Of a task: the numbers in memory that is shared, which stay there. */
mmm_status mmm_numbers_view(const mmm_engine_data *data, mmm_numbers *out);

/* Calls work(context, first, last) for parts of 0 ... count - 1 that share nothing, by threads of the machine's host
 * where many bytes are moved; it may be called for a part again. */
typedef void mmm_spread_work(void *context, int64_t first, int64_t last);
void mmm_spread(mmm_machine *machine, int64_t count, int64_t bytes, mmm_spread_work *work, void *context);

/* Drops leading zeros, and finds the bits. */
void mmm_numbers_trim(mmm_numbers *a);

/* Into a caller's polynomial. */
mmm_status mmm_numbers_write(const mmm_numbers *a, fmpz_poly_t out);

/* Primes from 2^31 down that are 1 modulo 2^order, as far as they were asked for. */
typedef struct mmm_primes {
    int order;
    int64_t count, room;
    uint64_t *p;
} mmm_primes;

mmm_status mmm_primes_reach(mmm_primes *primes, int64_t count);
void mmm_primes_free(mmm_primes *primes);

/* Primes that are enough for numbers of so many bits and their signs; the bits of the product of some, rounded down;
 * and the order for transforms of `length` terms, or 1 where there are not so many such primes. */
int64_t mmm_primes_needed(int64_t bits);
double mmm_primes_bits(const uint64_t *p, int64_t count);
int mmm_primes_order(int64_t length, int64_t primes);

/* Bits of the digits that the machine's kernels have: 30, or 52 on cores that multiply so many (wide.h); and digit
 * number j of so many bits. */
int mmm_digit_bits(const mmm_machine *machine);

static inline uint64_t mmm_digit_at(const mp_limb_t *x, int64_t limbs, int64_t j, int bits)
{
    const int64_t bit = bits * j, k = bit / 64;
    const mp_limb_t low = k < limbs ? x[k] : 0, high = k + 1 < limbs ? x[k + 1] : 0;
    return (uint64_t)(((unsigned __int128)high << 64 | low) >> bit % 64) & (((uint64_t)1 << bits) - 1);
}

/* Multiplies x, of `used` limbs, with each of `count` numbers, and says how many it has then. */
static inline int64_t mmm_limbs_times(mp_limb_t *x, int64_t used, const uint64_t *p, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const mp_limb_t carry = mpn_mul_1(x, x, used, p[i]);
        if (carry) x[used++] = carry;
    }
    return used;
}

/* Coefficients in pieces of some digits: A = A0 + Y A1 + Y^2 A2 + ..., Y = 2^(bits digits), each a polynomial; residues
 * of A1 begin `apart` behind those of A0.  One piece is all of them. */
typedef struct mmm_pieces {
    int64_t count, digits, apart;
    int64_t all; /* digits of the whole, on the way back */
    int bits;    /* of a digit */
} mmm_pieces;

/* An operation, "multiplication", "division" or "gcd" by the pointers of operations.h, on a and b modulo primes. */
typedef struct mmm_task {
    mmm_machine *machine;
    const char *operation;
    const mmm_numbers *a, *b;
    mmm_primes primes;
    mmm_pieces cut[2]; /* of a and b */
    int64_t piece;     /* bits of their pieces; 0: they are whole */
} mmm_task;

/* Bits that are digits of every machine, 26 of 30 bits and 15 of 52: pieces of tasks that machines of several kinds may
 * do are multiples of them. */
enum { PIECE_STEP = 780, PIECE_MOST = 16 * PIECE_STEP };

/* What a prime gave: `room` coefficients of each output (0: product, quotient or monic gcd; 1: remainder), the first
 * `terms` of which count.  A prime that divides a leading coefficient is `bad`. */
typedef struct mmm_residues {
    int64_t count, room[2];
    uint64_t *words[2];
    int64_t *terms[2];
    bool *bad;
    mmm_machine *lender; /* whose memory the words are, of so many bytes; NULL: there are none */
    size_t lent[2];
} mmm_residues;

/* `primes` is about how many there will be; `digits` those of a piece, 0 for coefficients in one. */
void mmm_task_new(mmm_machine *machine, const char *operation, const mmm_numbers *a, const mmm_numbers *b,
                  int64_t primes, int64_t digits, mmm_task *out);
void mmm_task_free(mmm_task *task);

/* About how many primes the machine likes to have at once. */
int64_t mmm_task_part(const mmm_task *task);

/* Primes number first ... first + count - 1.  Of a machine with an engine a and b are shared. */
mmm_status mmm_task_run(mmm_task *task, int64_t first, int64_t count, mmm_residues *out);
mmm_status mmm_residues_room(const mmm_task *task, int64_t count, mmm_residues *out);
void mmm_residues_free(mmm_residues *r);

/* The same by the workers of the machine's engine, all but the primes' own room; and the way back, where n is worth it.
 */
mmm_status mmm_far_run(mmm_task *task, int64_t first, int64_t count, mmm_residues *r);
mmm_status mmm_far_reconstruct(mmm_engine *engine, const uint64_t *p, int64_t count, const uint32_t *residues,
                               int64_t n, mmm_numbers *out);

/* Whether g divides both x[0] and x[1], all of them shared: two workers divide one each, and say nothing else. */
mmm_status mmm_far_divides(mmm_engine *engine, const mmm_numbers x[2], const mmm_numbers *g, bool *both);

/* The product of a and b by so many primes, which never leaves the machine but as coefficients of up to `bits` bits. */
mmm_status mmm_task_multiply(mmm_task *task, int64_t count, int64_t bits, mmm_numbers *out);

/* q and r with a = q b + r, b not 0: *exists is false where there are none with integer coefficients, or, where b is to
 * divide exactly, none but r = 0; or there are some, as the caller knows.  Adds to facts. */
typedef enum mmm_dividing { MMM_DIVIDE, MMM_DIVIDE_EXACTLY, MMM_DIVIDE_SURELY } mmm_dividing;
mmm_status mmm_numbers_divide(mmm_machine *machine, const mmm_numbers *a, const mmm_numbers *b, mmm_dividing how,
                              mmm_numbers *q, mmm_numbers *r, bool *exists, mmm_integer_facts *facts);

/* As mmm_integer_divide, of polynomials that have such a quotient whatever the leading coefficient of b is. */
mmm_status mmm_divide_surely(mmm_machine *machine, fmpz_poly_t q, fmpz_poly_t r, const fmpz_poly_t a,
                             const fmpz_poly_t b, mmm_integer_facts *facts);

/* Numbers from their residues modulo `count` primes, n of each.  No absolute value is larger than a quarter of the
 * product of the primes. */
mmm_status mmm_reconstruct(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues, int64_t n,
                           mmm_numbers *out);

/* The same in pieces, `room` of each prime. */
mmm_status mmm_reconstruct_pieces(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues,
                                  int64_t room, mmm_pieces cut, mmm_numbers *out);

/* Limbs of 32 bits that it gives each of them. */
int64_t mmm_reconstruct_limbs(const uint64_t *p, int64_t count);

/* The residues of numbers modulo primes, in the form that programs have them, a prime's `stride` behind those of the
 * one before, from `from` on: into a buffer of the machine. */
mmm_status mmm_remainders(mmm_machine *machine, const mmm_numbers *a, mmm_pieces cut, const uint64_t *p, int64_t count,
                          int64_t stride, int64_t from, void *buffer);

/* The same where digits have 52 bits, and back. */
mmm_status mmm_wide_there(mmm_machine *machine, const mmm_numbers *a, mmm_pieces cut, const uint64_t *p, int64_t count,
                          int64_t stride, int64_t from, void *buffer);
mmm_status mmm_wide_back(mmm_machine *machine, const uint64_t *p, int64_t count, const uint32_t *residues, void *buffer,
                         const int64_t where[2], mmm_pieces cut, mmm_numbers *out);

/* Parameters of both programs: nine numbers, a key of a plan. */
#define RESIDUE_PARAMETERS(last, what)                                                         \
    {                                                                                          \
        {"n", "coefficients", MMM_SIZE, 1, TERMS_MOST, 1, NULL, NULL},                         \
            {"size", "limbs of each", MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL},                  \
            {"rows", "digits of each piece", MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL},           \
            {"primes", "primes", MMM_SIZE, 1, PRIMES_MOST, 1, NULL, NULL},                     \
            {"stride", "residues from prime to prime", MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL}, \
            {"from", "the place of the first", MMM_SIZE, 0, INT32_MAX, 0, NULL, NULL},         \
            {"pieces", "pieces of each coefficient", MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL},   \
            {"per", "digits from piece to piece", MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL},      \
            {last, what, MMM_SIZE, 1, INT32_MAX, 1, NULL, NULL},                               \
    }

/* Residues back from a buffer of the machine, as many as pieces are apart. */
mmm_status mmm_reconstruct_there(mmm_machine *machine, const uint64_t *p, int64_t count, void *buffer, int64_t stride,
                                 int64_t from, mmm_pieces cut, mmm_numbers *out);

#endif
