/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the kernels in tests/kernels on every machine, and on the abstract machine alone to see what it finds. */
#ifndef MMM_TESTS_BENCH_H
#define MMM_TESTS_BENCH_H

#include "machines.h"

enum { ARRAYS = 16, BLOCKS = 5, THREADS_OF_BLOCK = 50, COUNT = BLOCKS * THREADS_OF_BLOCK, WORDS = 512 };

/* A program under way, and its arrays as they began. */
typedef struct bench {
    mmm_program *program;
    int count;
    void *memory[ARRAYS], *start[ARRAYS];
    size_t bytes[ARRAYS];
} bench;

static inline bench begin(int bits)
{
    bench x = {0};
    assert_ok(mmm_program_new(&x.program));
    assert_ok(mmm_program_set_words(x.program, bits, NULL));
    return x;
}

static inline bench begin_modulo(uint64_t p, mmm_modulus *modulus)
{
    bench x = {0};
    assert_ok(mmm_modulus_read(p, modulus));
    assert_ok(mmm_program_new(&x.program));
    assert_ok(mmm_program_set_words(x.program, modulus->bits, modulus));
    return x;
}

static inline void add_array(bench *x, const char *name, mmm_type type, int64_t count, mmm_use use, void *memory,
                             int *number)
{
    size_t size = type == MMM_WORD ? (size_t)x->program->word_bits / 8 : (size_t)mmm_type_size(type);
    assert_ok(mmm_program_array(x->program, name, type, count, use, memory, number));
    x->memory[x->count] = memory;
    x->bytes[x->count] = size * (size_t)count;
    x->start[x->count] = malloc(x->bytes[x->count] + 1);
    memcpy(x->start[x->count], memory, x->bytes[x->count]);
    x->count++;
}

#define ARRAY(x, handle, count, use, memory) \
    add_array(x, #handle, MMM_TYPE_OF(&(handle)), count, use, memory, &(handle).number)

static inline void end(bench *x)
{
    for (int i = 0; i < x->count; i++)
        free(x->start[i]);
    mmm_program_free(x->program);
}

/* Whatever is wrong with a run of a program. */
static inline void fail_by(const mmm_violation *v)
{
    fail_msg("%s of %s[%lld] by block %lld, threads %lld and %lld of %s, line %d", mmm_violation_name(v->kind),
             v->array, (long long)v->index, (long long)v->second.block, (long long)v->first.thread,
             (long long)v->second.thread, v->second.kernel, v->line);
}

/* Runs the program on a machine, with the arrays as they began. */
static inline void run(bench *x, int machine)
{
    for (int i = 0; i < x->count; i++)
        memcpy(x->memory[i], x->start[i], x->bytes[i]);
    mmm_status status = mmm_machine_run(machines[machine], x->program, NULL);
    if (status != MMM_OK) fail_msg("%s: %s", names[machine], mmm_message());
    const mmm_counts *counts = mmm_machine_counts(machines[machine]);
    if (!counts || !counts->violation_count) return;
    fail_by(counts->violations);
}

#define assert_same(machine, what, found, expected)                                                            \
    do {                                                                                                       \
        if ((found) != (expected))                                                                             \
            fail_msg("%s: %s is %.17g, not %.17g", names[machine], what, (double)(found), (double)(expected)); \
    } while (0)

/* An element of `size` bytes as a number of 64 bits, with its sign where it has one. */
static inline uint64_t element(const void *memory, int64_t i, int size, bool negative)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)memory + i * size, (size_t)size);
    return negative && size == 4 ? (uint64_t)(int64_t)(int32_t)x : x;
}

/* A program on the words a (given) and b, run on the abstract machine. */
typedef struct trial {
    mmm_program *program;
    mmm_machine *machine;
    mmm_word_array a, b;
    uint32_t words[2][WORDS];
} trial;

static inline void try(trial *x, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    assert_ok(mmm_program_new(&x->program));
    assert_ok(mmm_program_set_words(x->program, 32, NULL));
    assert_ok(mmm_program_array(x->program, "a", MMM_WORD, WORDS, MMM_IN_OUT, x->words[0], &x->a.number));
    assert_ok(mmm_program_array(x->program, "b", MMM_WORD, WORDS, MMM_IN_OUT, x->words[1], &x->b.number));
    assert_ok(mmm_machine_open_abstract(mmm_parameters_builtin(), seed, &x->machine));
}

/* Finds violations of one kind on one array, or none where kind is NULL; how many in all. */
static inline int64_t found(trial *x, const char *kind, const char *array)
{
    int64_t count = 0;
    assert_ok(mmm_machine_run(x->machine, x->program, NULL));
    const mmm_counts *counts = mmm_machine_counts(x->machine);
    for (int i = 0; i < counts->violation_count; i++) {
        const mmm_violation *v = &counts->violations[i];
        if (!kind || strcmp(mmm_violation_name(v->kind), kind) != 0 || strcmp(v->array, array) != 0) fail_by(v);
        count += v->count;
    }
    if (kind && !count) fail_msg("no %s of %s was found", kind, array);
    mmm_machine_free(x->machine);
    mmm_program_free(x->program);
    return count;
}

#endif
