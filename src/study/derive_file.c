/* SPDX-License-Identifier: Apache-2.0 */
/* What was derived as a file of formulas: each form with the conditions under which it holds. */
#include "study/derive.h"

#include <string.h>

/* ---- The file -----------------------------------------------------------------------------------------------------
 */

static mmm_status row_text(const derivation *d, const form *forms, int row, mmm_text *out)
{
    mmm_status result = mmm_form_text(d, &forms[mmm_rows[row].first], mmm_rows[row].factor, out);
    if (result == MMM_OK && mmm_rows[row].second != COUNTS) {
        result = mmm_text_add(out, " + ");
        if (result == MMM_OK) result = mmm_form_text(d, &forms[mmm_rows[row].second], "", out);
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
    for (int i = 0; i < d->real; i++)
        TRY(mmm_text_add(&text, "parameter %s x\n", d->app->parameters[d->axes[i].parameter].name));
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

/* Why a quantity has no form: counts that differ with the inputs are no function of the parameters. */
static mmm_status write_none(derivation *d, int row, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const count_kind kind = mmm_rows[row].first;
    for (int64_t i = 0; i < d->diverse.count && i < 40; i++) {
        point p = d->diverse.list[i];
        bool there;
        d->seed = 2;
        result = mmm_derive_count(d, &p, &there);
        d->seed = 0;
        if (result != MMM_OK) return result;
        if (!there || p.counted[kind] == d->diverse.list[i].counted[kind]) continue;
        TRY(mmm_text_add(out, "# %s: none, it depends on the inputs:", mmm_rows[row].name));
        for (int j = 0; j < d->real; j++)
            TRY(mmm_text_add(out, " %s=%lld", d->app->parameters[d->axes[j].parameter].name,
                             (long long)(p.at[j] - d->axes[j].offset)));
        return mmm_text_add(out, " has %lld and, with another seed, %lld\n",
                            (long long)d->diverse.list[i].counted[kind], (long long)p.counted[kind]);
    }
    TRY(mmm_text_add(out, "# %s: none in this family\n", mmm_rows[row].name));
done:
    return result;
}

static mmm_status write_row(derivation *d, const verdicts *v, int row, mmm_text *out, bool *found)
{
    mmm_status result = MMM_OK;
    mmm_text expression = {0};
    const row_given *given = &v->rows[row];
    const char *before = "    given     ";
    *found = false;
    if (!mmm_row_found(d->forms, row)) return write_none(d, row, out);
    TRY(canonical(d, d->forms, row, &expression));
    if (!given->enough) {
        TRY(mmm_text_add(out, "# %s: no conditions found for %s\n", mmm_rows[row].name, expression.data));
        goto done;
    }
    *found = true;
    TRY(mmm_text_add(out, "%s = %s\n    measured  %s\n", mmm_rows[row].name, expression.data, expression.data));
    if (given->low > 2) {
        TRY(mmm_text_add(out, "%sU >= %lld", before, (long long)given->low));
        before = ", ";
    }
    TRY(add_conditions(d, given->whole, given->whole_count, &before, out));
    TRY(add_conditions(d, given->own, given->count, &before, out));
    if (*before == ',') TRY(mmm_text_add(out, "\n"));
done:
    mmm_free(expression.data);
    return result;
}

/* The quantities that hold only where sizes divide, with ceilings, where they do not, or not that much. */
static mmm_status write_rounded(const derivation *d, const rounding *r, mmm_text *out)
{
    mmm_status result = MMM_OK;
    mmm_text expression = {0};
    const char *comment = "\n# Where sizes do not divide.\n";
    for (int row = 0; row < ROWS; row++) {
        const char *before = "    given     ";
        if (!r->found[row]) continue;
        mmm_free(expression.data);
        expression = (mmm_text){0};
        TRY(canonical(d, r->forms, row, &expression));
        if (!r->wide[row] && !strstr(expression.data, "ceil")) continue;
        TRY(mmm_text_add(out, "%slet %s_all = %s\n    measured  %s\n", comment, mmm_rows[row].name, expression.data,
                         expression.data));
        if (strstr(expression.data, "log2")) TRY(add_conditions(d, r->least, r->least_count, &before, out));
        if (!r->wide[row]) TRY(add_conditions(d, r->weaker, r->count, &before, out));
        if (*before == ',') TRY(mmm_text_add(out, "\n"));
        comment = "";
    }
done:
    mmm_free(expression.data);
    return result;
}

/* What the application asks of its parameters and formulas can say, as 7*s <= Z: the range of what is chosen. */
static mmm_status write_constraints(const derivation *d, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const char *rest = d->app->constraints ? d->app->constraints : "";
    while (*rest) {
        const int length = (int)strcspn(rest, ";");
        mmm_text text = {0};
        mmm_formula *formula = NULL;
        mmm_answer answer = {0};
        for (int i = 0; d->app->parameters[i].name && result == MMM_OK; i++)
            result = mmm_text_add(&text, "parameter %s x\n", d->app->parameters[i].name);
        if (result == MMM_OK) result = mmm_text_add(&text, "where %.*s\nX_ = 0\n", length, rest);
        mmm_status read = result == MMM_OK ? mmm_formula_read("derived", text.data, &formula) : result;
        if (read == MMM_OK) read = mmm_formula_ask(formula, &(mmm_query){.expression = "X_ >= 0"}, &answer);
        if (read == MMM_OK) result = mmm_text_add(out, "where  %.*s\n", length, rest);
        if (read == MMM_MEMORY) result = read;
        mmm_answer_clear(&answer);
        mmm_formula_free(formula);
        mmm_free(text.data);
        TRY(result);
        rest += length;
        rest += strspn(rest, "; ");
    }
done:
    return result;
}

/* What all rows hold under: but what is whole, which some need not. */
static mmm_status write_common(const derivation *d, const verdicts *v, mmm_text *out)
{
    mmm_status result = MMM_OK;
    const char *before;
    bool stated = false;
    for (int row = 0; row < ROWS; row++)
        stated = stated || (mmm_row_found(d->forms, row) && v->rows[row].enough);
    if (!stated) return mmm_text_add(out, "\n");
    for (int i = 0; i < v->rest_count; i++) { /* of the range too */
        before = "where  ";
        TRY(add_conditions(d, &v->rest[i], 1, &before, out));
        TRY(mmm_text_add(out, "\n"));
    }
    for (int i = 0; i < v->whole_count; i++)
        if (v->whole[i].shift == SHIFT_LESS)
            TRY(mmm_text_add(out, "where  %s >= %s\n", d->axes[v->whole[i].shifted].name,
                             d->axes[v->whole[i].by].name));
    TRY(mmm_text_add(out, "\n"));
    before = "given  ";
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

/* Of the forms: an axis, or equal to one. */
static bool is_size(const derivation *d, int parameter)
{
    return d->app->parameters[parameter].role == MMM_SIZE && !d->is_fixed[parameter];
}

static mmm_status write_parameter(const derivation *d, const char *kind, int number, mmm_text *out)
{
    return mmm_text_add(out, "%-10s %-4s %s\n", kind, d->app->parameters[number].name,
                        d->app->parameters[number].meaning);
}

mmm_status mmm_derive_write(derivation *d, mmm_text *out, int *found, int *quantities)
{
    mmm_status result = MMM_OK;
    verdicts v = {0};
    rounding *r = NULL;
    const char *choice = NULL;
    *quantities = ROWS;
    TRY(mmm_derive_try(d, &v));
    TRY(mmm_text_add(out, "# Found from %lld counted jobs, and verified on them.\n\ntitle      %s\n",
                     (long long)d->runs, d->app->summary ? d->app->summary : d->app->name));
    for (int i = 0; d->app->parameters[i].name; i++) /* sizes, those that are equal to the first among them */
        if (is_size(d, i)) TRY(write_parameter(d, "size", i, out));
    for (int i = 0; i < d->real; i++) {
        const int number = d->axes[i].parameter;
        if (!d->axes[i].size) TRY(write_parameter(d, "parameter", number, out));
        if (!choice && d->app->parameters[number].role == MMM_CHOICE) choice = d->axes[i].name;
    }
    for (int i = 0; d->app->parameters[i].name; i++)
        if (d->is_fixed[i]) TRY(write_parameter(d, "parameter", i, out));
    if (choice) TRY(mmm_text_add(out, "choose     %s\n", choice));
    TRY(mmm_text_add(out, "\n"));
    for (int i = 0; i < d->real; i++)
        TRY(mmm_text_add(out, "where  %s >= %lld\n", d->app->parameters[d->axes[i].parameter].name,
                         (long long)d->axes[i].least - d->axes[i].offset));
    TRY(mmm_text_add(out, "where  U >= 2\n"));
    TRY(write_constraints(d, out));
    for (int i = 0; d->equal && d->app->parameters[i].name; i++) {
        const char *first = d->app->parameters[d->axes[0].parameter].name, *name = d->app->parameters[i].name;
        if (is_size(d, i) && i != d->axes[0].parameter)
            TRY(mmm_text_add(out, "given  %s >= %s, %s <= %s\n", name, first, name, first));
    }
    for (int i = 0; d->app->parameters[i].name; i++)
        if (d->is_fixed[i])
            TRY(mmm_text_add(out, "given  %s >= %lld, %s <= %lld\n", d->app->parameters[i].name, (long long)d->fixed[i],
                             d->app->parameters[i].name, (long long)d->fixed[i]));
    TRY(write_common(d, &v, out));
    for (int row = 0; row < ROWS; row++) {
        bool there;
        TRY(write_row(d, &v, row, out, &there));
        *found += there;
    }
    if (d->coarse) goto done; /* what is rounded is in the forms */
    TRY(mmm_alloc(&r, 1, sizeof *r));
    TRY(mmm_derive_round(d, &v, r));
    TRY(write_rounded(d, r, out));
done:
    mmm_free(r);
    mmm_free(v.holds);
    mmm_free(v.inside);
    mmm_free(v.wide);
    return result;
}
