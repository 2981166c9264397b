/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on polynomials and keys, each in its fastest form, as plans that their machine keeps. */
#ifndef MMM_OPERATIONS_H
#define MMM_OPERATIONS_H

#include "job/plan.h"
#include "study/study.h"

/* What is asked for: an operation, by one of these pointers, and numbers. */
extern const char mmm_multiplication[], mmm_division[], mmm_gcd_app[], mmm_sorting[];
enum { KEY_N, KEY_M, KEY_P, KEY_BITS, KEY_VALUES, KEY_BATCH, KEY_WISDOM, KEY_THERE, KEY_ORDER };
mmm_plan_key mmm_key_of(const char *app, uint64_t p, int64_t n, int64_t m, int64_t batch);

/* The same for `batch` problems, each modulo a prime of its own: those of a list of primes that are 1 modulo 2^order, from
 * one on, which with their number says which they are.  What they need of tables is in the plan. */
mmm_status mmm_plan_by_primes(mmm_machine *machine, const char *operation, int order, const uint64_t *primes, int64_t n,
                              int64_t m, int64_t batch, mmm_plan **out);

/* The machine's plan for it: of an earlier call, or a new one. */
mmm_status mmm_plan_find(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out);

/* Around each of its runs: how long they take decides when it is predicted. */
double mmm_plan_begins(mmm_plan *plan);
void mmm_plan_ends(mmm_plan *plan, double start);

/* Runs it; a plan that fails is not kept. */
mmm_status mmm_plan_call(mmm_machine *machine, const mmm_plan_key *key, const void *const *inputs, void *const *outputs,
                         int64_t *const *counts);

#endif
