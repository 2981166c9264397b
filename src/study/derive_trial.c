/* SPDX-License-Identifier: Apache-2.0 */
/* Under which conditions forms hold: found from a pool of points, tried at others that satisfy them, and found again
 * while a form fails at one of these. */
#include "study/derive.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 24, TRIALS = 3, HOPES = 3, CAREFUL = 2 }; /* failures, after which no condition is left out */
enum { FEW = 10, MORE = 15 };                             /* points of each kind, while conditions fail and then */
static const double trial_time = 30;                      /* about seconds, at most */
static const double reserved_time = 6;                    /* of them for the last round, whose failures are final */
static const double odd_time = 1;                         /* of each row, for choices of any value */

const derive_row mmm_rows[ROWS] = {
    {"W", "", COUNT_W, COUNTS, false},          {"S", "", COUNT_S, COUNTS, false},
    {"O", "U*", COUNT_O, COUNTS, true},         {"N", "", COUNT_N, COUNTS, false},
    {"L", "", COUNT_L, COUNTS, false},          {"K", "", COUNT_K, COUNTS, true},
    {"C", "U*", COUNT_SLOPE, COUNT_REST, true}, {"local", "", COUNT_LOCAL, COUNTS, true},
};

bool mmm_row_found(const form *forms, int row)
{
    return forms[mmm_rows[row].first].found && (mmm_rows[row].second == COUNTS || forms[mmm_rows[row].second].found);
}

bool mmm_row_holds(const form *forms, const point *p, int axes, int row)
{
    const derive_row *r = &mmm_rows[row];
    return mmm_form_holds(&forms[r->first], p, axes, r->first) &&
           (r->second == COUNTS || mmm_form_holds(&forms[r->second], p, axes, r->second));
}

/* ---- Where conditions hold ------------------------------------------------------------------------------------------
 */

/* As far as they speak of parameters from one on. */
static bool hold_from(const derivation *d, const condition *list, int count, const int64_t *at, int from)
{
    for (int i = 0; i < count; i++)
        if (mmm_condition_first(d, &list[i]) >= from && !mmm_condition_holds(d, &list[i], at)) return false;
    return true;
}

static bool all_hold(const derivation *d, const condition *list, int count, const int64_t *at)
{
    return hold_from(d, list, count, at, 0);
}

bool mmm_derive_wide(const derivation *d, const verdicts *v, const int64_t *at)
{
    for (int i = 0; i < v->whole_count; i++)
        if (mmm_condition_shifted(&v->whole[i], at) <= 0) return false;
    return all_hold(d, v->rest, v->rest_count, at);
}

typedef struct row_filter {
    const verdicts *v;
    const row_given *given;
    bool edge; /* only points that hardly satisfy some bound, where one is most likely wrong */
} row_filter;

static bool is_edge(const derivation *d, const condition *list, int count, const int64_t *at)
{
    for (int i = 0; i < count; i++) {
        condition tighter = list[i];
        if (tighter.kind == WHOLE || tighter.kind == WHOLE_LOG) continue;
        tighter.bound *= tighter.kind == AT_LEAST ? 1.5 : 1 / 1.5;
        if (!mmm_condition_holds(d, &tighter, at)) return true;
    }
    return false;
}

bool mmm_derive_given(const derivation *d, const verdicts *v, const row_given *g, const int64_t *at)
{
    return mmm_derive_wide(d, v, at) && all_hold(d, g->own, g->count, at) && all_hold(d, g->whole, g->whole_count, at);
}

static bool is_given(const derivation *d, const void *context, const int64_t *at)
{
    const row_filter *f = context;
    return mmm_derive_given(d, f->v, f->given, at) &&
           (!f->edge || is_edge(d, f->given->own, f->given->count, at) || is_edge(d, f->v->rest, f->v->rest_count, at));
}

/* ---- Conditions from the pool --------------------------------------------------------------------------------- */

static mmm_status make_room(const derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    bool **arrays[] = {&v->holds, &v->inside, &v->wide};
    for (int i = 0; i < 3; i++) {
        mmm_free(*arrays[i]);
        *arrays[i] = NULL;
        TRY(mmm_alloc(arrays[i], d->diverse.count + 1, sizeof(bool)));
    }
done:
    return result;
}

/* On a lattice of the record all have but the number of kernels: each knows how many threads and blocks it has. */
static bool has_own(const derivation *d, int row)
{
    return mmm_rows[row].own || (d->coarse && mmm_rows[row].first != COUNT_L);
}

