/* SPDX-License-Identifier: Apache-2.0 */
/* What was derived as a file of formulas: each form with the conditions under which it holds. */
#include "study/derive.h"

#include <string.h>

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

static bool row_found(const form *forms, int row)
{
    return forms[rows[row].first].found && (rows[row].second == COUNTS || forms[rows[row].second].found);
}

static mmm_status row_text(const derivation *d, const form *forms, int row, mmm_text *out)
{
    mmm_status result = mmm_form_text(d, &forms[rows[row].first], rows[row].factor, out);
    if (result == MMM_OK && rows[row].second != COUNTS) {
        result = mmm_text_add(out, " + ");
        if (result == MMM_OK) result = mmm_form_text(d, &forms[rows[row].second], "", out);
    }
    return result;
}

/* Factored: what a formula prints. */
static mmm_status canonical(const derivation *d, const form *forms, int row, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    mmm_formula *formula = NULL;
    mmm_answer answer = {0};
    for (int i = 0; i < d->axis_count; i++)
        if (!d->axes[i].rounded) TRY(mmm_text_add(&text, "parameter %s x\n", d->axes[i].name));
    TRY(mmm_text_add(&text, "X_ = "));
    TRY(row_text(d, forms, row, &text));
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

/* Conditions on one line, after what stands before the first of them. */
static mmm_status add_conditions(const derivation *d, const condition *list, int count, const char **before,
                                 mmm_text *out)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < count; i++) {
        TRY(mmm_text_add(out, "%s", *before));
        TRY(mmm_condition_text(d, &list[i], out));
        *before = ", ";
    }
done:
    return result;
}

/* The pool with what the forms say of each point. */
typedef struct verdicts {
    bool *holds, *inside,
        *wide; /* inside: where all conditions of all hold; wide: where but those of what is whole do */
    condition whole[CONDITIONS], rest[CONDITIONS];
    int whole_count, rest_count;
    bool rounds[ROWS]; /* a form that only what is whole stands in the way of */
} verdicts;

/* What is whole is told from the rest. */
static mmm_status find_common(derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    condition common[CONDITIONS];
    int count;
    TRY(mmm_alloc(&v->holds, pool->count + 1, sizeof *v->holds));
    TRY(mmm_alloc(&v->inside, pool->count + 1, sizeof *v->inside));
    TRY(mmm_alloc(&v->wide, pool->count + 1, sizeof *v->wide));
    for (int64_t i = 0; i < pool->count; i++)
        v->holds[i] = true;
    for (int kind = COUNT_L; kind <= COUNT_S; kind++) {
        if (!d->forms[kind].found) continue;
        TRY(mmm_form_check(&d->forms[kind], d, pool, (count_kind)kind, v->inside));
        for (int64_t i = 0; i < pool->count; i++)
            v->holds[i] = v->holds[i] && v->inside[i];
    }
    TRY(mmm_derive_conditions(d, pool, v->holds, NULL, common, &count));
    for (int j = 0; j < count; j++)
        if (common[j].kind == WHOLE || common[j].kind == WHOLE_LOG)
            v->whole[v->whole_count++] = common[j];
        else
            v->rest[v->rest_count++] = common[j];
    for (int64_t i = 0; i < pool->count; i++) {
        const int64_t *at = pool->list[i].at;
        v->inside[i] = v->wide[i] = true;
        for (int j = 0; j < v->rest_count; j++)
            v->wide[i] = v->wide[i] && mmm_condition_holds(d, &v->rest[j], at);
        for (int j = 0; j < v->whole_count; j++) {
            v->inside[i] = v->inside[i] && mmm_condition_holds(d, &v->whole[j], at);
            v->wide[i] = v->wide[i] && mmm_condition_shifted(&v->whole[j], at) > 0;
        }
        v->inside[i] = v->inside[i] && v->wide[i];
    }
done:
    return result;
}

/* A row with what it holds under besides the conditions of all: its own, and U from which on C is on its line. */
typedef struct row_given {
    condition own[CONDITIONS];
    int count;
    int64_t low;
    condition whole[CONDITIONS]; /* of what is whole, what matters */
    int whole_count;
    bool enough; /* conditions that leave little of what is right are none */
} row_given;

