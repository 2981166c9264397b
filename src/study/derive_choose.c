/* SPDX-License-Identifier: Apache-2.0 */
/* Which conditions to state: of all that could be said, few words that leave out every point at which a form fails, and
 * not many at which it holds. */
#include "study/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = 80, SAID = 800, ROUND = 13, OPTIONS = SAID + 2 * PRODUCTS * (ROUND + 2), STARTS = 48 };
static const double round_bounds[ROUND] = {1, 0.5, 0.25, 2, 3, 4, 5, 6, 8, 16, 32, 64, 80};
static const double dear[] = {4, 1, 0.3,
                              0.1}; /* what a point is worth at which the form holds; 1: one where it fails */

/* Some of the conditions, and what each of them leaves out. */
typedef struct selection {
    condition list[CONDITIONS];
    uint64_t *out;
    int count;
} selection;

/* Sets of points, a bit for each: where the form holds; all; where those conditions hold that are taken; what each
 * option leaves out. */
typedef struct chooser {
    const derivation *d;
    const point **points;
    int64_t count, words; /* of points, and of a set */
    uint64_t *holds, *all, *inside, *spare;
    uint64_t *out;
    condition options[OPTIONS];
    int fixed, option_count; /* behind the fixed ones are bounds that depend on what is inside */
    term products[PRODUCTS];
    int product_count;
    double *values; /* of each product at each point */
    int64_t *left;  /* room for the points inside */
    int64_t right;  /* points at which the form holds */
    int64_t least;  /* so many of them are to be left */
    bool apart;     /* bounds that tell where the form holds from where it fails are options */
    selection now;
    double best;
} chooser;

static uint64_t *set_of(const chooser *x, int option)
{
    return x->out + option * x->words;
}

static void add_point(uint64_t *set, int64_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}

static void mark(uint64_t *set, int64_t i, bool there)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
    if (there) add_point(set, i);
}

