/* SPDX-License-Identifier: Apache-2.0 */
/* A file of formulas against the counts: its quantities at small jobs that satisfy its conditions. */
#include "study/derive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 400, TEXT = 300 };

static const struct {
    const char *name;
    count_kind first;
} compared[MMM_AGREEMENTS] = {{"W", COUNT_W}, {"S", COUNT_S}, {"O", COUNT_O},    {"N", COUNT_N},
                              {"L", COUNT_L}, {"K", COUNT_K}, {"C", COUNT_SLOPE}};

/* Points of every lattice, and between. */
static mmm_status draw_jobs(derivation *d)
{
    mmm_status result = MMM_OK;
    for (int level = 0; level < LEVELS; level++)
        for (int x = -1; x < d->axis_count; x++)
            for (int y = 0; y < d->axis_count; y++) {
                if (x < 0 ? y > 0 : x == y || !d->axes[x].size || d->axes[y].other || (y < x && d->axes[y].size))
                    continue;
                d->lattice = (point_lattice){.level = level};
                if (x >= 0) d->lattice = (point_lattice){level, d->axes[y].size ? SHIFT_LESS : SHIFT_MORE, x, y};
                TRY(mmm_derive_aligned(d, &d->lattice, d->aligned.count + JOBS / 25, &d->aligned));
            }
    TRY(mmm_derive_diverse(d, JOBS / 4, &d->aligned));
done:
    return result;
}

/* The parameters that the formula has. */
static void point_text(const derivation *d, const mmm_formula *formula, const point *p, char *text)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < d->axis_count; i++)
        if (mmm_check_parameter(formula, d->axes[i].name) == MMM_OK)
            used += (size_t)snprintf(text + used, TEXT - used, "%s=%" PRId64 ",", d->axes[i].name, p->at[i]);
}

/* One quantity at one point; C and O at a U at which every count of C is on its line. */
static mmm_status compare(const mmm_formula *formula, const char *name, const char *at, int64_t counted,
                          mmm_agreement *out)
{
    mmm_status result = MMM_OK;
    mmm_answer answer = {0};
    char expected[32];
    const mmm_definition *definition = mmm_formula_find(formula, name);
    mmm_query query = {.expression = name, .evaluate = at, .measured = definition && definition->measured.root};
    snprintf(expected, sizeof expected, "%" PRId64, counted);
    mmm_status status = mmm_formula_ask(formula, &query, &answer);
    if (status != MMM_OK && status != MMM_INVALID) return status;
    if (status == MMM_OK && answer.decimal) {
        out->compared++;
        if (strcmp(answer.text, expected) != 0 && !out->wrong++)
            snprintf(out->first, sizeof out->first, "%.200s: %.80s, counted %s", at, answer.text, expected);
    }
    mmm_answer_clear(&answer);
    return result;
}

mmm_status mmm_formula_agrees(const mmm_formula *formula, const char *app, mmm_agreement out[MMM_AGREEMENTS])
{
    enum { U = 1000 };
    mmm_status result = MMM_OK;
    derivation *d = NULL;
    NEED(formula, "the formula");
    NEED(app, "the application");
    NEED(out, "the place for the agreements");
    memset(out, 0, MMM_AGREEMENTS * sizeof *out);
    TRY(mmm_alloc(&d, 1, sizeof *d));
    d->random.state = 5;
    d->cap = 256;
    d->until = mmm_derive_clock() + 20;
    TRY(mmm_derive_open(d, app, NULL, NULL, formula));
    TRY(draw_jobs(d));
    for (int i = 0; i < MMM_AGREEMENTS; i++)
        snprintf(out[i].quantity, sizeof out[i].quantity, "%s%s", compared[i].name, d->app->naive ? "1" : "");
    for (int64_t i = 0; i < d->aligned.count; i++) {
        const point *p = &d->aligned.list[i];
        char at[TEXT + 40];
        bool inside;
        point_text(d, formula, p, at);
        snprintf(at + strlen(at), 40, "U=%d", U);
        TRY(mmm_formula_inside(formula, at, &inside));
        for (int j = 0; j < MMM_AGREEMENTS && inside; j++) {
            int64_t counted = p->counted[compared[j].first];
            if (compared[j].first == COUNT_O) counted *= U;
            if (compared[j].first == COUNT_SLOPE) counted = counted * U + p->counted[COUNT_REST];
            TRY(compare(formula, out[j].quantity, at, counted, &out[j]));
            char all[sizeof out[j].quantity + 4]; /* where sizes do not divide, too: what derive writes */
            snprintf(all, sizeof all, "%s_all", out[j].quantity);
            if (mmm_formula_find(formula, all)) TRY(compare(formula, all, at, counted, &out[j]));
        }
    }
done:
    mmm_derive_close(d);
    return result;
}
