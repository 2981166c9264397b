/* SPDX-License-Identifier: Apache-2.0 */
/* A file of formulas against the counts: its quantities at small jobs that satisfy its conditions, which are drawn
 * without regard to where forms were found. */
#include "study/derive.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 200, MOST = 300, SEEDS = 140, TEXT = 300, U = 1000 };
static const double time_of_row = 1; /* seconds, about and at most */

static const struct {
    const char *name;
    count_kind first;
} compared[MMM_AGREEMENTS] = {{"W", COUNT_W}, {"S", COUNT_S}, {"O", COUNT_O},     {"N", COUNT_N},
                              {"L", COUNT_L}, {"K", COUNT_K}, {"C", COUNT_SLOPE}, {"local", COUNT_LOCAL}};

/* ---- Jobs ----------------------------------------------------------------------------------------------------- */

/* A quantity of the formula, and where it speaks of it. */
typedef struct asked {
    const mmm_formula *formula;
    const char *name;
    mmm_conditions *where;
} asked;

typedef struct some_values {
    const derivation *d;
    const int64_t *at;
    int from, to; /* the parameters from here to there have values */
} some_values;

static double value_of(const void *context, const char *name)
{
    const some_values *v = context;
    for (int i = v->from; i < v->to; i++)
        if (strcmp(v->d->axes[i].name, name) == 0) return (double)v->at[i];
    return strcmp(name, "U") == 0 ? U : NAN;
}

static bool is_said_from(const derivation *d, const void *context, const int64_t *at, int from)
{
    return mmm_conditions_hold(((const asked *)context)->where, value_of, &(some_values){d, at, from, d->real});
}

static bool is_said(const derivation *d, const void *context, const int64_t *at)
{
    return is_said_from(d, context, at, 0);
}

/* The least and the largest value of each choice of which it says something: drawn at random few would be such. */
static void narrow_choices(derivation *d, const asked *q)
{
    enum { TRIED = 4096 };
    for (int i = 0; i < d->real; i++) {
        derive_axis *a = &d->axes[i];
        const mmm_parameter *p = &d->app->parameters[a->parameter];
        int64_t at[AXES] = {0}, least = -1, most = -1;
        for (int64_t x = p->least > 0 ? p->least : 0; !a->size && x <= p->most && x <= TRIED; x++) {
            at[i] = x;
            if (!mmm_conditions_hold(q->where, value_of, &(some_values){d, at, i, i + 1})) continue;
            if (least < 0) least = x;
            most = x;
        }
        if (least < 0) continue;
        a->least = least;
        a->most = most < TRIED ? most : p->most;
    }
}

/* Jobs at which the formula says something of one quantity: some from anywhere, more near these. */
static mmm_status draw_jobs(derivation *d, const asked *q)
{
    mmm_status result = MMM_OK;
    bool *use = NULL;
    int64_t said = 0;
    narrow_choices(d, q);
    for (int64_t i = 0; i < d->aligned.count; i++)
        said += is_said(d, q, d->aligned.list[i].at);
    for (int large = 0; large < 2 && said < SEEDS; large++) { /* where small jobs are too few, larger ones */
        const int64_t before = d->aligned.count;
        d->until = d->spent + time_of_row; /* again, where the first jobs took all of it */
        d->lattice.grain = large;
        TRY(mmm_derive_anywhere(d, is_said_from, q, before + SEEDS - said, &d->aligned));
        said += d->aligned.count - before;
    }
    TRY(mmm_alloc(&use, d->aligned.count + 1, sizeof *use));
    for (int64_t i = 0; i < d->aligned.count; i++)
        use[i] = is_said(d, q, d->aligned.list[i].at);
    d->until = d->spent + time_of_row;
    if (said < JOBS) TRY(mmm_derive_near(d, &d->aligned, use, is_said, q, d->aligned.count + JOBS - said, &d->aligned));
done:
    mmm_free(use);
    return result;
}

/* ---- Comparison ------------------------------------------------------------------------------------------------ */

