/* SPDX-License-Identifier: Apache-2.0 */
/* Code and data of a program: calls of kernels and the arrays they work on. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

mmm_status mmm_program_array(mmm_program *program, const char *name, int64_t count, int size, mmm_use use, void *host,
                             int *array)
{
    mmm_status result = MMM_OK;
    if (count < 0 || (size != 4 && size != 8))
        FAIL(MMM_INVALID, "array '%s' of %lld elements of %d bytes: elements have 4 or 8 bytes", name, (long long)count,
             size);
    if (count > INT64_MAX / size)
        FAIL(MMM_TOO_LARGE, "array '%s' of %lld elements is more than can be addressed", name, (long long)count);
    if (program->array_count == 32) FAIL(MMM_TOO_LARGE, "array '%s' is one too many: a program has at most 32", name);
    TRY(mmm_grow(&program->arrays, &program->array_room, program->array_count + 1, sizeof *program->arrays));
    program->arrays[program->array_count] =
        (mmm_global){.name = name, .count = count, .size = size, .use = use, .host = host};
    *array = (int)program->array_count++;
    mmm_program_touch(program);
done:
    return result;
}

void mmm_program_bind(mmm_program *program, int array, void *buffer)
{
    program->arrays[array].buffer = buffer;
    mmm_program_touch(program);
}

mmm_status mmm_program_allow_races(mmm_program *program, const char *array)
{
    char known[256] = "";
    for (int64_t i = 0; i < program->array_count; i++) {
        if (strcmp(program->arrays[i].name, array) == 0) {
            program->arrays[i].races_allowed = true;
            return MMM_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", program->arrays[i].name);
    }
    return mmm_fail(MMM_INVALID, "there is no array '%s'; the arrays are %s", array, known);
}

mmm_status mmm_program_set_words(mmm_program *program, int bits, const mmm_modulus *modulus)
{
    mmm_status result = MMM_OK;
    if (bits != 32 && bits != 64) FAIL(MMM_INVALID, "words have 32 or 64 bits, not %d", bits);
    if (modulus && modulus->bits != bits)
        FAIL(MMM_INVALID, "the modulus needs words of %d bits, not %d", modulus->bits, bits);
    program->word_bits = bits;
    mmm_program_touch(program);
    free(program->modulus);
    program->modulus = NULL;
    if (modulus) {
        TRY(mmm_alloc(&program->modulus, 1, sizeof *modulus));
        *program->modulus = *modulus;
    }
done:
    return result;
}

mmm_status mmm_program_launch(mmm_program *program, const mmm_kernel *code, int64_t blocks, int64_t threads,
                              int64_t local_words, const mmm_argument *arguments, int count, int *kernel)
{
    mmm_status result = MMM_OK;
    mmm_argument *copy = NULL;
    int number;
    if (count < 0 || count > MMM_ARGUMENTS_MOST)
        FAIL(MMM_INVALID, "kernel '%s' has %d arguments: %d are possible", code->name, count, MMM_ARGUMENTS_MOST);
    if (blocks > INT32_MAX || threads > INT32_MAX)
        FAIL(MMM_TOO_LARGE, "kernel '%s' of %lld blocks of %lld threads: each is at most %d", code->name,
             (long long)blocks, (long long)threads, INT32_MAX);
    for (int i = 0; i < count; i++)
        if (arguments[i].kind == MMM_ARRAY && arguments[i].value >= (uint64_t)program->array_count)
            FAIL(MMM_INVALID, "argument %d of kernel '%s' names array %llu of %lld", i, code->name,
                 (unsigned long long)arguments[i].value, (long long)program->array_count);
    TRY(mmm_alloc(&copy, count, sizeof *copy));
    memcpy(copy, arguments, (size_t)count * sizeof *copy);
    TRY(mmm_program_add(program, code->name, blocks, threads, &number));
    mmm_node *node = &program->nodes[number];
    node->code = code;
    node->local_words = local_words;
    node->arguments = copy;
    node->argument_count = count;
    copy = NULL;
    mmm_program_touch(program);
    if (kernel) *kernel = number;
done:
    free(copy);
    return result;
}

void mmm_machine_values(const mmm_node *node, void *const *base, mmm_value *values)
{
    for (int i = 0; i < node->argument_count; i++) {
        const mmm_argument *argument = &node->arguments[i];
        switch (argument->kind) {
        case MMM_ARRAY: values[i].array = base[argument->value]; break;
        case MMM_WORD: values[i].word = argument->value; break;
        case MMM_INTEGER:
        case MMM_CONSTANT: values[i].integer = (int32_t)argument->value; break;
        }
    }
}
