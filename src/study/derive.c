/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms of what the abstract machine counts: found from small jobs by exact linear algebra, verified on others.
 */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIVERSE = 600, WAYS = 4, FEW = 5 };
static const double search_time = 25, count_time = 12; /* seconds of the processor, at most, for points */
static const double patience = 8;                      /* seconds for points that are left out on trial */

/* ---- Parameters ---------------------------------------------------------------------------------------------------
 */

/* Small values of a choice, or of what else a problem depends on: where it must be large, multiples of its least one.
 */
static void list_values(derive_axis *a)
{
    static const int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16};
    int64_t scale = a->least >= 16 ? a->least : 1;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (small[i] * scale >= a->least && small[i] * scale <= a->most) a->values[a->count++] = small[i] * scale;
}

/* Whether the application takes a value, whatever else it is given. */
static mmm_status is_accepted(const derivation *d, const derive_axis *a, int64_t value, mmm_status *accepted)
{
    mmm_job *job = NULL;
    mmm_status status = mmm_job_of(d->app, &job);
    if (status == MMM_OK) status = mmm_job_set(job, a->name, value);
    if (status == MMM_OK) status = mmm_job_plan(job);
    mmm_job_free(job);
    *accepted = status;
    return status == MMM_MEMORY ? status : MMM_OK;
}

/* Values that are refused are dropped, as those of l that are no power of two; where few are left, there are larger
 * ones. */
static mmm_status drop_refused(derivation *d)
{
    mmm_status result = MMM_OK, status = MMM_OK;
    for (int i = 0; i < d->axis_count; i++) {
        derive_axis *a = &d->axes[i];
        int kept = 0;
        if (a->size || a->other) continue;
        for (int j = 0; j < a->count; j++) {
            TRY(is_accepted(d, a, a->values[j], &status));
            if (status == MMM_OK) a->values[kept++] = a->values[j];
        }
        if (kept) a->count = kept;
        for (int more = 0; more < 3 && kept && kept <= FEW; more++) {
            int64_t next = 2 * a->values[a->count - 1];
            if (next > a->most) break;
            TRY(is_accepted(d, a, next, &status));
            if (status == MMM_OK) a->values[a->count++] = next;
        }
    }
done:
    return result;
}

static mmm_status add_axis(derivation *d, int parameter)
{
    const mmm_parameter *p = &d->app->parameters[parameter];
    if (d->axis_count == PARAMETERS) return mmm_fail(MMM_INVALID, "forms have at most %d parameters", PARAMETERS);
    derive_axis *a = &d->axes[d->axis_count++];
    *a = (derive_axis){.name = p->name,
                       .parameter = parameter,
                       .size = p->role == MMM_SIZE,
                       .other = p->role == MMM_OTHER,
                       .least = p->least,
                       .most = p->most};
    if (a->least < 1) a->least = 1;
    a->exponent = p->role == MMM_CHOICE && a->most <= 64;
    d->sizes += a->size;
    d->is_fixed[parameter] = false;
    list_values(a);
    return MMM_OK;
}

static mmm_status add_named(void *context, char *name)
{
    derivation *d = context;
    int parameter = mmm_app_parameter(d->app, name);
    if (parameter < 0) return mmm_fail(MMM_INVALID, "%s has no parameter '%s'", d->app->name, name);
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].parameter == parameter) return mmm_fail(MMM_INVALID, "'%s' is named twice", name);
    if (d->is_fixed[parameter]) return mmm_fail(MMM_INVALID, "'%s' has a value, and cannot be in the forms", name);
    return add_axis(d, parameter);
}

static mmm_status fix(void *context, const char *name, const char *text)
{
    derivation *d = context;
    int parameter = mmm_app_parameter(d->app, name);
    char *end;
    if (parameter < 0) return mmm_fail(MMM_INVALID, "%s has no parameter '%s'", d->app->name, name);
    d->fixed[parameter] = strtoll(text, &end, 10);
    if (!*text || *end) return mmm_fail(MMM_INVALID, "'%s' is no whole number for %s", text, name);
    d->is_fixed[parameter] = true;
    return MMM_OK;
}

/* Sizes first, so that a lattice may let the first be the largest. */
static void sort_axes(derivation *d)
{
    for (int i = 1; i < d->axis_count; i++)
        for (int j = i; j > 0 && d->axes[j].size && !d->axes[j - 1].size; j--) {
            derive_axis swap = d->axes[j];
            d->axes[j] = d->axes[j - 1];
            d->axes[j - 1] = swap;
        }
}