static bool has_point(const uint64_t *set, int64_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static void copy_set(const chooser *x, uint64_t *to, const uint64_t *from)
{
    memcpy(to, from, (size_t)x->words * sizeof *to);
}

static void leave_out(const chooser *x, const uint64_t *out)
{
    for (int64_t k = 0; k < x->words; k++)
        x->inside[k] &= ~out[k];
}

/* At how many points of two sets the form fails, and holds. */
static void effect(const chooser *x, const uint64_t *a, const uint64_t *b, int64_t *fails, int64_t *holds)
{
    *fails = *holds = 0;
    for (int64_t i = 0; i < x->words; i++) {
        *fails += __builtin_popcountll(a[i] & b[i] & ~x->holds[i]);
        *holds += __builtin_popcountll(a[i] & b[i] & x->holds[i]);
    }
}

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

static void add_bound(chooser *x, int product, bool most, double bound)
{
    const double *values = x->values + product * x->count, slack = 1e-9 * fabs(bound);
    const int option = x->option_count++;
    uint64_t *out = set_of(x, option);
    x->options[option] = (condition){.kind = most ? AT_MOST : AT_LEAST, .of = x->products[product], .bound = bound};
    memset(out, 0, (size_t)x->words * sizeof *out);
    for (int64_t i = 0; i < x->count; i++)
        if (most ? values[i] > bound + slack : values[i] < bound - slack) add_point(out, i);
}

/* What leaves out no failure is no option. */
static void drop_idle(chooser *x)
{
    int kept = 0;
    for (int i = 0; i < x->option_count; i++) {
        int64_t fails, holds;
        effect(x, x->all, set_of(x, i), &fails, &holds);
        if (!fails) continue;
        x->options[kept] = x->options[i];
        if (kept != i) copy_set(x, set_of(x, kept), set_of(x, i));
        kept++;
    }
    x->option_count = kept;
}

static void list_fixed(chooser *x)
{
    x->option_count = mmm_derive_candidates(x->d, x->options, SAID);
    for (int i = 0; i < x->option_count; i++)
        for (int64_t j = 0; j < x->count; j++)
            if (!mmm_condition_holds(x->d, &x->options[i], x->points[j]->at)) add_point(set_of(x, i), j);
    for (int i = 0; i < x->product_count; i++) {
        for (int64_t j = 0; j < x->count; j++)
            x->values[i * x->count + j] = mmm_term_value(&x->products[i], x->points[j]->at, x->d->axis_count);
        for (int j = 0; j < 2 * ROUND; j++)
            add_bound(x, i, j % 2, round_bounds[j / 2]);
    }
    drop_idle(x);
    x->fixed = x->option_count;
}

/* Points that are still inside: those at which the form holds, where others are not asked for. */
static int64_t list_inside(const chooser *x)
{
    int64_t count = 0;
    for (int64_t k = 0; k < x->words; k++)
        for (uint64_t left = x->inside[k] & (x->apart ? ~(uint64_t)0 : x->holds[k]); left; left &= left - 1)
            x->left[count++] = 64 * k + __builtin_ctzll(left);
    return count;
}

/* The whole values of products between which the form holds, and those up to which it does alone, and from which on. */
static void list_ends(chooser *x)
{
    const int64_t count = list_inside(x);
    x->option_count = x->fixed;
    for (int i = 0; i < x->product_count; i++) {
        const double *values = x->values + i * x->count;
        double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}; /* where it fails, and holds */
        double below = -INFINITY, above = INFINITY;
        for (int64_t k = 0; k < count; k++) {
            const double value = values[x->left[k]];
            const bool holds = has_point(x->holds, x->left[k]);
            if (holds && value != floor(value)) continue;
            if (value < least[holds]) least[holds] = value;
            if (value > most[holds]) most[holds] = value;
        }
        for (int64_t k = 0; k < count && x->apart; k++) {
            const double value = values[x->left[k]];
            if (value != floor(value) || !has_point(x->holds, x->left[k])) continue;
            if (value < least[0] && value > below) below = value;
            if (value > most[0] && value < above) above = value;
        }
        if (isfinite(least[1])) add_bound(x, i, false, least[1]);
        if (isfinite(most[1])) add_bound(x, i, true, most[1]);
        if (isfinite(below) && below < most[1]) add_bound(x, i, true, below);
        if (isfinite(above) && above > least[1]) add_bound(x, i, false, above);
    }
}

/* How much there is to say: of conditions that do the same the short one. */
static int words_of(const derivation *d, const condition *c)
{
    int words = c->factor > 1 || c->factor < 0 || (c->kind >= AT_LEAST && c->bound > 2);
    for (int i = 0; i < d->axis_count; i++)
        words += abs(c->of.exponents[i]);
    return words + (c->shift != SHIFT_NONE) + (c->of.power >= 0);
}

/* ---- Choice -------------------------------------------------------------------------------------------------------
 */

/* Drops conditions without which no failure comes back, first those that leave out most of what is right. */
static void prune(chooser *x)
{
    selection *s = &x->now;
    for (;;) {
        int worst = -1;
        int64_t most = -1, right, wrong;
        for (int i = 0; i < s->count; i++) {
            copy_set(x, x->inside, x->all);
            for (int j = 0; j < s->count; j++)
                if (j != i) leave_out(x, s->out + j * x->words);
            effect(x, x->inside, s->out + i * x->words, &wrong, &right);
            if (right > most && !wrong) most = right, worst = i;
        }
        if (worst < 0) return;
        s->count--;
        memmove(&s->list[worst], &s->list[worst + 1], (size_t)(s->count - worst) * sizeof *s->list);
        memmove(s->out + worst * x->words, s->out + (worst + 1) * x->words,
                (size_t)((s->count - worst) * x->words) * sizeof *s->out);
    }
}

/* Of the values that each choice has where the form holds, what part is left in a set; of other parameters at least
 * three should be; all of it multiplied. */
