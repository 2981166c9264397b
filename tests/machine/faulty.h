/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the kernels in tests/kernels/faulty.c on the abstract machine, and what it finds. */
#ifndef MMM_TESTS_FAULTY_H
#define MMM_TESTS_FAULTY_H

#include "machine/machine.h"
#include "testing.h"

#include "faulty/kernels.h"

enum { THREADS_OF_BLOCK = 8, BLOCKS = 6, WORDS = 64 };

/* A program on two arrays of 64 words, a (given) and b (given where `b_given`). */
typedef struct bench {
    mmm_program *program;
    mmm_machine *machine;
    mmm_word_array array_a, array_b;
    uint32_t a[WORDS], b[WORDS];
} bench;

static inline void begin(bench *x, const char *parameters, uint64_t seed, bool b_given)
{
    mmm_parameters machine;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < WORDS; i++)
        x->a[i] = (uint32_t)(100 + i);
    assert_ok(mmm_program_new(&x->program));
    assert_ok(mmm_program_set_words(x->program, 32, NULL));
    mmm_program_chain(x->program, 0);
    assert_ok(mmm_program_array(x->program, "a", MMM_WORD, WORDS, MMM_IN_OUT, x->a, &x->array_a.number));
    assert_ok(mmm_program_array(x->program, "b", MMM_WORD, WORDS, b_given ? MMM_IN_OUT : MMM_RESULT, x->b,
                                &x->array_b.number));
    assert_ok(mmm_parameters_read(parameters, &machine));
    assert_ok(mmm_machine_open_abstract(&machine, seed, &x->machine));
}

/* The number of the call that was just added. */
static inline int added(const bench *x, mmm_status status)
{
    assert_ok(status);
    return mmm_program_kernels(x->program) - 1;
}

/* Calls on blocks of 8 threads, by the array a, both arrays, and numbers. */
#define CALL(x, name, blocks, ...) added(x, launch_##name((x)->program, blocks, THREADS_OF_BLOCK, __VA_ARGS__))

/* What is found; no two violations have the same kind, array, kernel and line. */
static inline const mmm_counts *run(bench *x)
{
    assert_ok(mmm_machine_run(x->machine, x->program, NULL));
    const mmm_counts *counts = mmm_machine_counts(x->machine);
    for (int64_t i = 0; counts && i < counts->violation_count; i++)
        for (int64_t j = 0; j < i; j++) {
            const mmm_violation *v = &counts->violations[i], *w = &counts->violations[j];
            assert_true(!v->line || v->kind != w->kind || v->line != w->line || strcmp(v->array, w->array) != 0 ||
                        strcmp(v->second.kernel, w->second.kernel) != 0);
        }
    return counts;
}

static inline void end(bench *x)
{
    mmm_machine_free(x->machine);
    mmm_program_free(x->program);
}

/* The line of tests/kernels/faulty.c that has this text. */
static inline int line_of(const char *text)
{
    char line[256];
    FILE *stream = fopen("tests/kernels/faulty.c", "r");
    assert_non_null(stream);
    for (int number = 1; fgets(line, sizeof line, stream); number++)
        if (strstr(line, text)) {
            fclose(stream);
            return number;
        }
    fail_msg("no line has '%s'", text);
    return 0;
}

/* The last line of a kernel that has this text. */
static inline int line_in(const char *kernel, const char *text)
{
    char line[256];
    int found = 0;
    bool inside = false;
    FILE *stream = fopen("tests/kernels/faulty.c", "r");
    assert_non_null(stream);
    for (int number = 1; fgets(line, sizeof line, stream); number++) {
        if (strstr(line, kernel)) inside = true;
        if (inside && strstr(line, text)) found = number;
        if (line[0] == '}') inside = false;
    }
    fclose(stream);
    assert_true(found > 0);
    return found;
}

static inline const mmm_violation *only(const mmm_counts *counts, const char *kind, const char *memory, const char *array)
{
    if (counts->violation_count != 1) fail_msg("%d violations, not 1", (int)counts->violation_count);
    const mmm_violation *v = counts->violations;
    assert_string_equal(mmm_violation_name(v->kind), kind);
    assert_string_equal(v->memory, memory);
    assert_string_equal(v->array, array);
    return v;
}

static inline const mmm_kernel *kernel(const char *name)
{
    const mmm_kernel *code = mmm_kernels_faulty;
    while (strcmp(code->name, name) != 0)
        code++;
    return code;
}

#endif
