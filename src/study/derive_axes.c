/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that forms are in, and the small values of those that are chosen. */
#include "study/derive.h"
#include "study/trials.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 5, UNITS = 24, ROOM = 3 }; /* ROOM: sizes and a choice, where there are too many */

/* Small values of a choice, or of what else a problem depends on: where it must be large, multiples of its least one.
 */
static void list_values(derive_axis *a)
{
    static const int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16};
    int64_t scale = a->least >= 16 ? a->least : 1;
    for (size_t i = 0; i < sizeof small / sizeof *small && small[i] <= a->most / scale; i++)
        if (small[i] * scale >= a->least) a->values[a->count++] = small[i] * scale;
    if (a->count) return;
    for (int64_t x = a->least; x <= a->most && a->count < 3; x++) /* all are between two of those, or below them */
        a->values[a->count++] = x;
}

/* Whether the application takes a value beside those that are given. */
static mmm_status is_accepted(const derivation *d, const derive_axis *a, int64_t value, mmm_status *accepted)
{
    mmm_job *job = NULL;
    mmm_status status = mmm_job_of(d->app, &job);
    for (int i = 0; status == MMM_OK && d->app->parameters[i].name; i++)
        if (d->is_fixed[i]) status = mmm_job_set(job, d->app->parameters[i].name, d->fixed[i]);
    if (status == MMM_OK) status = mmm_job_set(job, a->name, value);
    if (status == MMM_OK) status = mmm_job_plan(job);
    mmm_job_free(job);
    *accepted = status;
    return status == MMM_MEMORY ? status : MMM_OK;
}

/* Values that are refused are dropped, as those of l that are no power of two; where few are left, there are larger
 * ones.  A choice of which no small value is taken, or one alone, keeps its usual value, unless it was named. */
static mmm_status drop_refused(derivation *d, bool named)
{
    mmm_status result = MMM_OK, status = MMM_OK;
    int left = 0;
    for (int i = 0; i < d->axis_count; i++) {
        derive_axis *a = &d->axes[i];
        int kept = 0;
        if (i != left) d->axes[left] = *a, a = &d->axes[left];
        left++;
        if (a->size || a->other) continue;
        for (int j = 0; j < a->count; j++) {
            TRY(is_accepted(d, a, a->values[j], &status));
            if (status == MMM_OK) a->values[kept++] = a->values[j];
        }
        if (kept) a->count = kept;
        for (int more = 0; more < 3 && kept && kept <= FEW; more++) {
            const int64_t next = a->values[a->count - 1] <= a->most / 2 ? 2 * a->values[a->count - 1] : 0;
            if (!next) break;
            TRY(is_accepted(d, a, next, &status));
            if (status == MMM_OK) a->values[a->count++] = next;
        }
        if (named || (kept && a->count > 1)) continue;
        d->is_fixed[a->parameter] = true;
        d->fixed[a->parameter] = kept ? a->values[0] : d->app->parameters[a->parameter].standard;
        left--;
    }
    d->axis_count = d->real = left;
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
    d->real = d->axis_count;
    d->is_fixed[parameter] = false;
    list_values(a);
    return MMM_OK;
}

static mmm_status add_named(void *context, char *name)
{
    derivation *d = context;
    int parameter = mmm_app_parameter(d->app, name);
    if (parameter < 0) return mmm_fail(MMM_INVALID, "%s has no parameter '%s'", d->app->name, name);
    const mmm_role role = d->app->parameters[parameter].role;
    if (role == MMM_MODULUS || role == MMM_SEED)
        return mmm_fail(MMM_INVALID, "'%s': forms are in sizes and choices; a modulus and a seed are given", name);
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].parameter == parameter) return mmm_fail(MMM_INVALID, "'%s' is named twice", name);
    if (d->is_fixed[parameter]) return mmm_fail(MMM_INVALID, "'%s' has a value, and cannot be in the forms", name);
    if (d->axis_count == FREE) return mmm_fail(MMM_INVALID, "'%s': forms have at most %d parameters", name, FREE);
    return add_axis(d, parameter);
}

