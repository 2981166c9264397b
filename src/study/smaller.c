/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller jobs that stand for a large one: what its blocks cost is known from less data, where that does not depend on
 * how much there is. */
#include "study/study.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 18, MANY = 1 << 20, LEAST = 64, CLASSES_MOST = 64 };
enum { BLOCKS = 3 };                  /* of a class that are few */
enum { STAYS = 64 };                  /* a size that is no larger stays: steps, rows, problems */
static const double tolerance = 0.04; /* of sums from smaller jobs, one of which is a quarter larger */

static double largest_size(const mmm_job *job)
{
    double largest = 1;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++)
        if (job->app->parameters[i].role == MMM_SIZE) largest = fmax(largest, (double)job->values[i]);
    return largest;
}

mmm_status mmm_job_smaller(const mmm_job *job, double most, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    double scale = fmin(1, most / largest_size(job));
    TRY(mmm_job_of(job->app, &small));
    small->sketch = true;
    for (int i = 0; i < MMM_PARAMETERS_MOST && job->app->parameters[i].name; i++) {
        const mmm_parameter *p = &job->app->parameters[i];
        int64_t x = job->values[i];
        if (p->role == MMM_SIZE && x > STAYS)
            x = (int64_t)fmax(fmax(STAYS, (double)p->least), floor(scale * (double)x));
        mmm_job_choose(small, i, x);
    }
    TRY(mmm_job_plan(small));
    *out = small;
    small = NULL;
done:
    mmm_job_free(small);
    return result;
}

/* Elements of all arrays. */
static double elements(const mmm_program *program)
{
    double sum = 0;
    for (int64_t i = 0; i < program->array_count; i++)
        sum += (double)program->arrays[i].count;
    return sum;
}

/* Kernels of the large program that differ only in arguments that are not compiled in, and those like them in a
 * smaller one. */
typedef struct class
{
    const mmm_node *node;
    int64_t members, seen, blocks; /* blocks: the most that one has */
    int64_t small_count, small_room;
    int *small; /* their numbers there */
} class;

typedef struct stand_in {
    const mmm_program *program;
    unsigned char *of; /* the class of each kernel */
    class classes[CLASSES_MOST];
    int class_count;
    mmm_job *job; /* the smaller one */
    mmm_profiles profiles;
} stand_in;

static mmm_status sort_out(stand_in *x, bool *possible)
{
    mmm_status result = MMM_OK;
    *possible = true;
    TRY(mmm_alloc(&x->of, x->program->kernels, 1));
    for (int64_t k = 0; k < x->program->kernels; k++) {
        const mmm_node *node = &x->program->nodes[k];
        int c = 0;
        if (!node->code) *possible = false;
        while (*possible && c < x->class_count && !mmm_nodes_alike(x->classes[c].node, node))
            c++;
        if (c == CLASSES_MOST) *possible = false;
        if (!*possible) return MMM_OK;
        if (c == x->class_count) x->classes[x->class_count++].node = node;
        x->of[k] = (unsigned char)c;
        x->classes[c].members++;
        if (node->blocks > x->classes[c].blocks) x->classes[c].blocks = node->blocks;
    }
done:
    return result;
}

/* Takes a smaller job; *whole says whether all classes are in it, with blocks that are full: a few of them at least. */
static mmm_status take(stand_in *x, mmm_job *small, bool *whole)
{
    mmm_status result = MMM_OK;
    mmm_profiles_free(&x->profiles);
    mmm_job_free(x->job);
    x->job = small;
    *whole = true;
    for (int c = 0; c < x->class_count; c++) {
        class *own = &x->classes[c];
        int64_t blocks = 0;
        own->small_count = own->seen = 0;
        for (int64_t k = 0; k < small->program->kernels; k++) {
            if (!mmm_nodes_alike(own->node, &small->program->nodes[k])) continue;
            TRY(mmm_grow(&own->small, &own->small_room, own->small_count + 1, sizeof *own->small));
            own->small[own->small_count++] = (int)k;
            if (small->program->nodes[k].blocks > blocks) blocks = small->program->nodes[k].blocks;
        }
        *whole &= own->small_count > 0 && (blocks >= BLOCKS || blocks >= own->blocks);
    }
done:
    return result;
}

