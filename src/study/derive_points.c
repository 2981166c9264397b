/* SPDX-License-Identifier: Apache-2.0 */
/* Points for derivations: small jobs, counted on the abstract machine. */
#include "study/derive.h"

#include <string.h>
#include <time.h>

enum { LARGE = 1500, ALONE = 20000, TILES = 24000, AREA = 250000, TRIES = 40 };

double mmm_derive_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const double costs[] = {2, 5, 20, 100, 1000, 1001};
enum { COSTS = sizeof costs / sizeof *costs };

/* Sizes grow while jobs are cheap to count. */
static void adapt(derivation *d, const point *p, const mmm_counts *c)
{
    enum { CHEAP = 60000, DEAR = 6000000 };
    double cost =
        (double)c->arithmetic + (double)c->local_accesses + (double)c->global_reads + (double)c->global_writes;
    int64_t largest = 1, most = d->sizes > 1 ? LARGE : ALONE;
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].size && p->at[i] > largest) largest = p->at[i];
    if (cost < CHEAP && 2 * largest > d->cap) d->cap = d->cap + d->cap / 4;
    if (cost > DEAR && largest < d->cap) d->cap = largest;
    if (cost > CHEAP * 10) d->settled = true;
    if (d->cap > most) d->cap = most;
}

/* Counts one job.  *there is false where the application has none for these parameters. */
mmm_status mmm_derive_count(derivation *d, point *p, bool *there)
{
    mmm_job *job = NULL;
    mmm_shape shape;
    mmm_measures m, at[COSTS];
    mmm_parameters machine = *mmm_parameters_builtin();
    *there = false;
    mmm_status status = mmm_job_of(d->app, &job);
    for (int i = 0; status == MMM_OK && d->app->parameters[i].name; i++)
        if (d->is_fixed[i]) status = mmm_job_set(job, d->app->parameters[i].name, d->fixed[i]);
    for (int i = 0; i < d->axis_count && status == MMM_OK; i++)
        status = mmm_job_set(job, d->axes[i].name, p->at[i]);
    for (int i = 0; status == MMM_OK && d->seed && d->app->parameters[i].name; i++)
        if (d->app->parameters[i].role == MMM_SEED) status = mmm_job_set(job, d->app->parameters[i].name, d->seed);
    if (status == MMM_OK) status = mmm_job_run(job, d->machine, NULL);
    if (status == MMM_OK) status = mmm_program_shape(mmm_job_program(job), &shape);
    for (int i = 0; i < COSTS && status == MMM_OK; i++) {
        machine.U = costs[i];
        status = mmm_program_measures(mmm_job_program(job), &machine, &at[i]);
    }
    d->runs++;
    if (status == MMM_OK) {
        m = at[COSTS - 1];
        double slope = m.C - at[COSTS - 2].C, rest = m.C - costs[COSTS - 1] * slope;
        int64_t values[COUNTS] = {shape.L,          shape.N,       shape.K,
                                  m.overhead_words, m.work,        m.span,
                                  (int64_t)slope,   (int64_t)rest, mmm_machine_counts(d->machine)->local_words};
        memcpy(p->counted, values, sizeof values);
        int from = COSTS - 1;
        while (from > 0 && at[from - 1].C == slope * costs[from - 1] + rest)
            from--;
        p->low = (int64_t)costs[from];
        *there = true;
        adapt(d, p, mmm_machine_counts(d->machine));
    }
    mmm_job_free(job);
    return status == MMM_MEMORY ? status : MMM_OK; /* what cannot run is left out */
}

static int64_t divisor(int64_t a, int64_t b)
{
    return b ? divisor(b, a % b) : a;
}