static bool is_inside(const derivation *d, const row_given *g, const int64_t *at)
{
    bool in = true;
    for (int j = 0; j < g->count; j++)
        in = in && mmm_condition_holds(d, &g->own[j], at);
    for (int j = 0; j < g->whole_count; j++)
        in = in && mmm_condition_holds(d, &g->whole[j], at);
    return in;
}

static mmm_status find_own(derivation *d, verdicts *v, int row, row_given *out)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    bool *rest = NULL;
    *out = (row_given){.enough = true};
    TRY(mmm_alloc(&rest, pool->count + 1, sizeof *rest));
    TRY(mmm_form_check(&d->forms[rows[row].first], d, pool, rows[row].first, v->holds));
    if (rows[row].second != COUNTS) TRY(mmm_form_check(&d->forms[rows[row].second], d, pool, rows[row].second, rest));
    for (int64_t i = 0; i < pool->count && rows[row].second != COUNTS; i++)
        v->holds[i] = v->holds[i] && rest[i];
    if (rows[row].first >= COUNT_SLOPE) TRY(mmm_derive_conditions(d, pool, v->holds, v->inside, out->own, &out->count));
    int64_t right = 0, kept = 0;
    out->whole_count = v->whole_count;
    memcpy(out->whole, v->whole, sizeof out->whole);
    for (int j = v->whole_count - 1; j >= 0; j--) { /* one without which nothing fails is none */
        condition dropped = out->whole[j];
        memmove(&out->whole[j], &out->whole[j + 1], (size_t)(--out->whole_count - j) * sizeof *out->whole);
        for (int64_t i = 0; i < pool->count; i++)
            if (!v->holds[i] && v->wide[i] && is_inside(d, out, pool->list[i].at)) {
                memmove(&out->whole[j + 1], &out->whole[j], (size_t)(out->whole_count++ - j) * sizeof *out->whole);
                out->whole[j] = dropped;
                break;
            }
    }
    for (int64_t i = 0; i < pool->count; i++) {
        bool in = v->wide[i] && is_inside(d, out, pool->list[i].at);
        right += v->inside[i] && v->holds[i];
        kept += in && v->inside[i] && v->holds[i];
        if (in && rows[row].second != COUNTS && pool->list[i].low > out->low) out->low = pool->list[i].low;
    }
    out->enough = 3 * kept >= right && out->count <= 4;
done:
    mmm_free(rest);
    return result;
}

/* Why a quantity has no form: counts that differ with the inputs are no function of the parameters. */
static mmm_status write_none(derivation *d, int row, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const count_kind kind = rows[row].first;
    for (int64_t i = 0; i < d->diverse.count && i < 40; i++) {
        point p = d->diverse.list[i];
        bool there;
        d->seed = 2;
        result = mmm_derive_count(d, &p, &there);
        d->seed = 0;
        if (result != MMM_OK) return result;
        if (!there || p.counted[kind] == d->diverse.list[i].counted[kind]) continue;
        TRY(mmm_text_add(out, "# %s: none, it depends on the inputs:", rows[row].name));
        for (int j = 0; j < d->axis_count; j++)
            TRY(mmm_text_add(out, " %s=%lld", d->axes[j].name, (long long)p.at[j]));
        return mmm_text_add(out, " has %lld and, with another seed, %lld\n",
                            (long long)d->diverse.list[i].counted[kind], (long long)p.counted[kind]);
    }
    TRY(mmm_text_add(out, "# %s: none in this family\n", rows[row].name));
done:
    return result;
}

static mmm_status write_row(derivation *d, verdicts *v, int row, mmm_text *out, bool *found)
{
    mmm_status result = MMM_OK;
    mmm_text expression = {0};
    row_given given;
    const char *before = "    given     ";
    *found = false;
    if (!row_found(d->forms, row)) return write_none(d, row, out);
    TRY(canonical(d, d->forms, row, &expression));
    TRY(find_own(d, v, row, &given));
    if (!given.enough) {
        TRY(mmm_text_add(out, "# %s: no conditions found for %s\n", rows[row].name, expression.data));
        goto done;
    }
    *found = true;
    TRY(mmm_text_add(out, "%s = %s\n    measured  %s\n", rows[row].name, expression.data, expression.data));
    if (given.low > 2) {
        TRY(mmm_text_add(out, "%sU >= %lld", before, (long long)given.low));
        before = ", ";
    }
    TRY(add_conditions(d, given.whole, given.whole_count, &before, out));
    TRY(add_conditions(d, given.own, given.count, &before, out));
    if (*before == ',') TRY(mmm_text_add(out, "\n"));
    v->rounds[row] = given.whole_count && !given.count;
done:
    mmm_free(expression.data);
    return result;
}