/* Of all but the rows with conditions of their own; what is whole is told from the rest. */
static mmm_status find_common(derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    condition common[CONDITIONS];
    int count;
    TRY(make_room(d, v));
    for (int64_t i = 0; i < pool->count; i++)
        v->holds[i] = true;
    for (int row = 0; row < ROWS; row++) {
        if (!mmm_row_found(d->forms, row) || has_own(d, row)) continue;
        TRY(mmm_form_check(&d->forms[mmm_rows[row].first], d, pool, mmm_rows[row].first, v->inside));
        for (int64_t i = 0; i < pool->count; i++)
            v->holds[i] = v->holds[i] && v->inside[i];
    }
    TRY(mmm_derive_conditions(d, pool, v->holds, NULL, common, &count));
    v->whole_count = v->rest_count = 0;
    for (int j = 0; j < count; j++)
        if (common[j].kind == WHOLE || common[j].kind == WHOLE_LOG)
            v->whole[v->whole_count++] = common[j];
        else
            v->rest[v->rest_count++] = common[j];
    for (int64_t i = 0; i < pool->count; i++) {
        v->wide[i] = mmm_derive_wide(d, v, pool->list[i].at);
        v->inside[i] = v->wide[i] && all_hold(d, v->whole, v->whole_count, pool->list[i].at);
    }
done:
    return result;
}

/* Of what must be whole, a row keeps what it needs: all but that without which many points come back, and it holds at
 * each of them. */
static void drop_whole(const derivation *d, const verdicts *v, row_given *g)
{
    enum { MANY = 12 };
    const row_filter filter = {v, g, false};
    for (int j = g->whole_count - 1; j >= 0; j--) {
        const condition dropped = g->whole[j];
        int64_t back = 0, wrong = 0;
        memmove(&g->whole[j], &g->whole[j + 1], (size_t)(--g->whole_count - j) * sizeof *g->whole);
        for (int64_t i = 0; i < d->diverse.count; i++) {
            const int64_t *at = d->diverse.list[i].at;
            if (!is_given(d, &filter, at)) continue;
            back += !mmm_condition_holds(d, &dropped, at);
            wrong += !v->holds[i];
        }
        if (back >= MANY && !wrong) continue;
        memmove(&g->whole[j + 1], &g->whole[j], (size_t)(g->whole_count++ - j) * sizeof *g->whole);
        g->whole[j] = dropped;
    }
}

/* How many values one axis, or two together, have at the points where a row is stated and holds, as far as asked. */
static int values_given(const derivation *d, const verdicts *v, int row, const int axes[2], int most)
{
    enum { MOST = 2 * TERMS + 2 };
    const row_filter filter = {v, &v->rows[row], false};
    const int64_t *seen[MOST];
    int count = 0;
    for (int64_t i = 0; i < d->diverse.count && count < most && count < MOST; i++) {
        const int64_t *at = d->diverse.list[i].at;
        bool old = !v->holds[i] || !is_given(d, &filter, at);
        for (int j = 0; j < count && !old; j++)
            old = seen[j][axes[0]] == at[axes[0]] && seen[j][axes[1]] == at[axes[1]];
        if (!old) seen[count++] = at;
    }
    return count;
}

/* Whether choices, and two together, have more values where a row is stated than its form has functions of them: as
 * many fit anything.  Where choices have few values, as many must do. */
static bool is_various(const derivation *d, const verdicts *v, int row)
{
    const form *f = &d->forms[mmm_rows[row].first];
    for (int i = 0; i < d->real; i++)
        for (int j = i; j < d->real; j++) {
            const int axes[2] = {i, j}, functions = mmm_form_functions(f, i, j);
            const int least = d->few ? functions - 1 : i == j ? functions : 2 * functions;
            if (d->axes[i].size || d->axes[j].size || (i == j && d->axes[i].other) || functions < (i == j ? 2 : 4))
                continue;
            if (values_given(d, v, row, axes, least + 1) <= least) return false;
        }
    return true;
}

static mmm_status find_own(derivation *d, verdicts *v, int row)
{
    mmm_status result = MMM_OK;
    const point_list *pool = &d->diverse;
    const derive_row *r = &mmm_rows[row];
    row_given *g = &v->rows[row];
    bool *rest = NULL;
    int64_t right = 0, kept = 0;
    *g = (row_given){.whole_count = v->whole_count};
    memcpy(g->whole, v->whole, sizeof g->whole);
    TRY(mmm_alloc(&rest, pool->count + 1, sizeof *rest));
    TRY(mmm_form_check(&d->forms[r->first], d, pool, r->first, v->holds));
    if (r->second != COUNTS) TRY(mmm_form_check(&d->forms[r->second], d, pool, r->second, rest));
    for (int64_t i = 0; i < pool->count && r->second != COUNTS; i++)
        v->holds[i] = v->holds[i] && rest[i];
    if (has_own(d, row)) TRY(mmm_derive_conditions(d, pool, v->holds, v->inside, g->own, &g->count));
    if (v->failures[row] < CAREFUL) drop_whole(d, v, g);
    for (int64_t i = 0; i < pool->count; i++) {
        bool in = mmm_derive_given(d, v, g, pool->list[i].at);
        right += v->inside[i] && v->holds[i];
        kept += in && v->inside[i] && v->holds[i];
        if (in && r->second != COUNTS && pool->list[i].low > g->low) g->low = pool->list[i].low;
        g->wrong = g->wrong || (in && !v->holds[i]);
    }
    g->enough = !g->wrong && kept > 0 && 4 * kept >= right && g->count <= 6 && /* what leaves little is no condition */
                is_various(d, v, row);
done:
    mmm_free(rest);
    return result;
}

