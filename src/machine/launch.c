/* SPDX-License-Identifier: Apache-2.0 */
/* Code and data of a program: calls of kernels and the arrays they work on. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int size;
} types[] = {
    [MMM_WORD] = {"word", 0}, [MMM_I8] = {"i8", 1},   [MMM_U8] = {"u8", 1},   [MMM_I16] = {"i16", 2},
    [MMM_U16] = {"u16", 2},   [MMM_I32] = {"i32", 4}, [MMM_U32] = {"u32", 4}, [MMM_I64] = {"i64", 8},
    [MMM_U64] = {"u64", 8},   [MMM_F32] = {"f32", 4}, [MMM_F64] = {"f64", 8}, [MMM_POLYNOMIAL] = {"polynomial", 0},
};

const char *mmm_type_name(mmm_type type)
{
    return (unsigned)type <= MMM_POLYNOMIAL ? types[type].name : "?";
}

int mmm_type_size(mmm_type type)
{
    return (unsigned)type <= MMM_POLYNOMIAL ? types[type].size : 0;
}

mmm_status mmm_program_array(mmm_program *program, const char *name, mmm_type type, int64_t count, mmm_use use,
                             void *host, int *array)
{
    mmm_status result = MMM_OK;
    NEED(program, "the program");
    NEED(name, "the name of an array");
    NEED(array, "the place for the number of an array");
    int size = type == MMM_WORD ? program->word_bits / 8 : mmm_type_size(type);
    if (mmm_program_decides(program))
        FAIL(MMM_INVALID, "array '%.100s' comes too late: a decision adds kernels alone", name);
    if ((unsigned)use > (MMM_IN_OUT | MMM_ZERO | MMM_RESULT) || (use & MMM_ZERO && use & MMM_IN))
        FAIL(MMM_INVALID, "array '%.100s' has the use %d, which is none", name, (int)use);
    if (size == 0) FAIL(MMM_INVALID, "array '%.100s' has elements of a type that is none", name);
    if (count < 0) FAIL(MMM_INVALID, "array '%.100s' of %lld elements", name, (long long)count);
    if (count > INT64_MAX / size / program->batch)
        FAIL(MMM_TOO_LARGE, "array '%.100s' of %lld elements is more than can be addressed", name, (long long)count);
    if (program->array_count == MMM_ARRAYS_MOST)
        FAIL(MMM_TOO_LARGE, "array '%.100s' is one too many: a program has at most %d", name, MMM_ARRAYS_MOST);
    TRY(mmm_grow(&program->arrays, &program->array_room, program->array_count + 1, sizeof *program->arrays));
    program->arrays[program->array_count] =
        (mmm_global){.name = name, .type = type, .count = count, .size = size, .use = use, .host = host};
    *array = (int)program->array_count++;
    mmm_program_touch(program);
done:
    return result;
}

mmm_status mmm_program_set_batch(mmm_program *program, int64_t batch)
{
    NEED(program, "the program");
    if (batch < 1 || batch > INT32_MAX)
        return mmm_fail(MMM_INVALID, "a batch of %lld problems: 1 to %d are possible", (long long)batch, INT32_MAX);
    if (program->array_count || program->kernels)
        return mmm_fail(MMM_INVALID, "a batch is set before the first array and the first kernel");
    program->batch = batch;
    mmm_program_touch(program);
    return MMM_OK;
}

int64_t mmm_program_batch(const mmm_program *program)
{
    return program ? program->batch : 0;
}

void mmm_program_bind(mmm_program *program, int array, void *buffer)
{
    program->arrays[array].buffer = buffer;
    mmm_program_touch(program);
}

mmm_status mmm_program_allow_races(mmm_program *program, const char *array)
{
    char known[256] = "";
    NEED(program, "the program");
    NEED(array, "the name of an array");
    for (int64_t i = 0; i < program->array_count; i++) {
        if (strcmp(program->arrays[i].name, array) == 0) {
            program->arrays[i].races_allowed = true;
            return MMM_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", program->arrays[i].name);
    }
    return mmm_fail(MMM_INVALID, "there is no array '%.100s'; the arrays are %s", array, known);
}

mmm_status mmm_program_set_words(mmm_program *program, int bits, const mmm_modulus *modulus)
{
    mmm_status result = MMM_OK;
    mmm_modulus own;
    NEED(program, "the program");
    if (mmm_program_decides(program)) FAIL(MMM_INVALID, "words are set too late: a decision adds kernels alone");
    if (bits != 32 && bits != 64) FAIL(MMM_INVALID, "words have 32 or 64 bits, not %d", bits);
    if (modulus && modulus->bits != bits)
        FAIL(MMM_INVALID, "the modulus needs words of %d bits, not %d", modulus->bits, bits);
    if (modulus) {
        TRY(mmm_modulus_read(modulus->p, &own));
        if (own.minus_inverse != modulus->minus_inverse || own.one != modulus->one || own.square != modulus->square ||
            own.bits != modulus->bits || own.shift != modulus->shift)
            FAIL(MMM_INVALID, "the modulus is not as mmm_modulus_read gives it for its p");
    }
    if (bits != program->word_bits && (program->array_count || program->kernels))
        FAIL(MMM_INVALID, "words are set before the first array and the first kernel: they have %d bits",
             program->word_bits);
    program->word_bits = bits;
    mmm_program_touch(program);
    free(program->modulus);
    free(program->moduli);
    program->modulus = program->moduli = NULL;
    if (modulus) {
        TRY(mmm_alloc(&program->modulus, 1, sizeof *modulus));
        *program->modulus = *modulus;
    }
done:
    return result;
}

mmm_status mmm_program_set_moduli(mmm_program *program, const mmm_modulus *moduli)
{
    mmm_status result = MMM_OK;
    mmm_modulus *own = NULL;
    for (int64_t i = 0; i < program->batch; i++)
        if (moduli[i].bits != program->word_bits || moduli[i].shift != program->word_bits)
            FAIL(MMM_INVALID, "the modulus of problem %lld is 2, or needs words of %d bits: they have %d", (long long)i,
                 moduli[i].bits, program->word_bits);
    TRY(mmm_alloc(&own, program->batch, sizeof *own));
    memcpy(own, moduli, (size_t)program->batch * sizeof *own);
    free(program->moduli);
    program->moduli = own;
    mmm_program_touch(program);
done:
    return result;
}

/* Whether an integer type has the value. */
static bool holds(mmm_type type, int64_t x)
{
    int unused = 64 - 8 * mmm_type_size(type);
    bool unsigned_one = type == MMM_U8 || type == MMM_U16 || type == MMM_U32;
    return unsigned_one ? (uint64_t)x << unused >> unused == (uint64_t)x
                        : (int64_t)((uint64_t)x << unused) >> unused == x;
}

