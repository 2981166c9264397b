/* SPDX-License-Identifier: Apache-2.0 */
/* Points for derivations: small jobs, counted on the abstract machine. */
#include "study/derive.h"

#include <string.h>

enum { LARGE = 1500, ALONE = 20000, TILES = 24000, AREA = 250000, TRIES = 40 };
enum { GRAINED_AREA = 4300000 }; /* where a choice is large, operations are many and cheap to count */

/* Seconds for a job, about: of dearer ones there would be too few; where sizes alone are free, few are enough. */
static const double longest = 0.12, longest_plain = 0.5;
static const double costs[] = {2, 5, 20, 100, 1000, 1001};
enum { COSTS = sizeof costs / sizeof *costs };

bool mmm_derive_only_sizes(const derivation *d)
{
    return d->real == d->sizes;
}

/* What was done to count a job is spent; sizes grow while jobs are cheap to count. */
static void adapt(derivation *d, const point *p)
{
    enum { CHEAP = 60000, MUCH = 2000000, MUCH_ALONE = 12000000, MUCH_PLAIN = 100000000 };
    const double operations = (double)p->operations, accesses = (double)p->accesses, cost = operations + accesses;
    const double seconds = 3e-9 * operations + 9e-9 * accesses + 1e-6 * (double)p->counted[COUNT_N];
    d->spent += seconds;
    const bool plain = mmm_derive_only_sizes(d);
    if (seconds > (plain ? longest_plain : longest) && d->dear_count < DEAR)
        memcpy(d->dear[d->dear_count++], p->at, sizeof p->at);
    int64_t largest = 1, most = d->sizes == 1 ? ALONE : plain ? DERIVE_LARGEST : LARGE;
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].size && p->at[i] > largest) largest = p->at[i];
    if (cost < CHEAP && 2 * largest > d->cap) d->cap = d->cap + d->cap / 4;
    if (cost > (plain ? MUCH_PLAIN : d->sizes > 1 ? MUCH : MUCH_ALONE) && largest < d->cap) d->cap = largest;
    if (cost > CHEAP * 10) d->settled = true;
    if (d->cap > most) d->cap = most;
}

static const point *find_point(const point_list *list, const int64_t *at, int count)
{
    for (int64_t i = 0; i < list->count; i++)
        if (memcmp(list->list[i].at, at, (size_t)count * sizeof *at) == 0) return &list->list[i];
    return NULL;
}

/* The values of all parameters of a job, in the application's order; 0: the usual modulus, or seed. */
static void list_parameters(const derivation *d, const point *p, int64_t *out)
{
    for (int i = 0; d->app->parameters[i].name; i++) {
        const mmm_role role = d->app->parameters[i].role;
        out[i] = role == MMM_SEED && d->seed    ? d->seed
                 : d->is_fixed[i]               ? d->fixed[i]
                 : d->equal && role == MMM_SIZE ? p->at[0] - d->axes[0].offset
                                                : 0;
    }
    for (int i = 0; i < d->real; i++)
        out[d->axes[i].parameter] = p->at[i] - d->axes[i].offset;
}

static mmm_status run_job(derivation *d, const int64_t *values, mmm_job **out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_job_of(d->app, out));
    for (int i = 0; d->app->parameters[i].name; i++) {
        const mmm_role role = d->app->parameters[i].role;
        if (values[i] || (role != MMM_MODULUS && role != MMM_SEED))
            TRY(mmm_job_set(*out, d->app->parameters[i].name, values[i]));
    }
    d->runs++;
    TRY(mmm_job_run(*out, d->machine, NULL));
done:
    return result;
}