/* The smallest job that is large enough to have all kernels; false where none is that is much smaller. */
static mmm_status shrink(stand_in *x, const mmm_job *job, double *size, bool *found)
{
    mmm_status result = MMM_OK;
    mmm_job *small = NULL;
    double largest = largest_size(job), most = largest;
    *found = false;
    for (double count = elements(job->program) / 4; count > FEW && most / 2 > LEAST; count /= 4)
        most /= 2; /* which would be too large if there were elements for each pair */
    do {           /* as small as can be */
        most /= 2;
        mmm_job_free(small);
        small = NULL;
        mmm_status status = mmm_job_smaller(job, most, &small);
        if (status == MMM_INVALID || status == MMM_TOO_LARGE) return MMM_OK;
        TRY(status);
    } while (most > LEAST && elements(small->program) > FEW);
    while (most <= largest / 4) {
        if (!small) TRY(mmm_job_smaller(job, most, &small));
        mmm_job *taken = small;
        small = NULL;
        TRY(take(x, taken, found));
        if (*found) break;
        most *= 2;
    }
    *size = most;
done:
    mmm_job_free(small);
    return result;
}

/* Each kernel has the groups of one like it, at the same place of its class, for its own number of blocks. */
static mmm_status copy(stand_in *x, mmm_profiles *out)
{
    mmm_status result = MMM_OK;
    out->kernels = x->program->kernels;
    TRY(mmm_alloc(&out->first, out->kernels + 1, sizeof *out->first));
    for (int64_t k = 0; k < out->kernels; k++) {
        class *c = &x->classes[x->of[k]];
        double place = c->members > 1 ? (double)c->seen++ / (double)(c->members - 1) : 0.5;
        int like = c->small[(int64_t)(place * (double)(c->small_count - 1) + 0.5)];
        int64_t first = x->profiles.first[like], count = x->profiles.first[like + 1] - first;
        out->first[k] = out->group_count;
        TRY(mmm_profiles_copy(&x->profiles, first, count, &x->program->nodes[k], out));
    }
    out->first[out->kernels] = out->group_count;
done:
    return result;
}

/* Whether two predictions of the same kernels have the same sums, nearly. */
static bool agree(const mmm_profiles *x, const mmm_profiles *y)
{
    /* a profile is a row of integers, the first the blocks; how its lines lie depends on the size */
    enum { FIELDS = offsetof(mmm_profile, lines) / sizeof(int64_t) };
    double sums[2][FIELDS] = {{0}};
    const mmm_profiles *both[2] = {x, y};
    for (int i = 0; i < 2; i++)
        for (int64_t g = 0; g < both[i]->group_count; g++)
            for (int j = 1; j < FIELDS; j++)
                sums[i][j] += (double)both[i]->groups[g].cost.blocks * (double)((int64_t *)&both[i]->groups[g])[j];
    for (int j = 1; j < FIELDS; j++)
        if (fabs(sums[0][j] - sums[1][j]) > tolerance * fmax(sums[0][j], sums[1][j])) return false;
    return true;
}

mmm_status mmm_profile_smaller(const mmm_job *job, const mmm_parameters *machine, int64_t budget, mmm_profiles *out,
                               bool *found)
{
    mmm_status result = MMM_OK;
    mmm_job *other = NULL;
    mmm_profiles first = {0};
    double size = 0;
    stand_in *x = NULL;
    *found = false;
    if (elements(job->program) <= MANY) return MMM_OK;
    TRY(mmm_alloc(&x, 1, sizeof *x));
    x->program = job->program;
    TRY(sort_out(x, found));
    if (*found) TRY(shrink(x, job, &size, found));
    if (!*found) goto done;
    TRY(mmm_profile_counted(x->job, machine, budget, &x->profiles));
    TRY(copy(x, &first));
    /* Once more with more data: where blocks cost more then, this is no way to tell. */
    mmm_status status = mmm_job_smaller(job, 1.25 * size, &other);
    *found = status == MMM_OK;
    if (status == MMM_INVALID || status == MMM_TOO_LARGE) goto done;
    TRY(status);
    mmm_job *taken = other;
    other = NULL;
    TRY(take(x, taken, found));
    if (!*found) goto done;
    TRY(mmm_profile_counted(x->job, machine, budget, &x->profiles));
    TRY(copy(x, out));
    *found = agree(&first, out);
    if (!*found) mmm_profiles_free(out);
done:
    for (int c = 0; x && c < x->class_count; c++)
        free(x->classes[c].small);
    if (x) {
        mmm_profiles_free(&x->profiles);
        mmm_job_free(x->job);
        free(x->of);
    }
    mmm_profiles_free(&first);
    mmm_job_free(other);
    free(x);
    if (result != MMM_OK) mmm_profiles_free(out);
    return result;
}