static mmm_status find_all(derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    TRY(find_common(d, v));
    for (int row = 0; row < ROWS; row++)
        if (mmm_row_found(d->forms, row)) TRY(find_own(d, v, row));
done:
    return result;
}

/* ---- Trial ---------------------------------------------------------------------------------------------------- */

typedef struct trial {
    derivation *d;
    verdicts *v;
    int64_t from;       /* the points from here on are new */
    int more;           /* so many of each kind */
    int given_up[ROWS]; /* rounds in which no conditions were found */
    bool failed;
} trial;

/* Rows that fail at a new point have not enough said of them. */
static mmm_status judge(void *context)
{
    trial *t = context;
    for (int row = 0; row < ROWS; row++) {
        row_given *g = &t->v->rows[row];
        for (int64_t i = t->from; i < t->d->diverse.count && mmm_row_found(t->d->forms, row) && g->enough; i++) {
            const point *p = &t->d->diverse.list[i];
            if (!mmm_derive_given(t->d, t->v, g, p->at)) continue;
            if (p->low > g->low && mmm_rows[row].second != COUNTS) g->low = p->low;
            if (!mmm_row_holds(t->d->forms, p, t->d->axis_count, row)) g->enough = false, t->failed = true;
        }
        t->v->failures[row] += t->failed && !g->enough;
    }
    return MMM_OK;
}

static bool is_given_from(const derivation *d, const void *context, const int64_t *at, int from)
{
    const row_filter *f = context;
    if (from == 0) return is_given(d, context, at);
    return hold_from(d, f->v->rest, f->v->rest_count, at, from) &&
           hold_from(d, f->given->own, f->given->count, at, from) &&
           hold_from(d, f->given->whole, f->given->whole_count, at, from);
}

static bool is_common(const derivation *d, const void *context, const int64_t *at)
{
    const row_filter *f = context;
    return mmm_derive_wide(d, f->v, at) && all_hold(d, f->v->whole, f->v->whole_count, at);
}

static bool same_list(const condition *a, int count, const condition *b, int other)
{
    bool same = count == other;
    for (int i = 0; i < count && same; i++)
        same = a[i].kind == b[i].kind && memcmp(&a[i].of, &b[i].of, sizeof a[i].of) == 0 &&
               a[i].factor == b[i].factor && a[i].shift == b[i].shift && a[i].shifted == b[i].shifted &&
               a[i].by == b[i].by && a[i].bound == b[i].bound;
    return same;
}

/* Whether points were drawn for another row already that are for this one, too. */
static bool is_drawn(const trial *t, int row, const bool *drawn)
{
    const row_given *g = &t->v->rows[row];
    for (int i = 0; i < row; i++) {
        const row_given *other = &t->v->rows[i];
        if (!drawn[i] || other->enough != g->enough) continue;
        if (!g->enough || (same_list(g->own, g->count, other->own, other->count) &&
                           same_list(g->whole, g->whole_count, other->whole, other->whole_count)))
            return true;
    }
    return false;
}

/* Further points that satisfy the conditions of each row, next to those that do; where no conditions were found, points
 * that satisfy those of all, to find some from. */
