/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in a machine's memory: in, out, and what of them the host must know. */
#include "job/plan.h"

#include "polynomial/kernels.h" /* made from polynomial_kernels.c */

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
    array->bytes = bytes_of(modulus, terms);
    TRY(mmm_buffer_take(machine, &array->bytes, &array->buffer));
    *out = array;
    array = NULL;
done:
    free(array);
    return result;
}

mmm_status mmm_array_new(mmm_machine *machine, uint64_t p, const uint64_t *coefficients, int64_t terms, mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_vector a = {0};
    mmm_modulus modulus;
    mmm_array *array = NULL;
    void *words = NULL;
    NEED(machine, "the machine of an array");
    NEED(out, "the place for an array");
    TRY(mmm_check_terms(terms, coefficients, "the array"));
    TRY(mmm_modulus_read(p, &modulus));
    TRY(mmm_vector_polynomial(&a, p, coefficients, terms, "the array"));
    TRY(mmm_alloc(&words, a.count, (size_t)(modulus.bits / 8)));
    mmm_words_enter(&modulus, modulus.bits, a.elements, words, a.count);
    TRY(make(machine, &modulus, a.count, &array));
    TRY(mmm_buffer_write(machine, array->buffer, 0, words, bytes_of(&modulus, a.count)));
    *out = array;
    array = NULL;
done:
    mmm_array_free(array);
    mmm_vector_clear(&a);
    free(words);
    return result;
}

mmm_status mmm_array_read(const mmm_array *array, uint64_t *coefficients)
{
    mmm_status result = MMM_OK;
    void *words = NULL;
    NEED(array, "the array to read");
    TRY(mmm_check_terms(array->terms, coefficients, "the memory to read into"));
    const mmm_modulus *modulus = &array->modulus;
    TRY(mmm_alloc(&words, array->terms, (size_t)(modulus->bits / 8)));
    TRY(mmm_buffer_read(array->machine, array->buffer, 0, words, bytes_of(modulus, array->terms)));
    mmm_words_leave(modulus, modulus->bits, words, coefficients, 1, array->terms);
done:
    free(words);
    return result;
}

int64_t mmm_array_terms(const mmm_array *array)
{
    return array ? array->terms : 0;
}

void *mmm_array_memory(const mmm_array *array)
{
    return array && array->terms && mmm_buffer_finish(array->machine) == MMM_OK ? array->buffer : NULL;
}

void mmm_array_free(mmm_array *array)
{
    if (!array) return;
    if (!array->wrapped) mmm_buffer_put_by(array->machine, array->bytes, array->buffer);
    free(array);
}

/* ---- What programs find out and do: plans as any other --------------------------------------------------------------
 */

enum { COUNT_EACH = 64, COUNT_THREADS = 256, COUNT_PART = COUNT_EACH * COUNT_THREADS, SCALE_THREADS = 256 };

static mmm_status build_count(mmm_job *job, mmm_program *program)
{
    mmm_word_array a;
    mmm_i32_array terms;
    const int64_t n = mmm_job_get(job, "n"), blocks = n / COUNT_PART;
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN, &a));
    MMM_TRY(mmm_job_array(job, "terms", blocks, MMM_OUT, &terms));
    return launch_count_terms(program, blocks, COUNT_THREADS, a, terms, n, COUNT_EACH, COUNT_THREADS);
}

static mmm_status build_scale(mmm_job *job, mmm_program *program)
{
    mmm_word_array a, factor;
    const int64_t n = mmm_job_get(job, "n");
    MMM_TRY(mmm_job_input(job, 0, 0, n, MMM_IN | MMM_RESULT, &a));
    MMM_TRY(mmm_job_input(job, 1, 0, 1, MMM_IN, &factor));
    return launch_scale(program, n / SCALE_THREADS, SCALE_THREADS, a, factor);
}

#define PARAMETERS                                                                               \
    {                                                                                            \
        {"n", "the number of terms", MMM_SIZE, 1, (int64_t)2 * TERMS_MOST, 1 << 20, NULL, NULL}, \
            {"p", "the prime modulus", MMM_MODULUS, 2, INT64_MAX, 2013265921, NULL, NULL},       \
    }
static const mmm_app counting = {.name = "count",
                                 .parameters = PARAMETERS,
                                 .inputs = {{.name = "a", .type = MMM_POLYNOMIAL, .shape = "n"}},
                                 .build = build_count};
static const mmm_app scaling = {.name = "scale",
                                .parameters = PARAMETERS,
                                .inputs = {{.name = "a", .type = MMM_POLYNOMIAL, .shape = "n"},
                                           {.name = "factor", .type = MMM_POLYNOMIAL, .shape = "1"}},
                                .build = build_scale};