/* Counts one job; p->low is 0 where the application has none for these parameters. */
static mmm_status count_job(derivation *d, const int64_t *values, point *p)
{
    mmm_job *job = NULL;
    mmm_shape shape;
    mmm_measures at[COSTS];
    mmm_parameters machine = *mmm_parameters_builtin();
    mmm_status status = run_job(d, values, &job);
    if (status == MMM_OK) status = mmm_program_shape(mmm_job_program(job), &shape);
    for (int i = 0; i < COSTS && status == MMM_OK; i++) {
        machine.U = costs[i];
        status = mmm_program_measures(mmm_job_program(job), &machine, &at[i]);
    }
    if (status == MMM_OK) {
        const mmm_counts *c = mmm_machine_counts(d->machine);
        const mmm_measures m = at[COSTS - 1];
        double slope = m.C - at[COSTS - 2].C, rest = m.C - costs[COSTS - 1] * slope;
        int64_t counted[COUNTS] = {shape.L, shape.N,        shape.K,       m.overhead_words, m.work,
                                   m.span,  (int64_t)slope, (int64_t)rest, c->local_words};
        int from = COSTS - 1;
        while (from > 0 && at[from - 1].C == slope * costs[from - 1] + rest)
            from--;
        memcpy(p->counted, counted, sizeof counted);
        p->low = (int64_t)costs[from];
        p->operations = c->arithmetic;
        p->accesses = c->local_accesses + c->global_reads + c->global_writes;
    }
    mmm_job_free(job);
    if (status != MMM_OK) snprintf(d->why, sizeof d->why, "%s", mmm_message());
    return status == MMM_MEMORY ? status : MMM_OK; /* what cannot run is left out */
}

/* A job is counted once: all that were are kept, and cost the same again, so that nothing else depends on it. */
mmm_status mmm_derive_count(derivation *d, point *p, bool *there)
{
    mmm_status result = MMM_OK;
    point all = {.low = 0};
    list_parameters(d, p, all.at);
    const point *job = find_point(d->counted, all.at, MMM_PARAMETERS_MOST);
    if (!job) {
        TRY(count_job(d, all.at, &all));
        TRY(mmm_grow(&d->counted->list, &d->counted->room, d->counted->count + 1, sizeof *d->counted->list));
        d->counted->list[d->counted->count++] = all;
        job = &all;
    }
    d->spent += 3e-4;
    memcpy(p->counted, job->counted, sizeof p->counted);
    p->low = job->low;
    p->operations = job->operations;
    p->accesses = job->accesses;
    *there = p->low > 0;
    if (*there) adapt(d, p);
done:
    return result;
}

int64_t mmm_derive_divisor(int64_t a, int64_t b)
{
    return b ? mmm_derive_divisor(b, a % b) : a;
}

/* a b, or the largest number: larger than anything that is counted. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Where sizes alone are free: what choices with a value have as a common multiple, as far as it stays small. */
static int64_t unit_of_values(const derivation *d)
{
    enum { MOST = 512 };
    int64_t unit = 1;
    for (int i = 0; d->app->parameters[i].name; i++) {
        if (d->app->parameters[i].role != MMM_CHOICE || d->fixed[i] < 1) continue;
        const int64_t next = times(unit / mmm_derive_divisor(unit, d->fixed[i]), d->fixed[i]);
        if (next <= MOST || d->fixed[i] > MOST) unit = next;
    }
    return unit;
}

int64_t mmm_derive_unit(const derivation *d, const point_lattice *lattice, const int64_t *at)
{
    enum { COPIED = 256 }; /* threads of a block that copies, whatever is chosen */
    int64_t multiple = 1, product = 1, largest = 1, threads = 1, power = 1;
    if (mmm_derive_only_sizes(d))
        return times(unit_of_values(d), (lattice->level == STRONG ? 2 : 1) * (lattice->level > SQUARE ? 4 : 1));
    if (lattice->own) return at[lattice->grained] / 2;
    if (lattice->grain) return at[lattice->grained] / mmm_derive_divisor(at[lattice->grained], COPIED) * COPIED;
    for (int i = 0; !d->many && d->app->parameters[i].name; i++) { /* choices with a value of their own */
        if (d->app->parameters[i].role != MMM_CHOICE || !d->is_fixed[i] || d->fixed[i] < 1) continue;
        multiple = times(multiple / mmm_derive_divisor(multiple, d->fixed[i]), d->fixed[i]);
        product = times(product, d->fixed[i]);
        if (d->fixed[i] > largest) largest = d->fixed[i];
    }
    for (int i = 0; i < d->real; i++) {
        if (d->axes[i].size || d->axes[i].other || at[i] < 1) continue;
        multiple = times(multiple / mmm_derive_divisor(multiple, at[i]), at[i]);
        product = times(product, at[i]);
        if (at[i] > largest) largest = at[i];
        if (d->axes[i].exponent) power = at[i] < 40 ? times(power, (int64_t)1 << at[i]) : INT64_MAX;
        if (!d->axes[i].exponent && at[i] > threads) threads = at[i];
    }
    int64_t square = times(times(threads, threads), 16), tile = times(threads, 4);
    square = square / power > tile ? square / power : tile;
    const int64_t common = mmm_derive_divisor(square, tile);
    const int64_t units[LEVELS] = {multiple,
                                   times(multiple, 2),
                                   times(product, 2),
                                   times(times(largest, largest), 16),
                                   times(multiple, 256),
                                   times(common > 0 ? square / common : square, tile)};
    return units[lattice->level];
}