/* The sizes and choices, and what else the application's formulas have as parameters; where formulas are given, choices
 * that these do not have keep their usual values. */
static mmm_status choose_axes(derivation *d, const char *over, const char *fixed, const mmm_formula *formula)
{
    mmm_status result = MMM_OK;
    mmm_formula *own = NULL;
    if (!formula && !over && mmm_app_formula(d->app, &own) == MMM_OK) formula = own;
    if (fixed) TRY(mmm_settings_read(fixed, fix, d));
    if (over) TRY(mmm_pieces_read(over, add_named, d));
    for (int i = 0; !over && d->app->parameters[i].name; i++) {
        mmm_role role = d->app->parameters[i].role;
        bool named = role == MMM_SIZE || (role == MMM_CHOICE && (!formula || formula == own));
        for (int64_t j = 0; formula && j < formula->parameter_count; j++)
            named = named || strcmp(formula->parameters[j].name, d->app->parameters[i].name) == 0;
        if (named && !d->is_fixed[i]) TRY(add_axis(d, i));
    }
    if (!d->axis_count) FAIL(MMM_INVALID, "%s has no size and no choice; name parameters: --over n,s", d->app->name);
    sort_axes(d);
    TRY(drop_refused(d));
done:
    mmm_formula_free(own);
    return result;
}

/* ---- Lattices -----------------------------------------------------------------------------------------------------
 */

/* How many points tell lattices apart, and how many forms are found from: more parameters make more terms. */
static int64_t quick_points(const derivation *d)
{
    return d->axis_count > 3 ? 320 : 160;
}

static int64_t all_points(const derivation *d)
{
    return d->axis_count > 3 ? 1200 : 400;
}

/* Points at which no choice has one of its `depth` least values, where much is otherwise. */
static int64_t keep_inner(const derivation *d, const point_list *points, int depth, bool *use)
{
    int64_t left = 0;
    for (int64_t i = 0; i < points->count; i++) {
        use[i] = true;
        for (int j = 0; j < d->axis_count; j++) {
            const derive_axis *a = &d->axes[j];
            if (!a->size && !a->other && a->count > 4 && points->list[i].at[j] <= a->values[depth - 1]) use[i] = false;
        }
        left += use[i];
    }
    return left;
}

static bool has_exponent(const derivation *d)
{
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].exponent) return true;
    return false;
}

/* The points of the regime that most are in: where L is one number, or one number times one product. */
static void keep_regime(const derivation *d, const point_list *all, bool *use)
{
    term products[81] = {no_term};
    int count = 1 + mmm_derive_products(d, products + 1, 80), most = 0;
    term best = products[0];
    double number = 0;
    for (int i = 0; i < count; i++) {
        for (int64_t j = 0; j < all->count && j < 60; j++) {
            double own =
                (double)all->list[j].counted[COUNT_L] / mmm_term_value(&products[i], all->list[j].at, d->axis_count);
            int votes = 0;
            for (int64_t k = 0; k < all->count; k++) {
                double other = (double)all->list[k].counted[COUNT_L] /
                               mmm_term_value(&products[i], all->list[k].at, d->axis_count);
                votes += fabs(own - other) < 1e-9 * own;
            }
            if (votes > most) most = votes, best = products[i], number = own;
        }
    }
    for (int64_t k = 0; k < all->count; k++)
        use[k] = fabs((double)all->list[k].counted[COUNT_L] -
                      number * mmm_term_value(&best, all->list[k].at, d->axis_count)) < 1e-6;
}

/* How simple the forms are on some points; less is better. */
static mmm_status judge(derivation *d, const point_list *points, double *out)
{
    mmm_status result = MMM_OK;
    bool *use = NULL;
    form *forms = NULL;
    *out = 0;
    TRY(mmm_alloc(&forms, COUNTS, sizeof *forms));
    TRY(mmm_alloc(&use, points->count + 1, sizeof *use));
    keep_inner(d, points, 2, use);
    TRY(mmm_derive_fit(d, points, NULL, 4, forms));
    TRY(mmm_derive_fit(d, points, use, 4, forms));
    if (!forms[COUNT_L].found) {
        keep_regime(d, points, use);
        TRY(mmm_derive_fit(d, points, use, has_exponent(d) ? 6 : 4, forms));
    }
    for (int i = 0; i < COUNT_LOCAL; i++)
        *out += forms[i].found ? forms[i].count : 20;
done:
    mmm_free(forms);
    mmm_free(use);
    return result;
}