static double variety(const chooser *x, const uint64_t *set)
{
    enum { MOST = 32, FEW = 3 };
    double part = 1;
    for (int axis = 0; axis < x->d->real; axis++) {
        const derive_axis *a = &x->d->axes[axis];
        int64_t seen[MOST];
        bool left[MOST];
        int count = 0, kept = 0;
        for (int64_t i = 0; i < x->count; i++) {
            const int64_t value = x->points[i]->at[axis];
            int at = 0;
            if (!has_point(x->holds, i)) continue;
            while (at < count && seen[at] != value)
                at++;
            if (at == MOST) continue;
            if (at == count) seen[at] = value, left[at] = false, count++;
            left[at] = left[at] || has_point(set, i);
        }
        for (int i = 0; i < count; i++)
            kept += left[i];
        if ((a->size || a->other) && count > FEW) count = FEW;
        part *= kept < count ? (double)kept / count : 1;
    }
    return part;
}

/* Conditions that leave much to choose in few words are good, without numbers of many digits; that leave many points, a
 * little; failures that are left are worse than anything. */
static double judge(chooser *x)
{
    int64_t wrong, kept;
    double said = 0;
    copy_set(x, x->inside, x->all);
    for (int j = 0; j < x->now.count; j++) {
        said += words_of(x->d, &x->now.list[j]);
        if (x->now.list[j].bound > 2) said += log2(x->now.list[j].bound) / 3;
        leave_out(x, x->now.out + j * x->words);
    }
    effect(x, x->inside, x->inside, &wrong, &kept);
    if (wrong) return -10 * (double)wrong;
    return (kept < x->least ? -1 : 0) + variety(x, x->inside) + 0.1 * (double)kept / (double)x->right - 0.02 * said;
}

/* What leaves out most failures and few points at which the form holds. */
static double score_of(const chooser *x, int option, double worth)
{
    int64_t fails, holds;
    effect(x, x->inside, set_of(x, option), &fails, &holds);
    if (!fails) return -INFINITY;
    return (double)fails * (1 - 0.03 * words_of(x->d, &x->options[option])) - worth * (double)holds;
}

static void take(chooser *x, int option)
{
    copy_set(x, x->now.out + x->now.count * x->words, set_of(x, option));
    x->now.list[x->now.count++] = x->options[option];
    leave_out(x, set_of(x, option));
}

/* One condition for another where that is better: as bounds that are tighter than they need be. */
static void improve(chooser *x)
{
    double best = judge(x);
    for (int i = 0; i < x->now.count; i++) {
        uint64_t *out = x->now.out + i * x->words;
        const condition first = x->now.list[i];
        int64_t fails, holds, left;
        int chosen = -1;
        effect(x, x->all, out, &fails, &left);
        copy_set(x, x->spare, out);
        for (int j = 0; j < x->fixed; j++) {
            effect(x, x->all, set_of(x, j), &fails, &holds);
            if (holds > left) continue;
            x->now.list[i] = x->options[j];
            copy_set(x, out, set_of(x, j));
            double quality = judge(x);
            if (quality > best) best = quality, chosen = j;
        }
        x->now.list[i] = chosen < 0 ? first : x->options[chosen];
        copy_set(x, out, chosen < 0 ? x->spare : set_of(x, chosen));
    }
}

/* After a first condition, one after the other, what is best; with the best of all selections into `out`. */
static void choose(chooser *x, int first, double worth, condition *out, int *count)
{
    copy_set(x, x->inside, x->all);
    x->now.count = 0;
    take(x, first);
    while (x->now.count < CONDITIONS) {
        double best = -INFINITY;
        int chosen = -1;
        int64_t fails, holds;
        effect(x, x->inside, x->inside, &fails, &holds);
        if (!fails || !holds) break;
        list_ends(x);
        for (int i = 0; i < x->option_count; i++) {
            double score = score_of(x, i, worth);
            if (score > best) best = score, chosen = i;
        }
        if (chosen < 0) break;
        take(x, chosen);
    }
    prune(x);
    double quality = judge(x);
    if (quality <= x->best) return;
    x->best = quality;
    memcpy(out, x->now.list, sizeof x->now.list);
    *count = x->now.count;
}