/* A record is somebody's code: whether it holds what launches and messages rely on. */
static mmm_status check_record(const mmm_kernel *code)
{
    mmm_status result = MMM_OK;
    NEED(code, "the record of a kernel");
    NEED(code->name, "the name of a kernel");
    if (code->parameter_count < 0 || code->parameter_count > MMM_ARGUMENTS_MOST)
        FAIL(MMM_INVALID, "kernel '%.100s' has %d arguments: %d are possible", code->name, code->parameter_count,
             MMM_ARGUMENTS_MOST);
    if (!code->file || (!code->parameters && code->parameter_count) || code->index < 0)
        FAIL(MMM_INVALID, "the record of kernel '%.100s' lacks its file, its parameters or its number", code->name);
    for (int i = 0; i < code->parameter_count; i++) {
        const mmm_kernel_parameter *p = &code->parameters[i];
        if (!p->name || (unsigned)p->kind > MMM_PARAMETER_CONSTANT || (unsigned)p->type >= MMM_POLYNOMIAL)
            FAIL(MMM_INVALID, "parameter %d of kernel '%.100s' has no name, or a kind or type that is none", i,
                 code->name);
    }
done:
    return result;
}

/* Whether an argument is what the parameter can hold: arrays of its type, integers of its range. */
static mmm_status check_argument(const mmm_program *program, const mmm_kernel *code, int i, mmm_value value)
{
    mmm_status result = MMM_OK;
    const mmm_kernel_parameter *p = &code->parameters[i];
    if (p->kind == MMM_PARAMETER_ARRAY) {
        if (value.number < 0 || value.number >= program->array_count)
            FAIL(MMM_INVALID, "'%.100s' of kernel '%.100s' names array %d of %lld", p->name, code->name, value.number,
                 (long long)program->array_count);
        if (program->arrays[value.number].type != p->type)
            FAIL(MMM_INVALID, "'%.100s' of kernel '%.100s' is an array of %s, '%s' has %s", p->name, code->name,
                 mmm_type_name(p->type), program->arrays[value.number].name,
                 mmm_type_name(program->arrays[value.number].type));
    } else if (p->type != MMM_WORD && p->type != MMM_U64 && p->type < MMM_F32 && !holds(p->type, value.integer))
        FAIL(MMM_TOO_LARGE, "'%.100s' of kernel '%.100s' is %lld: %s does not hold it", p->name, code->name,
             (long long)value.integer, mmm_type_name(p->type));
done:
    return result;
}