static mmm_status try_lattice(derivation *d, const point_lattice *lattice, double *best)
{
    mmm_status result = MMM_OK;
    point_list quick = {0};
    double cost;
    TRY(mmm_derive_aligned(d, lattice, quick_points(d), &quick));
    if (quick.count < 60) goto done;
    TRY(judge(d, &quick, &cost));
    cost += 0.1 * lattice->level + 2 * (lattice->shift != SHIFT_NONE);
    if (cost < *best) *best = cost, d->lattice = *lattice;
done:
    mmm_free(quick.list);
    return result;
}

static mmm_status choose_lattice(derivation *d)
{
    mmm_status result = MMM_OK;
    double best = 1e9;
    for (int i = has_exponent(d) ? STRONG - 1 : STRONG; i < POWER && best > 80; i++) {
        const int level = i < STRONG ? POWER : i; /* with 2^s, what it divides comes first */
        point_lattice plain = {.level = level};
        TRY(try_lattice(d, &plain, &best));
        for (int x = 0; x < d->axis_count; x++)
            for (int y = 0; y < d->axis_count; y++) {
                if (x == y || !d->axes[x].size || d->axes[y].other || (y < x && d->axes[y].size) ||
                    best < (level == POWER ? 80 : 25))
                    continue;
                point_lattice shifted = {
                    .level = level, .shift = d->axes[y].size ? SHIFT_LESS : SHIFT_MORE, .shifted = x, .by = y};
                TRY(try_lattice(d, &shifted, &best));
            }
    }
    if (best == 1e9) FAIL(MMM_INVALID, "%s: no small jobs could be counted", d->app->name);
done:
    return result;
}

/* ---- Forms --------------------------------------------------------------------------------------------------------
 */

/* Leaves out the points at which a product has one of its `drop` least (or largest) values; how many are left. */
static int64_t leave_out(const derivation *d, const point_list *all, const term *t, bool largest, int drop, bool *use)
{
    double bound = largest ? INFINITY : -INFINITY;
    int64_t left = 0;
    for (int i = 0; i < drop; i++) {
        double next = largest ? -INFINITY : INFINITY;
        for (int64_t j = 0; j < all->count; j++) {
            double value = mmm_term_value(t, all->list[j].at, d->axis_count);
            if (largest ? value < bound && value > next : value > bound && value < next) next = value;
        }
        bound = next;
    }
    for (int64_t j = 0; j < all->count; j++) {
        double value = mmm_term_value(t, all->list[j].at, d->axis_count);
        use[j] = largest ? value < bound : value > bound;
        left += use[j];
    }
    return left;
}

/* The points at which a quotient of choices is at most, or at least, some number; false for another product. */
static bool cut(const derivation *d, const point_list *all, const term *t, int way, bool *use)
{
    static const double bounds[WAYS] = {1, 1, 0.5, 2};
    int sum = 0, used = 0;
    for (int i = 0; i < d->axis_count; i++) {
        if (t->exponents[i] && d->axes[i].size) return false;
        sum += t->exponents[i], used += t->exponents[i] != 0;
    }
    if (sum != (t->power >= 0 ? -1 : 0) || used + (t->power >= 0) != 2) return false;
    for (int64_t i = 0; i < all->count; i++) {
        double value = mmm_term_value(t, all->list[i].at, d->axis_count);
        use[i] = way % 2 ? value >= bounds[way] : value <= bounds[way];
    }
    return true;
}

static bool complete(const derivation *d)
{
    bool all = true;
    for (int i = 0; i < COUNTS; i++)
        all = all && d->forms[i].found;
    return all;
}

static void narrow(const bool *regime, int64_t count, bool *use)
{
    for (int64_t i = 0; regime && i < count; i++)
        use[i] = use[i] && regime[i];
}

/* On all points, else inside; where quantities are left, without the points at one end of some product; then with
 * richer families.  Under which conditions a form holds is found later. */