static mmm_status draw_more(trial *t)
{
    mmm_status result = MMM_OK;
    bool *use = NULL, drawn[ROWS] = {false};
    t->from = t->d->diverse.count;
    t->failed = false;
    /* Of those that come here, three times `more` a row at most, none is drawn from. */
    TRY(mmm_alloc(&use, t->from + ROWS * 3 * t->more + 1, sizeof *use));
    for (int row = 0; row < ROWS; row++) {
        row_filter filter = {t->v, &t->v->rows[row], false};
        derive_filter *wanted = t->v->rows[row].enough ? is_given : is_common;
        if (!t->v->rows[row].enough) t->given_up[row]++;
        if (t->given_up[row] > HOPES) t->v->rows[row].enough = false; /* it is not tried any more */
        if (!mmm_row_found(t->d->forms, row) || t->given_up[row] > HOPES) continue;
        t->failed = t->failed || !t->v->rows[row].enough;
        if (is_drawn(t, row, drawn)) continue;
        drawn[row] = true;
        for (int64_t i = 0; i < t->from; i++)
            use[i] = wanted(t->d, &filter, t->d->diverse.list[i].at);
        for (int edge = 0; edge < 2; edge++) {
            filter.edge = edge;
            TRY(mmm_derive_near(t->d, &t->d->diverse, use, wanted, &filter, t->d->diverse.count + t->more,
                                &t->d->diverse));
        }
        filter.edge = false;
        if (t->v->rows[row].enough)
            TRY(mmm_derive_anywhere(t->d, is_given_from, &filter, t->d->diverse.count + t->more, &t->d->diverse));
    }
    TRY(mmm_guarded(judge, t));
done:
    mmm_free(use);
    return result;
}

/* How many points there are for a row as it is stated, -1 where it fails at one of them. */
static int64_t stands(const derivation *d, const verdicts *v, int row)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->diverse.count; i++) {
        const point *p = &d->diverse.list[i];
        if (!mmm_derive_given(d, v, &v->rows[row], p->at)) continue;
        if (!mmm_row_holds(d->forms, p, d->axis_count, row)) return -1;
        count++;
    }
    return count;
}

/* A row that fails only where some choice is no power of two is stated where it is one. */
static mmm_status judge_odd(void *context)
{
    const trial *t = context;
    const derivation *d = t->d;
    for (int row = 0; row < ROWS; row++) {
        row_given *g = &t->v->rows[row];
        const int before = g->count;
        if (!mmm_row_found(d->forms, row) || !g->enough || stands(d, t->v, row) >= 0) continue;
        g->enough = false;
        for (int axis = d->sizes; axis < d->real && !g->enough && before < CONDITIONS; axis++) {
            if (d->axes[axis].other) continue;
            g->own[before] = (condition){.kind = WHOLE_LOG, .of = no_term, .factor = 1, .shifted = axis};
            g->count = before + 1;
            g->enough = stands(d, t->v, row) >= OFTEN;
        }
    }
    return MMM_OK;
}

/* Choices of the points so far are small, or what a record tries: most are powers of two. */
static mmm_status try_odd(trial *t)
{
    mmm_status result = MMM_OK;
    bool drawn[ROWS] = {false};
    t->d->odd = true;
    for (int row = 0; row < ROWS; row++) {
        const row_filter filter = {t->v, &t->v->rows[row], false};
        if (!mmm_row_found(t->d->forms, row) || !t->v->rows[row].enough || is_drawn(t, row, drawn)) continue;
        drawn[row] = true;
        t->d->until = t->d->spent + odd_time;
        mmm_derive_ranges(t->d, t->v, &t->v->rows[row]);
        TRY(mmm_derive_anywhere(t->d, is_given_from, &filter, t->d->diverse.count + FEW, &t->d->diverse));
    }
    TRY(mmm_guarded(judge_odd, t));
done:
    t->d->odd = false;
    return result;
}

/* Until the conditions have stood some trials in a row; what fails in the last one is not stated. */
mmm_status mmm_derive_try(derivation *d, verdicts *v)
{
    mmm_status result = MMM_OK;
    trial t = {.d = d, .v = v, .more = FEW, .failed = true};
    const double end = d->spent + trial_time;
    for (int round = 0, stood = 0; round < ROUNDS && stood < TRIALS; round++) {
        const bool last = round + 1 == ROUNDS || d->spent > end - reserved_time;
        if (t.failed) TRY(find_all(d, v));
        t.more = stood || last ? MORE : FEW;
        d->until = last ? d->spent + reserved_time : end - reserved_time;
        TRY(draw_more(&t));
        stood = t.failed ? 0 : stood + 1;
        if (last) break;
    }
    for (int row = 0; row < ROWS && d->few; row++) {
        row_given *g = &v->rows[row];
        if (!mmm_row_found(d->forms, row) || !g->enough) continue;
        if (d->coarse) g->whole_count = v->whole_count, memcpy(g->whole, v->whole, sizeof g->whole); /* few tell it */
        mmm_derive_bound(d, v, row);
    }
    if (d->coarse) TRY(mmm_derive_enlarge(d, v));
    TRY(try_odd(&t));
    TRY(make_room(d, v));
    for (int64_t i = 0; i < d->diverse.count; i++)
        v->wide[i] = mmm_derive_wide(d, v, d->diverse.list[i].at);
done:
    return result;
}