static mmm_status fix(void *context, const char *name, const char *text)
{
    mmm_status result = MMM_OK;
    derivation *d = context;
    mmm_job *job = NULL;
    int64_t value;
    if (!mmm_parse_integer(text, &value)) FAIL(MMM_INVALID, "'%s' is no whole number for %s", text, name);
    TRY(mmm_job_of(d->app, &job));
    TRY(mmm_job_set(job, name, value)); /* says what is wrong with it */
    const int parameter = mmm_app_parameter(d->app, name);
    d->fixed[parameter] = value;
    d->is_fixed[parameter] = true;
done:
    mmm_job_free(job);
    return result;
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

/* The sizes and what else formulas have as parameters; where they are not given, also choices: all, or, where these
 * would be too many, while there is room. */
static mmm_status add_usual(derivation *d, const mmm_formula *formula, bool given)
{
    mmm_status result = MMM_OK;
    bool named[MMM_PARAMETERS_MOST] = {false};
    int count = 0, all = 0;
    for (int i = 0; d->app->parameters[i].name; i++)
        all += !d->is_fixed[i] && d->app->parameters[i].role <= MMM_CHOICE;
    d->many = all > FREE;
    for (int choices = 0; choices < (given ? 1 : 2); choices++)
        for (int i = 0; d->app->parameters[i].name; i++) {
            const mmm_parameter *p = &d->app->parameters[i];
            bool there = choices ? p->role == MMM_CHOICE && count < (d->many ? ROOM : FREE) : p->role == MMM_SIZE;
            for (int64_t j = 0; formula && j < formula->parameter_count; j++)
                there = there || strcmp(formula->parameters[j].name, p->name) == 0;
            if (!there || named[i] || d->is_fixed[i]) continue;
            named[i] = true;
            count++;
        }
    for (int i = 0; i < MMM_PARAMETERS_MOST; i++)
        if (named[i]) TRY(add_axis(d, i));
done:
    return result;
}

/* Parameters of forms, and of the application's own formulas; all others keep their usual values, which is said. */
static mmm_status choose_axes(derivation *d, const char *over, const char *fixed, const mmm_formula *formula)
{
    mmm_status result = MMM_OK;
    mmm_formula *own = NULL;
    if (!formula && !over && mmm_app_formula(d->app, &own) != MMM_OK) own = NULL;
    if (fixed) TRY(mmm_settings_read(fixed, fix, d));
    TRY(over ? mmm_pieces_read(over, add_named, d) : add_usual(d, formula ? formula : own, formula != NULL));
    for (int i = 0; d->app->parameters[i].name; i++) {
        const mmm_parameter *p = &d->app->parameters[i];
        bool there = d->is_fixed[i] || p->role == MMM_MODULUS || p->role == MMM_SEED;
        for (int j = 0; j < d->axis_count; j++)
            there = there || d->axes[j].parameter == i;
        if (!there && p->role == MMM_SIZE)
            FAIL(MMM_INVALID, "%s is a size: forms are in it, or it is given a value: %s=100", p->name, p->name);
        if (!there) d->is_fixed[i] = true, d->fixed[i] = p->standard;
    }
    sort_axes(d);
    TRY(drop_refused(d, over || formula));
    if (!d->axis_count) FAIL(MMM_INVALID, "%s has no size and no choice; name parameters: --over n,s", d->app->name);
    for (int i = 0; i < d->axis_count; i++) {
        memcpy(d->axes[i].small, d->axes[i].values, sizeof d->axes[i].small);
        d->axes[i].small_count = d->axes[i].count;
    }
done:
    mmm_formula_free(own);
    return result;
}

bool mmm_derive_is_large(const derivation *d, int axis)
{
    enum { LARGE = 64, MOST = 6 * 256 };
    const derive_axis *a = &d->axes[axis];
    return !a->size && !a->other && a->most >= MOST && d->app->parameters[a->parameter].standard >= LARGE;
}

int64_t mmm_derive_common(const derivation *d, int axis)
{
    const mmm_parameter *p = &d->app->parameters[d->axes[axis].parameter];
    int64_t tried[MMM_VALUES_MOST], common = 0;
    int count = 0;
    if (!p->trials || !mmm_trials_read(p, tried, &count)) return 1;
    for (int i = 0; i < count; i++)
        common = mmm_derive_divisor(common, tried[i]);
    return common;
}

void mmm_derive_equal(derivation *d)
{
    int kept = 0;
    for (int i = 0; i < d->real; i++)
        if (!i || !d->axes[i].size) d->axes[kept++] = d->axes[i]; /* sizes come first */
    d->equal = true;
    d->sizes = 1;
    d->axis_count = d->real = kept;
}

void mmm_derive_next(derivation *d)
{
    for (int i = 0; i < d->real; i++) {
        derive_axis *a = &d->axes[i];
        if (!a->size) continue;
        snprintf(d->names[i], sizeof d->names[i], "(%.40s+1)", a->name);
        a->name = d->names[i];
        a->offset = 1;
        a->least++;
        a->most++;
    }
}

/* On a lattice of the record's own grain: multiples of it, and what divides half of it, but small ones. */
static void list_own(derivation *d, const point_lattice *lattice)
{
    enum { MULTIPLES = 7, SMALL = 10 };
    for (int i = 0; i < d->real; i++) {
        derive_axis *a = &d->axes[i];
        const bool grained = i == lattice->grained;
        if (a->size || a->other) continue;
        a->count = 0;
        for (int64_t v = 1; v <= (grained ? MULTIPLES : lattice->grain / 2) && a->count < VALUES; v++) {
            const int64_t value = grained ? v * lattice->grain : v;
            if (value >= a->least && value <= a->most &&
                (grained || (lattice->grain % (2 * v) == 0 && SMALL * v >= lattice->grain)))
                a->values[a->count++] = value;
        }
    }
    d->coarse_of = lattice->grained;
    d->coarse = 2 * lattice->grain;
    snprintf(d->names[d->real], sizeof d->names[d->real], "ceil(%.20s/%lld)", d->axes[lattice->grained].name,
             (long long)d->coarse);
    d->axes[d->axis_count++] =
        (derive_axis){.name = d->names[d->real], .size = true, .rounded = true, .most = INT64_MAX};
}

void mmm_derive_values(derivation *d, const point_lattice *lattice)
{
    static const int64_t multiples[] = {1, 2, 3, 4, 5, 6}, powers[] = {1, 2, 4, 8, 16, 32};
    d->few = lattice->grain;
    d->axis_count = d->real;
    d->coarse = 0;
    if (lattice->own) return list_own(d, lattice);
    for (int i = 0; i < d->real; i++) {
        derive_axis *a = &d->axes[i];
        memcpy(a->values, a->small, sizeof a->values);
        a->count = a->small_count;
        a->idle = lattice->grain && i != lattice->grained && mmm_derive_is_large(d, i);
        if (!lattice->grain || (i != lattice->grained && !a->idle)) continue;
        a->count = 0;
        for (int j = 0; j < 6; j++) {
            int64_t value = lattice->grain * (lattice->grain < 256 ? powers : multiples)[j];
            if (a->idle) value = 2048 * (j + 2); /* above those */
            if (value >= a->least && value <= a->most) a->values[a->count++] = value;
        }
    }
}

mmm_status mmm_derive_open(derivation *d, const char *app, const char *over, const char *fixed,
                           const mmm_formula *formula)
{
    mmm_status result = MMM_OK;
    TRY(mmm_app_open(app, &d->app));
    TRY(mmm_alloc(&d->counted, 1, sizeof *d->counted));
    TRY(choose_axes(d, over, fixed, formula));
    TRY(mmm_machine_open_abstract(mmm_parameters_builtin(), 1, &d->machine));
    d->machine->quick = true;
    if (mmm_derive_only_sizes(d)) { /* enough multiples of what choices with a value make of a unit */
        const int64_t unit = mmm_derive_unit(d, &(point_lattice){.level = STRONG}, d->fixed);
        const int64_t most = unit < DERIVE_LARGEST ? UNITS * unit : DERIVE_LARGEST;
        d->cap = most < d->cap ? d->cap : most > DERIVE_LARGEST ? DERIVE_LARGEST : most;
    }
done:
    return result;
}

void mmm_derive_close(derivation *d)
{
    if (!d) return;
    mmm_machine_free(d->machine);
    if (d->counted) mmm_free(d->counted->list);
    mmm_free(d->counted);
    mmm_free(d->aligned.list);
    mmm_free(d->diverse.list);
    mmm_free(d);
}