static mmm_status find_in(derivation *d, const bool *regime, bool *use, bool *inner)
{
    mmm_status result = MMM_OK;
    const point_list *all = &d->aligned;
    term products[80];
    const int count = mmm_derive_products(d, products, 80);
    const double until = mmm_derive_clock() + patience;
    const int plain = has_exponent(d) ? 6 : 5; /* the families that come first */
    TRY(mmm_derive_fit(d, all, regime, plain, d->forms));
    keep_inner(d, all, 2, use);
    narrow(regime, all->count, use);
    TRY(mmm_derive_fit(d, all, use, plain, d->forms));
    if (!regime && !d->forms[COUNT_L].found) goto done; /* there are several regimes */
    for (int i = 0; i < WAYS * count && !complete(d) && mmm_derive_clock() < until;
         i++) { /* one choice not above another */
        if (!cut(d, all, &products[i / WAYS], i % WAYS, use)) continue;
        narrow(regime, all->count, use);
        TRY(mmm_derive_fit(d, all, use, plain, d->forms));
        for (int depth = 1; depth <= 2; depth++) {
            keep_inner(d, all, depth, inner);
            narrow(inner, all->count, use);
            TRY(mmm_derive_fit(d, all, use, plain, d->forms));
        }
    }
    TRY(mmm_derive_fit(d, all, regime, 99, d->forms));
    for (int drop = 1; drop <= 3; drop++)
        for (int i = 0; i < 2 * count && !complete(d) && mmm_derive_clock() < until; i++) {
            leave_out(d, all, &products[i / 2], i % 2, drop, use);
            narrow(regime, all->count, use);
            TRY(mmm_derive_fit(d, all, use, 3, d->forms));
        }
    keep_inner(d, all, 2, use);
    narrow(regime, all->count, use);
    TRY(mmm_derive_fit(d, all, use, 99, d->forms));
done:
    return result;
}

static mmm_status find_forms(derivation *d)
{
    mmm_status result = MMM_OK;
    bool *use = NULL, *regime = NULL, *inner = NULL;
    TRY(mmm_derive_aligned(d, &d->lattice, all_points(d), &d->aligned));
    TRY(mmm_alloc(&use, d->aligned.count + 1, sizeof *use));
    TRY(mmm_alloc(&regime, d->aligned.count + 1, sizeof *regime));
    TRY(mmm_alloc(&inner, d->aligned.count + 1, sizeof *inner));
    TRY(find_in(d, NULL, use, inner));
    if (!d->forms[COUNT_L].found) {
        memset(d->forms, 0, sizeof d->forms);
        keep_regime(d, &d->aligned, regime);
        TRY(find_in(d, regime, use, inner));
    }
done:
    mmm_free(use);
    mmm_free(regime);
    mmm_free(inner);
    return result;
}

/* -------------------------------------------------------------------------------------------------------------------
 */

mmm_status mmm_derive_open(derivation *d, const char *app, const char *over, const char *fixed,
                           const mmm_formula *formula)
{
    mmm_status result = MMM_OK;
    TRY(mmm_app_open(app, &d->app));
    TRY(choose_axes(d, over, fixed, formula));
    TRY(mmm_machine_open_abstract(mmm_parameters_builtin(), 1, &d->machine));
done:
    return result;
}

void mmm_derive_close(derivation *d)
{
    if (!d) return;
    mmm_machine_free(d->machine);
    mmm_free(d->aligned.list);
    mmm_free(d->diverse.list);
    mmm_free(d);
}

mmm_status mmm_derive(const char *app, const char *over, const char *fixed, mmm_derivation *out)
{
    mmm_status result = MMM_OK;
    derivation *d = NULL;
    mmm_text text = {0};
    int found = 0, quantities = 0;
    NEED(app, "the application");
    NEED(out, "the place for the derivation");
    TRY(mmm_alloc(&d, 1, sizeof *d));
    d->random.state = 11;
    d->cap = 256;
    TRY(mmm_derive_open(d, app, over, fixed, NULL));
    d->until = mmm_derive_clock() + search_time;
    TRY(choose_lattice(d));
    d->until = mmm_derive_clock() + count_time;
    TRY(find_forms(d));
    d->until = mmm_derive_clock() + count_time;
    TRY(mmm_derive_diverse(d, d->axis_count > 3 ? 2 * DIVERSE : DIVERSE, &d->diverse));
    TRY(mmm_derive_write(d, &text, &found, &quantities));
    *out = (mmm_derivation){.text = text.data, .found = found, .quantities = quantities, .runs = d->runs};
    text.data = NULL;
done:
    mmm_free(text.data);
    mmm_derive_close(d);
    return result;
}

mmm_status mmm_derivation_write(const mmm_derivation *one, const char *path)
{
    mmm_output output;
    NEED(one && one->text ? one : NULL, "the derivation");
    NEED(path, "the path");
    MMM_TRY(mmm_output_open(&output, path));
    fputs(one->text, output.stream);
    return mmm_output_commit(&output);
}

void mmm_derivation_clear(mmm_derivation *one)
{
    if (!one) return;
    mmm_free(one->text);
    memset(one, 0, sizeof *one);
}
