/* SPDX-License-Identifier: Apache-2.0 */
/* What was derived as a file of formulas: each form with the conditions under which it holds. */
#include "study/derive.h"

/* ---- The file -----------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *name, *factor;
    count_kind first, second; /* C has two parts */
} rows[] = {
    {"W", "", COUNT_W, COUNTS},           {"S", "", COUNT_S, COUNTS},         {"O", "U*", COUNT_O, COUNTS},
    {"N", "", COUNT_N, COUNTS},           {"L", "", COUNT_L, COUNTS},         {"K", "", COUNT_K, COUNTS},
    {"C", "U*", COUNT_SLOPE, COUNT_REST}, {"local", "", COUNT_LOCAL, COUNTS},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool row_found(const derivation *d, int row)
{
    return d->forms[rows[row].first].found && (rows[row].second == COUNTS || d->forms[rows[row].second].found);
}

static mmm_status row_text(const derivation *d, int row, mmm_text *out)
{
    mmm_status result = mmm_form_text(d, &d->forms[rows[row].first], rows[row].factor, out);
    if (result == MMM_OK && rows[row].second != COUNTS) {
        result = mmm_text_add(out, " + ");
        if (result == MMM_OK) result = mmm_form_text(d, &d->forms[rows[row].second], "", out);
    }
    return result;
}

/* Factored: what a formula prints. */
static mmm_status canonical(const derivation *d, int row, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    for (int i = 0; i < d->axis_count; i++)
        TRY(mmm_text_add(&text, "parameter %s x\n", d->axes[i].name));
    TRY(mmm_text_add(&text, "X_ = "));
    TRY(row_text(d, row, &text));
    TRY(mmm_text_add(&text, "\n"));
    TRY(mmm_formula_read("derived", text.data, &formula));
    TRY(mmm_formula_ask(formula, &(mmm_query){.expression = "X_"}, &answer));
    TRY(mmm_text_add(out, "%s", answer.text));
done:
    mmm_answer_clear(&answer);
    mmm_formula_free(formula);
    mmm_free(text.data);
    return result;
}

static mmm_status write_conditions(const derivation *d, const condition *list, int count, const char *before,
                                   mmm_text *out)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < count; i++) {
        TRY(mmm_text_add(out, "%s", i ? ", " : before));
        TRY(mmm_condition_text(d, &list[i], out));
    }
    if (count) TRY(mmm_text_add(out, "\n"));
done:
    return result;
}

/* The pool with what the forms say of each point. */
typedef struct verdicts {
    bool *holds, *inside;
    condition common[CONDITIONS];
    int common_count;
} verdicts;

static mmm_status find_common(derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    TRY(mmm_alloc(&v->holds, pool->count + 1, sizeof *v->holds));
    TRY(mmm_alloc(&v->inside, pool->count + 1, sizeof *v->inside));
    for (int64_t i = 0; i < pool->count; i++)
        v->holds[i] = true;
    for (int kind = COUNT_L; kind <= COUNT_S; kind++) {
        if (!d->forms[kind].found) continue;
        TRY(mmm_form_check(&d->forms[kind], d, pool, (count_kind)kind, v->inside));
        for (int64_t i = 0; i < pool->count; i++)
            v->holds[i] = v->holds[i] && v->inside[i];
    }
    TRY(mmm_derive_conditions(d, pool, v->holds, NULL, v->common, &v->common_count));
    for (int64_t i = 0; i < pool->count; i++) {
        v->inside[i] = true;
        for (int j = 0; j < v->common_count; j++)
            v->inside[i] = v->inside[i] && mmm_condition_holds(d, &v->common[j], pool->list[i].at);
    }
done:
    return result;
}

/* Further conditions of C and of the local words, and the U from which on C is on its line. */
static mmm_status find_own(derivation *d, verdicts *v, int row, condition *own, int *count, int64_t *low, bool *enough)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    bool *rest = NULL;
    TRY(mmm_alloc(&rest, pool->count + 1, sizeof *rest));
    TRY(mmm_form_check(&d->forms[rows[row].first], d, pool, rows[row].first, v->holds));
    if (rows[row].second != COUNTS) TRY(mmm_form_check(&d->forms[rows[row].second], d, pool, rows[row].second, rest));
    for (int64_t i = 0; i < pool->count && rows[row].second != COUNTS; i++)
        v->holds[i] = v->holds[i] && rest[i];
    TRY(mmm_derive_conditions(d, pool, v->holds, v->inside, own, count));
    /* Conditions that leave little of what is right are none. */
    int64_t right = 0, kept = 0;
    *low = 0;
    for (int64_t i = 0; i < pool->count; i++) {
        bool in = v->inside[i];
        right += in && v->holds[i];
        for (int j = 0; j < *count; j++)
            in = in && mmm_condition_holds(d, &own[j], pool->list[i].at);
        kept += in && v->holds[i];
        if (rows[row].second != COUNTS && in && pool->list[i].low > *low) *low = pool->list[i].low;
    }
    *enough = 3 * kept >= right && *count <= 4;
done:
    mmm_free(rest);
    return result;
}

mmm_status mmm_derive_write(derivation *d, mmm_text *out, int *found, int *quantities)
{
    mmm_status result = MMM_OK;
    verdicts v = {0};
    mmm_text expression = {0};
    const char *choice = NULL;
    *quantities = ROWS;
    TRY(find_common(d, &v));
    TRY(mmm_text_add(out, "# Found from %lld counted jobs, and verified on them.\n\ntitle      %s\n",
                     (long long)d->runs, d->app->summary ? d->app->summary : d->app->name));
    for (int i = 0; i < d->axis_count; i++) {
        const derive_axis *a = &d->axes[i];
        TRY(mmm_text_add(out, "%-10s %-4s %s\n", a->size ? "size" : "parameter", a->name,
                         d->app->parameters[a->parameter].meaning));
        if (!choice && d->app->parameters[a->parameter].role == MMM_CHOICE) choice = a->name;
    }
    if (choice) TRY(mmm_text_add(out, "choose     %s\n", choice));
    TRY(mmm_text_add(out, "\n"));
    for (int i = 0; i < d->axis_count; i++)
        TRY(mmm_text_add(out, "where  %s >= %lld\n", d->axes[i].name, (long long)d->axes[i].least));
    TRY(mmm_text_add(out, "where  U > 1\n\n"));
    TRY(write_conditions(d, v.common, v.common_count, "given  ", out));
    for (int row = 0; row < ROWS; row++) {
        condition own[CONDITIONS];
        int count = 0;
        int64_t low = 0;
        if (!row_found(d, row)) {
            TRY(mmm_text_add(out, "# %s: none in this family\n", rows[row].name));
            continue;
        }
        mmm_free(expression.data);
        expression = (mmm_text){0};
        TRY(canonical(d, row, &expression));
        if (rows[row].first >= COUNT_SLOPE) {
            bool enough;
            TRY(find_own(d, &v, row, own, &count, &low, &enough));
            if (!enough) {
                TRY(mmm_text_add(out, "# %s: no conditions found for %s\n", rows[row].name, expression.data));
                continue;
            }
        }
        ++*found;
        TRY(mmm_text_add(out, "%s = %s\n    measured  %s\n", rows[row].name, expression.data, expression.data));
        if (low > 2) TRY(mmm_text_add(out, "    given     U >= %lld%s", (long long)low, count ? "" : "\n"));
        TRY(write_conditions(d, own, count, low > 2 ? ", " : "    given     ", out));
    }
done:
    mmm_free(v.holds);
    mmm_free(v.inside);
    mmm_free(expression.data);
    return result;
}