/* The parameters that the formula has. */
static void point_text(const derivation *d, const mmm_formula *formula, const int64_t *at, char *text)
{
    size_t used = 0;
    for (int i = 0; i < d->real; i++)
        if (mmm_check_parameter(formula, d->axes[i].name) == MMM_OK)
            used += (size_t)snprintf(text + used, TEXT - used, "%s=%" PRId64 ",", d->axes[i].name, at[i]);
    snprintf(text + used, TEXT - used, "U=%d", U);
}

/* One quantity at one point; C and O at a U at which every count of C is on its line.  The formula says nothing where a
 * condition does not hold. */
static mmm_status compare(const derivation *d, const asked *q, count_kind kind, const point *p, mmm_agreement *out)
{
    mmm_status result = MMM_OK;
    mmm_answer answer = {0};
    char at[TEXT], expected[32];
    const mmm_definition *definition = mmm_formula_find(q->formula, q->name);
    mmm_query query = {.expression = q->name, .evaluate = at, .measured = definition && definition->measured.root};
    int64_t counted = p->counted[kind];
    if (!is_said(d, q, p->at)) return MMM_OK;
    if (kind == COUNT_O) counted *= U;
    if (kind == COUNT_SLOPE) counted = counted * U + p->counted[COUNT_REST];
    snprintf(expected, sizeof expected, "%" PRId64, counted);
    point_text(d, q->formula, p->at, at);
    mmm_status status = mmm_formula_ask(q->formula, &query, &answer);
    if (status == MMM_OK && answer.decimal) {
        out->compared++;
        if (strcmp(answer.text, expected) != 0 && !out->wrong++)
            snprintf(out->first, sizeof out->first, "%.200s: %.80s, counted %s", at, answer.text, expected);
    }
    if (status != MMM_INVALID) TRY(status);
done:
    mmm_answer_clear(&answer);
    return result;
}

/* A quantity, by its name or as W1 of a naive algorithm, with jobs of its own. */
static mmm_status compare_quantity(derivation *d, const mmm_formula *formula, const char *name, count_kind kind,
                                   mmm_agreement *out)
{
    mmm_status result = MMM_OK;
    asked q = {formula, name, NULL};
    const int64_t own = d->aligned.count, most = out->compared + MOST;
    if (!mmm_formula_find(formula, name)) return MMM_OK;
    TRY(mmm_conditions_read(formula, name, &q.where));
    TRY(draw_jobs(d, &q));
    for (int64_t i = 0; i < d->aligned.count && out->compared < most; i++)
        TRY(compare(d, &q, kind, &d->aligned.list[(own + i) % d->aligned.count], out));
done:
    mmm_conditions_free(q.where);
    return result;
}

mmm_status mmm_formula_agrees(const mmm_formula *formula, const char *app, mmm_agreement out[MMM_AGREEMENTS])
{
    mmm_status result = MMM_OK;
    derivation *d = NULL;
    NEED(formula, "the formula");
    NEED(app, "the application");
    NEED(out, "the place for the agreements");
    memset(out, 0, MMM_AGREEMENTS * sizeof *out);
    TRY(mmm_alloc(&d, 1, sizeof *d));
    d->random.state = 5;
    d->cap = 256;
    TRY(mmm_derive_open(d, app, NULL, NULL, formula));
    for (int j = 0; j < MMM_AGREEMENTS; j++) {
        char all[sizeof out[j].quantity + 4]; /* where sizes do not divide, too: what derive writes */
        snprintf(out[j].quantity, sizeof out[j].quantity, "%s1", compared[j].name);
        if (!d->app->naive || !mmm_formula_find(formula, out[j].quantity))
            snprintf(out[j].quantity, sizeof out[j].quantity, "%s", compared[j].name);
        snprintf(all, sizeof all, "%s_all", out[j].quantity);
        TRY(compare_quantity(d, formula, out[j].quantity, compared[j].first, &out[j]));
        TRY(compare_quantity(d, formula, all, compared[j].first, &out[j]));
    }
done:
    mmm_derive_close(d);
    return result;
}