mmm_status mmm_program_launch(mmm_program *program, const mmm_kernel *code, mmm_grid grid, mmm_local local,
                              const mmm_value *arguments)
{
    mmm_status result = MMM_OK;
    mmm_value *copy = NULL;
    int number;
    int64_t blocks, threads;
    NEED(program, "the program");
    MMM_TRY(check_record(code));
    NEED(arguments || !code->parameter_count, "the array of arguments");
    if (grid.blocks_x < 1 || grid.blocks_y < 1 || grid.threads_x < 1 || grid.threads_y < 1)
        FAIL(MMM_INVALID, "kernel '%.100s' of %lld x %lld blocks of %lld x %lld threads: at least 1 each", code->name,
             (long long)grid.blocks_x, (long long)grid.blocks_y, (long long)grid.threads_x, (long long)grid.threads_y);
    if (__builtin_mul_overflow(grid.blocks_x, grid.blocks_y, &blocks) ||
        __builtin_mul_overflow(blocks, program->batch, &blocks) ||
        __builtin_mul_overflow(grid.threads_x, grid.threads_y, &threads) || blocks > INT32_MAX || threads > INT32_MAX)
        FAIL(MMM_TOO_LARGE, "kernel '%.100s' of %lld x %lld blocks of %lld x %lld threads: at most %d each", code->name,
             (long long)grid.blocks_x, (long long)grid.blocks_y, (long long)grid.threads_x, (long long)grid.threads_y,
             INT32_MAX);
    if (local.words < 0 || local.bytes < 0 || local.words > INT32_MAX || local.bytes > INT32_MAX)
        FAIL(MMM_TOO_LARGE, "kernel '%.100s' has LOCAL arrays of %lld words and %lld bytes", code->name,
             (long long)local.words, (long long)local.bytes);
    for (int i = 0; i < code->parameter_count; i++)
        TRY(check_argument(program, code, i, arguments[i]));
    TRY(mmm_alloc(&copy, code->parameter_count, sizeof *copy));
    if (code->parameter_count) memcpy(copy, arguments, (size_t)code->parameter_count * sizeof *copy);
    TRY(mmm_program_add(program, code->name, blocks, threads, &number));
    mmm_node *node = &program->nodes[number];
    node->code = code;
    node->blocks_x = grid.blocks_x;
    node->threads_x = grid.threads_x;
    int64_t word = program->word_bits / 8;
    node->local_words = local.words + (local.bytes + word - 1) / word;
    node->arguments = copy;
    if (program->batch > 1) node->period = blocks / program->batch; /* problems cost the same */
    copy = NULL;
    mmm_program_touch(program);
    const int64_t earliest = mmm_program_decides(program) ? program->unfolding->first : 0; /* what a call may follow */
    if (number > earliest && !program->unchained) TRY(mmm_program_depend(program, number - 1, number));
done:
    free(copy);
    return result;
}