int64_t mmm_derive_draw(derivation *d, int64_t bound)
{
    return (int64_t)mmm_random_below(&d->random, (uint64_t)bound);
}

static int64_t draw_choice(derivation *d, const derive_axis *a, bool powers)
{
    int64_t value = 1;
    for (int tries = 0; tries < 20; tries++) {
        value = a->values[mmm_derive_draw(d, a->count)];
        if (!powers || !(value & (value - 1))) break;
    }
    return value;
}

/* Of powers of two alone, or of all values; eight times those beside a grain, twice those beside the record's own,
 * divide it, or there are none. */
bool mmm_derive_choices(derivation *d, const point_lattice *lattice, bool powers, point *p)
{
    for (int tries = 0; tries < 200; tries++) {
        int64_t product = lattice->own ? 2 : 8;
        for (int i = 0; i < d->real; i++) {
            const derive_axis *a = &d->axes[i];
            if (a->size || a->other) continue;
            if (!a->count) return false;
            p->at[i] = draw_choice(d, a, powers);
            if (i != lattice->grained && !(lattice->grain && mmm_derive_is_large(d, i)))
                product = times(product, p->at[i]);
        }
        if (!lattice->grain || lattice->grain % product == 0) return true;
    }
    return false;
}

/* What else the problem depends on: all choices divide it, or, where there is one, that which is an exponent, mostly.
 */
static int64_t draw_other(derivation *d, const point *p)
{
    int64_t unit = mmm_derive_unit(d, &(point_lattice){0}, p->at);
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].exponent) unit = mmm_derive_draw(d, 8) ? p->at[i] : 1 + mmm_derive_draw(d, 8);
    return times(unit, 1 + mmm_derive_draw(d, 2));
}

/* The shifted size, from what it is a multiple with its shift. */
static int64_t unshift(shift_kind shift, int64_t multiple, int64_t by)
{
    return shift == SHIFT_LESS ? multiple + by - 1 : shift == SHIFT_MORE ? multiple - by + 1 : multiple;
}

static int64_t draw_units(derivation *d, const point_lattice *lattice, bool powers, bool exact, int64_t most)
{
    if (mmm_derive_only_sizes(d)) return 1 + mmm_derive_draw(d, most); /* nothing else is drawn */
    if (lattice->own) return 3 + mmm_derive_draw(d, 6);                /* as is one of these, of two units, */
    if (lattice->grain) return 2 + mmm_derive_draw(d, 6);              /* one grain is a case of its own */
    if (lattice->level == POWER)                                       /* exact: there is enough to do */
        return exact ? 5 + mmm_derive_draw(d, 12) : 1 + mmm_derive_draw(d, 60);
    return powers ? (int64_t)1 << mmm_derive_draw(d, 5) : 1 + mmm_derive_draw(d, 6);
}

