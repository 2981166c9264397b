/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of predictions share: small jobs of the paper's applications. */
#ifndef SHAPES_H
#define SHAPES_H

#include "jobs.h"

typedef struct {
    const char *app;
    int64_t n, m, s, l;
} shape_case;

static const shape_case grid[] = {
    {"division", 100, 50, 1, 0},
    {"division", 257, 100, 8, 0},
    {"division", 300, 299, 16, 0},
    {"division", 400, 10, 32, 0},
    {"division", 513, 257, 64, 0},
    {"division-naive", 120, 50, 0, 16},
    {"gcd", 60, 50, 4, 0},
    {"gcd", 200, 170, 16, 0},
    {"gcd", 300, 300, 32, 0},
    {"gcd-naive", 60, 40, 0, 8},
    {"multiplication", 100, 60, 4, 8},
    {"multiplication", 333, 100, 8, 16},
    {"multiplication", 50, 7, 1, 32},
    {"radix-sort", 1000, 0, 4, 16},
    {"radix-sort", 777, 0, 8, 32},
};

static inline mmm_job *job_of(const shape_case *c)
{
    mmm_job *job;
    assert_ok(mmm_job_new(c->app, &job));
    assert_ok(mmm_job_set(job, "n", c->n));
    if (c->m) assert_ok(mmm_job_set(job, "m", c->m));
    if (c->s) assert_ok(mmm_job_set(job, "s", c->s));
    if (c->l) assert_ok(mmm_job_set(job, "l", c->l));
    return job;
}

#endif