void mmm_program_chain(mmm_program *program, int chain)
{
    if (program) program->unchained = !chain;
}

void mmm_program_hint(mmm_program *program, int64_t period, double less)
{
    if (!program || program->kernels == 0) return;
    mmm_node *node = &program->nodes[program->kernels - 1];
    const int64_t each = node->blocks / program->batch;
    node->period = period > 0 && each % period == 0 ? period : program->batch > 1 ? each : period > 0 ? period : 0;
    node->less = less >= 0 && less <= 1 ? less : 0;
}

const mmm_kernel *mmm_program_code(const mmm_program *program, int kernel)
{
    return program && kernel >= 0 && kernel < program->kernels ? program->nodes[kernel].code : NULL;
}

mmm_value mmm_program_argument(const mmm_program *program, int kernel, int argument)
{
    const mmm_kernel *code = mmm_program_code(program, kernel);
    if (!code || argument < 0 || argument >= code->parameter_count) return (mmm_value){0};
    return program->nodes[kernel].arguments[argument];
}

bool mmm_nodes_alike(const mmm_node *x, const mmm_node *y)
{
    if (x->code != y->code || x->threads != y->threads || x->threads_x != y->threads_x) return false;
    for (int i = 0; i < x->code->parameter_count; i++)
        if (x->code->parameters[i].kind == MMM_PARAMETER_CONSTANT && x->arguments[i].integer != y->arguments[i].integer)
            return false;
    return true;
}

mmm_digest mmm_program_digest(const mmm_program *program)
{
    mmm_digest digest = {{0}};
    for (int64_t i = 0; i < program->array_count; i++) {
        const int64_t size[] = {program->arrays[i].count, program->arrays[i].size};
        mmm_digest_add(&digest, size, sizeof size);
    }
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *x = &program->nodes[k];
        const int64_t shape[] = {
            (int64_t)(uintptr_t)x->code, x->blocks, x->blocks_x, x->threads, x->threads_x, x->local_words};
        mmm_digest_add(&digest, shape, sizeof shape);
        for (int i = 0; i < x->code->parameter_count; i++)
            if (x->code->parameters[i].kind == MMM_PARAMETER_ARRAY)
                mmm_digest_add(&digest, &x->arguments[i].number, sizeof x->arguments[i].number);
            else
                mmm_digest_add(&digest, &x->arguments[i], sizeof x->arguments[i]);
    }
    for (int64_t i = 0; i < program->edge_count; i++)
        mmm_digest_add(&digest, &program->edges[i], sizeof program->edges[i]);
    return digest;
}

void mmm_machine_values(const mmm_program *program, const mmm_node *node, void *const *base, int64_t problem,
                        mmm_value *values)
{
    for (int i = 0; i < node->code->parameter_count; i++) {
        values[i] = node->arguments[i];
        if (node->code->parameters[i].kind != MMM_PARAMETER_ARRAY) continue;
        const mmm_global *array = &program->arrays[node->arguments[i].number];
        values[i].array = (char *)base[node->arguments[i].number] + problem * array->count * array->size;
    }
}

mmm_call mmm_machine_call(const mmm_program *program, const mmm_node *node, int64_t problem, int64_t first,
                          int64_t last, mmm_scratch *scratch)
{
    return (mmm_call){.first = (int)first,
                      .last = (int)last,
                      .grid = (int)(node->blocks / program->batch),
                      .grid_x = (int)node->blocks_x,
                      .threads = (int)node->threads,
                      .threads_x = (int)node->threads_x,
                      .modulus = program->moduli    ? program->moduli[problem]
                                 : program->modulus ? *program->modulus
                                                    : (mmm_modulus){0},
                      .scratch = scratch};
}
