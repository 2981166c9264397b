/* SPDX-License-Identifier: Apache-2.0 */
/* The library short of memory: whatever allocation fails, a call fails with a status and a message, leaks nothing (the
 * sanitizer looks), and works when it is made again.  The linker puts the functions below in place of malloc's for the
 * library's own code, where FLINT's and GMP's memory comes from, too; jansson takes them from here. */
#ifndef MMM_TESTS_SHORT_H
#define MMM_TESTS_SHORT_H

#include "testing.h"

#include "base/json.h"
#include "mmm/study.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/wait.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

static _Atomic long count, first = 0, last = -1;
static _Atomic size_t size_before;

/* Of some of one size in a row, as FLINT makes thousands for its store of numbers, the first counts. */
static inline bool is_short(size_t size)
{
    const bool counts = atomic_exchange(&size_before, size) != size;
    const long number = counts ? ++count : count;
    return (counts || last > number) && number >= first && number <= last;
}

void *__wrap_malloc(size_t size)
{
    return is_short(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t number, size_t size)
{
    return is_short(number * size) ? NULL : __real_calloc(number, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_short(size) ? NULL : __real_realloc(memory, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return is_short(size) ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

/* Calls `work` with each allocation failing, or, where there are many, `most` of them; then with all from there on. */
static inline void sweep_some(mmm_status (*work)(void), long most)
{
    mmm_random random = {.state = (uint64_t)time(NULL)};
    last = -1;
    assert_ok(work()); /* what is read once is read */
    count = 0;
    size_before = 0;
    assert_ok(work());
    const long all = count;
    for (long i = 1; i <= all && i <= most; i++)
        for (int persistent = 0; persistent < 2; persistent++) {
            long k = all <= most || i <= most / 4 ? i : 1 + (long)mmm_random_below(&random, (uint64_t)all);
            count = 0;
            size_before = 0;
            first = k;
            last = persistent ? LONG_MAX : k;
            mmm_status status = work();
            last = -1;
            if (status != MMM_OK && status != MMM_MEMORY)
                fail_msg("allocation %ld of %ld: %s: %s", k, all, mmm_status_name(status), mmm_message());
            if (status != MMM_OK && !*mmm_message()) fail_msg("allocation %ld of %ld: no message", k, all);
        }
    assert_ok(work());
}

static inline void sweep(mmm_status (*work)(void))
{
    sweep_some(work, 100);
}

/* Numbers of more than 62 bits: FLINT's store of mpz is used. */
static inline mmm_status ask_number(void)
{
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    const mmm_query query = {.expression = "(W(s=7)+2^300)/(3^100+log2(1000003))", .evaluate = "n=9973,m=9967,l=8"};
    mmm_status result = MMM_OK;
    TRY(mmm_formula_open("division", &formula));
    TRY(mmm_formula_ask(formula, &query, &answer));
    assert_non_null(answer.text);
    assert_non_null(answer.decimal);
done:
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
    return result;
}

#define TEST_SWEEP(work)                  \
    static void test_##work(void **state) \
    {                                     \
        (void)state;                      \
        sweep(work);                      \
    }

#endif