/* Sizes as multiples of the unit, the first the largest; false where they would be too large to count. */
bool mmm_derive_sizes(derivation *d, const point_lattice *lattice, bool powers, bool exact, point *p)
{
    int64_t unit = mmm_derive_unit(d, lattice, p->at), most = 0, area = 1;
    const int64_t cap = lattice->own                               ? DERIVE_OWN
                        : lattice->grain                           ? DERIVE_LARGEST
                        : lattice->level == POWER && d->sizes == 1 ? exact ? TILES : TILES / 2
                                                                   : d->cap;
    const bool first_largest = d->sizes > 1 && !(lattice->grain && lattice->shift == SHIFT_LESS);
    if (unit > cap) return false;
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].other) p->at[i] = draw_other(d, p);
    for (int i = d->real - 1; i >= 0; i--) {
        if (!d->axes[i].size) continue;
        int64_t units = draw_units(d, lattice, powers, exact, cap / unit);
        if (i == 0 && first_largest && units * unit < most)
            units = (most / unit) << (powers ? mmm_derive_draw(d, 3) : 0);
        if (i == 0 && first_largest && !powers && units * unit == most) units += mmm_derive_draw(d, 3);
        p->at[i] = units * unit;
        if (p->at[i] > most) most = p->at[i];
        area = times(area, p->at[i]);
    }
    if (lattice->shift != SHIFT_NONE)
        p->at[lattice->shifted] = unshift(lattice->shift, p->at[lattice->shifted], p->at[lattice->by]);
    return area <= mmm_derive_area(d, lattice) && mmm_derive_in_range(d, p, cap);
}

/* Whether an application takes such parameters, and the sizes are no larger than `cap`. */
bool mmm_derive_in_range(const derivation *d, const point *p, int64_t cap)
{
    for (int i = 0; i < d->real; i++)
        if (p->at[i] < d->axes[i].least || p->at[i] > d->axes[i].most || (d->axes[i].size && p->at[i] > cap))
            return false;
    return true;
}

int64_t mmm_derive_area(const derivation *d, const point_lattice *lattice)
{
    return lattice->grain || mmm_derive_only_sizes(d) ? GRAINED_AREA : AREA;
}

/* Whether all parameters are as large as those of a job that took long to count; on a lattice of the record, sizes and
 * what has its grain. */
static bool is_too_dear(const derivation *d, const point *p)
{
    for (int i = 0; i < d->dear_count; i++) {
        bool above = true;
        for (int j = 0; j < d->real; j++)
            above = above && (p->at[j] >= d->dear[i][j] || (d->coarse && !d->axes[j].size && j != d->coarse_of));
        if (above) return true;
    }
    return false;
}

mmm_status mmm_derive_take(derivation *d, point *p, point_list *out)
{
    mmm_status result = MMM_OK;
    bool there;
    if (d->coarse) p->at[d->real] = (p->at[d->coarse_of] + d->coarse - 1) / d->coarse;
    if (find_point(out, p->at, d->real) || ((!d->few || d->coarse) && is_too_dear(d, p))) return MMM_OK;
    TRY(mmm_derive_count(d, p, &there));
    if (!there) goto done;
    TRY(mmm_grow(&out->list, &out->room, out->count + 1, sizeof *out->list));
    out->list[out->count++] = *p;
done:
    return result;
}

/* Of those that are no exponents. */
int64_t mmm_derive_largest(const derivation *d, const point *p)
{
    int64_t most = 1;
    for (int i = 0; i < d->real; i++)
        if (!d->axes[i].size && !d->axes[i].other && !d->axes[i].exponent && p->at[i] > most) most = p->at[i];
    return most;
}

/* 2^s above every other choice: more counts than threads, a case of its own, of which a few points are enough. */
static bool is_steep(const derivation *d, const point *p)
{
    for (int i = 0; i < d->real; i++)
        if (d->axes[i].exponent && (p->at[i] > 40 || (int64_t)1 << p->at[i] > mmm_derive_largest(d, p))) return true;
    return false;
}

mmm_status mmm_derive_aligned(derivation *d, const point_lattice *lattice, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    int64_t refused = 0;
    mmm_derive_values(d, lattice);
    for (int64_t tries = 0; out->count < wanted && tries < TRIES * wanted && d->spent < d->until; tries++) {
        point p = {0};
        bool powers = mmm_derive_draw(d, 2);
        if (!mmm_derive_choices(d, lattice, powers, &p)) continue;
        if (lattice->level == POWER && is_steep(d, &p) && mmm_derive_draw(d, 4)) continue;
        if (!mmm_derive_sizes(d, lattice, powers, true, &p) || find_point(out, p.at, d->real)) {
            if (++refused % 300 == 0 && !d->settled && d->cap < LARGE) d->cap += d->cap / 4; /* the unit is large */
            continue;
        }
        TRY(mmm_derive_take(d, &p, out));
    }
done:
    return result;
}