/* a b, or the largest number: larger than anything that is counted. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t mmm_derive_unit(const derivation *d, const point_lattice *lattice, const int64_t *at)
{
    int64_t multiple = 1, product = 1, largest = 1, threads = 1, power = 1;
    for (int i = 0; d->app->parameters[i].name; i++) { /* choices with a value of their own */
        if (d->app->parameters[i].role != MMM_CHOICE || !d->is_fixed[i] || d->fixed[i] < 1) continue;
        multiple = times(multiple / divisor(multiple, d->fixed[i]), d->fixed[i]);
        product = times(product, d->fixed[i]);
        if (d->fixed[i] > largest) largest = d->fixed[i];
    }
    for (int i = 0; i < d->axis_count; i++) {
        if (d->axes[i].size || d->axes[i].other || at[i] < 1) continue;
        multiple = times(multiple / divisor(multiple, at[i]), at[i]);
        product = times(product, at[i]);
        if (at[i] > largest) largest = at[i];
        if (d->axes[i].exponent) power = at[i] < 40 ? times(power, (int64_t)1 << at[i]) : INT64_MAX;
        if (!d->axes[i].exponent && at[i] > threads) threads = at[i];
    }
    int64_t square = times(times(threads, threads), 16), tile = times(threads, 4);
    square = square / power > tile ? square / power : tile;
    const int64_t common = divisor(square, tile);
    const int64_t units[LEVELS] = {multiple,
                                   times(multiple, 2),
                                   times(product, 2),
                                   times(times(largest, largest), 16),
                                   times(multiple, 256),
                                   times(common > 0 ? square / common : square, tile)};
    return units[lattice->level];
}

static int64_t draw(derivation *d, int64_t bound)
{
    return (int64_t)mmm_random_below(&d->random, (uint64_t)bound);
}

/* Of powers of two alone, or of all values. */
static void draw_choices(derivation *d, bool powers, point *p)
{
    for (int i = 0; i < d->axis_count; i++)
        for (int tries = 0; !d->axes[i].size && !d->axes[i].other && tries < 20; tries++) {
            p->at[i] = d->axes[i].values[draw(d, d->axes[i].count)];
            if (!powers || !(p->at[i] & (p->at[i] - 1))) break;
        }
}

/* What else the problem depends on: all choices divide it, or, where there is one, that which is an exponent, mostly.
 */
static int64_t draw_other(derivation *d, const point *p)
{
    int64_t unit = mmm_derive_unit(d, &(point_lattice){0}, p->at);
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].exponent) unit = draw(d, 8) ? p->at[i] : 1 + draw(d, 8);
    return times(unit, 1 + draw(d, 2));
}

/* The shifted size, from what it is a multiple with its shift. */
static int64_t unshift(shift_kind shift, int64_t multiple, int64_t by)
{
    return shift == SHIFT_LESS ? multiple + by - 1 : shift == SHIFT_MORE ? multiple - by + 1 : multiple;
}

/* Sizes as multiples of the unit, the first the largest; false where they would be too large to count. */
static bool draw_sizes(derivation *d, const point_lattice *lattice, bool powers, bool exact, point *p)
{
    int64_t unit = mmm_derive_unit(d, lattice, p->at), most = 0, area = 1;
    const int64_t cap = lattice->level == POWER && d->sizes == 1 ? exact ? TILES : TILES / 2 : d->cap;
    if (unit > cap) return false;
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].other) p->at[i] = draw_other(d, p);
    for (int i = d->axis_count - 1; i >= 0; i--) {
        if (!d->axes[i].size) continue;
        int64_t units = powers ? (int64_t)1 << draw(d, 5) : 1 + draw(d, 6);
        if (lattice->level == POWER)
            units = exact ? 5 + draw(d, 12) : 1 + draw(d, 60); /* exact: there is enough to do */
        if (i == 0 && d->sizes > 1 && units * unit < most) units = (most / unit) << (powers ? draw(d, 3) : 0);
        if (i == 0 && d->sizes > 1 && !powers && units * unit == most) units += draw(d, 3);
        p->at[i] = units * unit;
        if (p->at[i] > most) most = p->at[i];
    }
    if (lattice->shift != SHIFT_NONE)
        p->at[lattice->shifted] = unshift(lattice->shift, p->at[lattice->shifted], p->at[lattice->by]);
    for (int i = 0; i < d->axis_count; i++) {
        if (p->at[i] < d->axes[i].least || p->at[i] > d->axes[i].most) return false;
        if (d->axes[i].size) area *= p->at[i];
        if (d->axes[i].size && p->at[i] > cap) return false;
    }
    return area <= AREA;
}

static bool known(const derivation *d, const point_list *list, const point *p)
{
    for (int64_t i = 0; i < list->count; i++)
        if (memcmp(list->list[i].at, p->at, (size_t)d->axis_count * sizeof *p->at) == 0) return true;
    return false;
}

