/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in a machine's memory: in, out, and what of them the host must know. */
#include "job/job.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>

static size_t bytes_of(const mmm_modulus *modulus, int64_t terms)
{
    return (size_t)terms * (size_t)(modulus->bits / 8);
}

static uint64_t word_at(const mmm_modulus *modulus, const void *words, int64_t i)
{
    return modulus->bits == 32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static mmm_status make(mmm_machine *machine, const mmm_modulus *modulus, int64_t terms, mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_array *array = NULL;
    TRY(mmm_alloc(&array, 1, sizeof *array));
    *array = (mmm_array){.machine = machine, .modulus = *modulus, .terms = terms};
    TRY(mmm_buffer_new(machine, bytes_of(modulus, terms), &array->buffer));
    *out = array;
    array = NULL;
done:
    free(array);
    return result;
}

mmm_status mmm_array_new(mmm_machine *machine, uint64_t p, const uint64_t *coefficients, int64_t terms, mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_polynomial a = {0};
    mmm_modulus modulus;
    mmm_array *array = NULL;
    void *words = NULL;
    if (!machine) FAIL(MMM_INVALID, "the machine of an array is NULL");
    TRY(mmm_check_terms(terms, coefficients, "the array"));
    TRY(mmm_modulus_read(p, &modulus));
    TRY(mmm_polynomial_set(&a, p, coefficients, terms, "the array"));
    if (a.terms > TERMS_MOST)
        FAIL(MMM_TOO_LARGE, "the array has %lld terms: %d are possible", (long long)a.terms, TERMS_MOST);
    TRY(mmm_alloc(&words, a.terms, (size_t)(modulus.bits / 8)));
    for (int64_t i = 0; i < a.terms; i++) {
        uint64_t x = mmm_modulus_enter(&modulus, a.coefficients[i]);
        if (modulus.bits == 32)
            ((uint32_t *)words)[i] = (uint32_t)x;
        else
            ((uint64_t *)words)[i] = x;
    }
    TRY(make(machine, &modulus, a.terms, &array));
    TRY(mmm_buffer_write(machine, array->buffer, 0, words, bytes_of(&modulus, a.terms)));
    if (a.terms) array->lead = a.coefficients[a.terms - 1];
    *out = array;
    array = NULL;
done:
    mmm_array_free(array);
    mmm_polynomial_clear(&a);
    free(words);
    return result;
}

mmm_status mmm_array_read(const mmm_array *array, uint64_t *coefficients)
{
    mmm_status result = MMM_OK;
    void *words = NULL;
    if (!array) FAIL(MMM_INVALID, "the array to read is NULL");
    TRY(mmm_check_terms(array->terms, coefficients, "the memory to read into"));
    const mmm_modulus *modulus = &array->modulus;
    TRY(mmm_alloc(&words, array->terms, (size_t)(modulus->bits / 8)));
    TRY(mmm_buffer_read(array->machine, array->buffer, 0, words, bytes_of(modulus, array->terms)));
    for (int64_t i = 0; i < array->terms; i++)
        coefficients[i] = mmm_modulus_leave(modulus, word_at(modulus, words, i));
done:
    free(words);
    return result;
}

int64_t mmm_array_terms(const mmm_array *array)
{
    return array->terms;
}

void mmm_array_free(mmm_array *array)
{
    if (!array) return;
    mmm_buffer_free(array->machine, array->buffer);
    free(array);
}

/* A program of one kernel on the first `count` words of a buffer, its array number 0. */
static mmm_status new_program(const mmm_modulus *modulus, void *buffer, int64_t count, mmm_use use, mmm_program **out)
{
    mmm_status result = MMM_OK;
    mmm_program *program = NULL;
    int array;
    TRY(mmm_program_new(&program));
    TRY(mmm_program_set_words(program, modulus->bits, modulus));
    TRY(mmm_program_array(program, "a", count, modulus->bits / 8, use, NULL, &array));
    mmm_program_bind(program, array, buffer);
    *out = program;
    program = NULL;
done:
    mmm_program_free(program);
    return result;
}

enum { COUNT_EACH = 64, COUNT_THREADS = 256, SCALE_THREADS = 256 };

/* The number of terms of what lies in the buffer, by the machine. */
static mmm_status count_terms(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t *terms)
{
    mmm_status result = MMM_OK;
    mmm_program *program = NULL;
    int64_t count = *terms, part = COUNT_EACH * COUNT_THREADS, blocks = (count + part - 1) / part;
    int32_t *found = NULL;
    int array;
    TRY(mmm_alloc(&found, blocks, sizeof *found));
    TRY(new_program(modulus, buffer, count, MMM_IN, &program));
    TRY(mmm_program_array(program, "terms", blocks, sizeof *found, MMM_OUT, found, &array));
    const mmm_argument arguments[] = {
        {MMM_ARRAY, 0},
        {MMM_ARRAY, (uint64_t)array},
        {MMM_INTEGER, (uint64_t)count},
        {MMM_CONSTANT, COUNT_EACH},
        {MMM_CONSTANT, COUNT_THREADS},
    };
    TRY(mmm_program_launch(program, &mmm_kernel_count_terms, blocks, COUNT_THREADS, COUNT_THREADS, arguments, 5, NULL));
    TRY(mmm_machine_run(machine, program, NULL));
    for (*terms = 0; blocks > 0 && !*terms; blocks--)
        *terms = found[blocks - 1];
done:
    mmm_program_free(program);
    free(found);
    return result;
}

/* Drops leading zeros.  Mostly there are none or few, and one short read tells. */
static mmm_status trim(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t *terms, uint64_t *lead)
{
    enum { TOP = 16 };
    mmm_status result = MMM_OK;
    uint64_t top[TOP];
    *lead = 0;
    for (int attempt = 0; *terms > 0; attempt++) {
        int64_t count = *terms < TOP ? *terms : TOP;
        TRY(mmm_buffer_read(machine, buffer, bytes_of(modulus, *terms - count), top, bytes_of(modulus, count)));
        for (; count > 0; count--, --*terms) {
            *lead = mmm_modulus_leave(modulus, word_at(modulus, top, count - 1));
            if (*lead) goto done;
        }
        if (attempt == 0 && *terms) TRY(count_terms(machine, modulus, buffer, terms));
    }
done:
    return result;
}

mmm_status mmm_array_copy(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t terms,
                          mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_array *array = NULL;
    uint64_t lead;
    TRY(trim(machine, modulus, buffer, &terms, &lead));
    TRY(make(machine, modulus, terms, &array));
    array->lead = lead;
    TRY(mmm_buffer_copy(machine, array->buffer, 0, buffer, bytes_of(modulus, terms)));
    *out = array;
    array = NULL;
done:
    mmm_array_free(array);
    return result;
}

mmm_status mmm_array_make_monic(mmm_array *array)
{
    mmm_status result = MMM_OK;
    mmm_program *program = NULL;
    if (array->terms == 0 || array->lead == 1) goto done;
    uint64_t inverse = mmm_modulus_enter(&array->modulus, n_invmod(array->lead, array->modulus.p));
    const mmm_argument arguments[] = {{MMM_ARRAY, 0}, {MMM_WORD, inverse}, {MMM_INTEGER, (uint64_t)array->terms}};
    int64_t blocks = (array->terms + SCALE_THREADS - 1) / SCALE_THREADS;
    TRY(new_program(&array->modulus, array->buffer, array->terms, MMM_IN_OUT, &program));
    TRY(mmm_program_launch(program, &mmm_kernel_scale, blocks, SCALE_THREADS, 0, arguments, 3, NULL));
    TRY(mmm_machine_run(array->machine, program, NULL));
    array->lead = 1;
done:
    mmm_program_free(program);
    return result;
}