/* The options that are best at first, without those that do what another one does. */
static int list_starts(chooser *x, double worth, int *starts)
{
    double scores[STARTS];
    int count = 0;
    copy_set(x, x->inside, x->all);
    list_ends(x);
    for (int i = 0; i < x->option_count; i++) {
        double score = score_of(x, i, worth);
        int at = count;
        bool same = false;
        for (int j = 0; j < count && !same; j++)
            same = memcmp(set_of(x, i), set_of(x, starts[j]), (size_t)x->words * sizeof *x->out) == 0;
        if (same || score == -INFINITY || (count == STARTS && score <= scores[count - 1])) continue;
        if (count < STARTS)
            count++;
        else
            at--;
        for (; at > 0 && scores[at - 1] < score; at--)
            scores[at] = scores[at - 1], starts[at] = starts[at - 1];
        scores[at] = score;
        starts[at] = i;
    }
    return count;
}

static mmm_status prepare(chooser *x, const point_list *pool, const bool *holds, const bool *inside)
{
    mmm_status result = MMM_OK;
    TRY(mmm_alloc(&x->points, pool->count + 1, sizeof *x->points));
    for (int64_t i = 0; i < pool->count; i++)
        if (!inside || inside[i]) x->points[x->count++] = &pool->list[i];
    x->words = x->count / 64 + 1;
    TRY(mmm_alloc(&x->holds, (4 + CONDITIONS + OPTIONS) * x->words, sizeof *x->holds));
    x->all = x->holds + x->words;
    x->inside = x->all + x->words;
    x->spare = x->inside + x->words;
    x->now.out = x->spare + x->words;
    x->out = x->now.out + CONDITIONS * x->words;
    for (int64_t i = 0; i < x->count; i++) {
        if (holds[x->points[i] - pool->list]) add_point(x->holds, i), x->right++;
        add_point(x->all, i);
    }
    x->apart = inside && x->d->coarse; /* of a row with conditions of its own */
    x->least = x->apart ? (x->right + 3) / 4 : 0;
    x->product_count = mmm_derive_products(x->d, x->products, PRODUCTS);
    TRY(mmm_alloc(&x->values, x->product_count * x->count + 1, sizeof *x->values));
    TRY(mmm_alloc(&x->left, x->count + 1, sizeof *x->left));
    list_fixed(x);
done:
    return result;
}

mmm_status mmm_derive_conditions(const derivation *d, const point_list *pool, const bool *holds, const bool *inside,
                                 condition *out, int *count)
{
    mmm_status result = MMM_OK;
    chooser *x = NULL;
    *count = 0;
    TRY(mmm_alloc(&x, 1, sizeof *x));
    x->d = d;
    x->best = -INFINITY;
    TRY(prepare(x, pool, holds, inside));
    if (x->right == x->count || !x->right) goto done;
    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++) {
        int starts[STARTS];
        const int start_count = list_starts(x, dear[i], starts);
        for (int j = 0; j < start_count; j++) {
            copy_set(x, x->inside, x->all);
            list_ends(x); /* as they were listed */
            choose(x, starts[j], dear[i], out, count);
        }
    }
    x->now.count = *count;
    memcpy(x->now.list, out, sizeof x->now.list);
    for (int i = 0; i < *count; i++)
        for (int64_t j = 0; j < x->count; j++)
            mark(x->now.out + i * x->words, j, !mmm_condition_holds(d, &out[i], x->points[j]->at));
    improve(x);
    memcpy(out, x->now.list, sizeof x->now.list);
done:
    if (x) mmm_free(x->points), mmm_free(x->holds), mmm_free(x->values), mmm_free(x->left);
    mmm_free(x);
    return result;
}