/* Points of the pool at which sizes divide less: by s where it was 2 s; how many conditions are left. */
static int weaken(const derivation *d, const verdicts *v, condition *weaker, bool *inside)
{
    int count = 0;
    for (int j = 0; j < v->whole_count; j++) {
        condition c = v->whole[j];
        bool choices = false;
        for (int i = 0; i < d->axis_count; i++)
            choices = choices || c.of.exponents[i];
        c.factor = 1;
        if (c.kind == WHOLE && (choices || c.shift != SHIFT_NONE)) weaker[count++] = c;
    }
    for (int64_t i = 0; i < d->diverse.count; i++) {
        inside[i] = v->wide[i];
        for (int j = 0; j < count; j++)
            inside[i] = inside[i] && mmm_condition_holds(d, &weaker[j], d->diverse.list[i].at);
    }
    return count;
}

/* The quantities that hold only where sizes divide, with ceilings, where they do not, or not that much. */
static mmm_status write_rounded(derivation *d, const verdicts *v, mmm_text *out)
{
    enum { RECIPES = 3 };
    mmm_status result = MMM_OK;
    mmm_text expression = {0};
    form *forms = NULL;
    bool *inside = NULL;
    condition weaker[CONDITIONS];
    const char *comment = "\n# Where sizes do not divide.\n";
    TRY(mmm_alloc(&forms, COUNTS, sizeof *forms));
    TRY(mmm_alloc(&inside, d->diverse.count + 1, sizeof *inside));
    TRY(mmm_derive_round(d, v->whole, v->whole_count));
    TRY(mmm_derive_fit(d, &d->diverse, v->wide, RECIPES, forms));
    bool found[ROWS];
    for (int row = 0; row < ROWS; row++)
        found[row] = row_found(forms, row);
    int count = weaken(d, v, weaker, inside);
    TRY(mmm_derive_fit(d, &d->diverse, inside, RECIPES, forms));
    for (int row = 0; row < ROWS; row++) {
        const char *before = "    given     ";
        if (!v->rounds[row] || !row_found(forms, row)) continue;
        mmm_free(expression.data);
        expression = (mmm_text){0};
        TRY(canonical(d, forms, row, &expression));
        if (!found[row] && !strstr(expression.data, "ceil")) continue;
        TRY(mmm_text_add(out, "%slet %s_all = %s\n    measured  %s\n", comment, rows[row].name, expression.data,
                         expression.data));
        if (!found[row]) TRY(add_conditions(d, weaker, count, &before, out));
        if (*before == ',') TRY(mmm_text_add(out, "\n"));
        comment = "";
    }
done:
    mmm_free(forms);
    mmm_free(inside);
    mmm_free(expression.data);
    return result;
}

/* What all rows hold under: but what is whole, which some need not. */
static mmm_status write_common(const derivation *d, const verdicts *v, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const char *before = "given  ";
    TRY(add_conditions(d, v->rest, v->rest_count, &before, out));
    for (int i = 0; i < v->whole_count; i++) {
        const condition *c = &v->whole[i];
        if (c->shift != SHIFT_LESS) continue;
        TRY(mmm_text_add(out, "%s%s >= %s", before, d->axes[c->shifted].name, d->axes[c->by].name));
        before = ", ";
    }
    if (*before == ',') TRY(mmm_text_add(out, "\n"));
done:
    return result;
}

mmm_status mmm_derive_write(derivation *d, mmm_text *out, int *found, int *quantities)
{
    mmm_status result = MMM_OK;
    verdicts v = {0};
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
    TRY(write_common(d, &v, out));
    for (int row = 0; row < ROWS; row++) {
        bool there;
        TRY(write_row(d, &v, row, out, &there));
        *found += there;
    }
    TRY(write_rounded(d, &v, out));
done:
    mmm_free(v.holds);
    mmm_free(v.inside);
    mmm_free(v.wide);
    return result;
}