/* For so many terms, at least `n`, and p: many sizes share a plan, as what is behind the terms is 0. */
static mmm_status find_plan(mmm_machine *machine, const mmm_app *app, uint64_t p, int64_t terms, int64_t n,
                            mmm_plan **plan)
{
    while (n < terms)
        n *= 2;
    return mmm_recent_of(machine, app, (const int64_t[]){n, (int64_t)p}, plan);
}

/* The number of terms of what lies in the buffer, by the machine. */
static mmm_status count_terms(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first,
                              int64_t *terms)
{
    mmm_status result = MMM_OK;
    mmm_plan *plan;
    const mmm_array array = {
        .machine = machine, .modulus = *modulus, .terms = *terms, .buffer = buffer, .first = first};
    TRY(find_plan(machine, &counting, modulus->p, *terms, COUNT_PART, &plan));
    TRY(mmm_plan_count(plan, &array, terms));
done:
    return result;
}

/* Drops leading zeros.  Mostly there are none or few, and one short read tells. */
static mmm_status trim(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first, int64_t *terms)
{
    enum { TOP = 16 };
    mmm_status result = MMM_OK;
    uint64_t top[TOP];
    for (int attempt = 0; *terms > 0; attempt++) {
        int64_t count = *terms < TOP ? *terms : TOP;
        TRY(mmm_buffer_read(machine, buffer, bytes_of(modulus, first + *terms - count), top, bytes_of(modulus, count)));
        for (; count > 0; count--, --*terms)
            if (word_at(modulus, top, count - 1)) goto done;
        if (attempt == 0 && *terms) TRY(count_terms(machine, modulus, buffer, first, terms));
    }
done:
    return result;
}

mmm_status mmm_array_wrap(mmm_machine *machine, uint64_t p, void *memory, int64_t terms, mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    mmm_array *array = NULL;
    NEED(machine, "the machine of an array");
    NEED(out, "the place for an array");
    TRY(mmm_check_terms(terms, memory, "the memory to wrap"));
    TRY(mmm_modulus_read(p, &modulus));
    TRY(mmm_machine_check_process(machine));
    TRY(trim(machine, &modulus, memory, 0, &terms));
    TRY(mmm_alloc(&array, 1, sizeof *array));
    *array = (mmm_array){.machine = machine, .modulus = modulus, .terms = terms, .buffer = memory, .wrapped = true};
    *out = array;
done:
    return result;
}

mmm_status mmm_array_copy(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first, int64_t terms,
                          mmm_array **out)
{
    mmm_status status = trim(machine, modulus, buffer, first, &terms);
    return status == MMM_OK ? mmm_array_take(machine, modulus, buffer, first, terms, out) : status;
}

mmm_status mmm_array_take(mmm_machine *machine, const mmm_modulus *modulus, void *buffer, int64_t first, int64_t terms,
                          mmm_array **out)
{
    mmm_status result = MMM_OK;
    mmm_array *array = NULL;
    TRY(make(machine, modulus, terms, &array));
    TRY(mmm_buffer_copy(machine, array->buffer, 0, buffer, bytes_of(modulus, first), bytes_of(modulus, terms)));
    *out = array;
    array = NULL;
done:
    mmm_array_free(array);
    return result;
}

mmm_status mmm_array_make_monic(mmm_array *array)
{
    mmm_status result = MMM_OK;
    mmm_plan *plan;
    uint64_t top = 0;
    if (array->terms == 0) goto done;
    TRY(mmm_buffer_read(array->machine, array->buffer, bytes_of(&array->modulus, array->terms - 1), &top,
                        bytes_of(&array->modulus, 1)));
    const uint64_t lead = mmm_modulus_leave(&array->modulus, word_at(&array->modulus, &top, 0));
    if (lead == 1) goto done;
    const uint64_t inverse = mmm_modulus_enter(&array->modulus, n_invmod(lead, array->modulus.p));
    const uint32_t narrow = (uint32_t)inverse;
    const void *factor = array->modulus.bits == 32 ? (const void *)&narrow : &inverse;
    if (array->machine->type->memory == &mmm_memory_host) {
        mmm_words_scale(&array->modulus, array->buffer, factor, array->terms);
        goto done;
    }
    TRY(find_plan(array->machine, &scaling, array->modulus.p, array->terms, SCALE_THREADS, &plan));
    TRY(mmm_plan_scale(plan, array, factor));
done:
    return result;
}