static mmm_status add(point_list *out, const point *p)
{
    mmm_status result = mmm_grow(&out->list, &out->room, out->count + 1, sizeof *out->list);
    if (result == MMM_OK) out->list[out->count++] = *p;
    return result;
}

/* Of those that are no exponents. */
static int64_t largest_choice(const derivation *d, const point *p)
{
    int64_t most = 1;
    for (int i = 0; i < d->axis_count; i++)
        if (!d->axes[i].size && !d->axes[i].other && !d->axes[i].exponent && p->at[i] > most) most = p->at[i];
    return most;
}

/* 2^s above every other choice: more counts than threads, a case of its own, of which a few points are enough. */
static bool is_steep(const derivation *d, const point *p)
{
    for (int i = 0; i < d->axis_count; i++)
        if (d->axes[i].exponent && (p->at[i] > 40 || (int64_t)1 << p->at[i] > largest_choice(d, p))) return true;
    return false;
}

mmm_status mmm_derive_aligned(derivation *d, const point_lattice *lattice, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    int64_t refused = 0;
    for (int64_t tries = 0; out->count < wanted && tries < TRIES * wanted && mmm_derive_clock() < d->until; tries++) {
        point p = {0};
        bool there, powers = draw(d, 2);
        draw_choices(d, powers, &p);
        if (lattice->level == POWER && is_steep(d, &p) && draw(d, 4)) continue;
        if (!draw_sizes(d, lattice, powers, true, &p) || known(d, out, &p)) {
            if (++refused % 300 == 0 && !d->settled && d->cap < LARGE) d->cap += d->cap / 4; /* the unit is large */
            continue;
        }
        TRY(mmm_derive_count(d, &p, &there));
        if (there) TRY(add(out, &p));
    }
done:
    return result;
}

/* Now and then a choice far above those that forms are found from, which may be a case of its own. */
static void draw_large(derivation *d, point *p)
{
    static const int64_t large[] = {20, 24, 32, 33, 48, 64, 100};
    for (int i = 0; i < d->axis_count; i++) {
        const derive_axis *a = &d->axes[i];
        int64_t value = large[draw(d, sizeof large / sizeof *large)];
        if (!a->size && !a->other && !a->exponent && value <= a->most && value >= a->least && !draw(d, 10))
            p->at[i] = value;
    }
}

/* Points of all kinds: next to aligned ones, of weaker lattices, and anywhere near the least sizes. */
mmm_status mmm_derive_diverse(derivation *d, int64_t wanted, point_list *out)
{
    mmm_status result = MMM_OK;
    for (int64_t tries = 0; out->count < wanted && tries < TRIES * wanted && mmm_derive_clock() < d->until; tries++) {
        point p = {0};
        bool there, fine = true, powers = draw(d, 3) == 0;
        point_lattice weak = d->lattice;
        int64_t way = draw(d, 4);
        draw_choices(d, powers, &p);
        draw_large(d, &p);
        if (way >= 2) weak.level = (int)draw(d, d->lattice.level + 1);
        fine = draw_sizes(d, &weak, powers, draw(d, 2), &p);
        if (way == 1 && d->sizes) { /* one size off its place */
            int i = (int)draw(d, d->axis_count);
            if (d->axes[i].size) p.at[i] += (draw(d, 7) - 3) * (draw(d, 2) ? 1 : 4 * largest_choice(d, &p));
        }
        for (int i = 0; i < d->axis_count; i++)
            if (d->axes[i].other && draw(d, 3) == 0) p.at[i] += draw(d, 5);
        for (int i = 0; i < d->axis_count && way == 0; i++)
            if (d->axes[i].size) p.at[i] = d->axes[i].least + draw(d, 40), fine = true;
        if (d->sizes > 1 && draw(d, 8) == 0) { /* the smaller one first */
            int64_t first = p.at[0];
            p.at[0] = p.at[1];
            p.at[1] = first;
        }
        for (int i = 0; i < d->axis_count; i++)
            fine = fine && p.at[i] >= d->axes[i].least && p.at[i] <= d->axes[i].most;
        if (!fine || known(d, out, &p)) continue;
        TRY(mmm_derive_count(d, &p, &there));
        if (there) TRY(add(out, &p));
    }
done:
    return result;
}
