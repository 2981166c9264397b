/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations there are: listed, pruned before anything is compiled, and ranked by prediction. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 64 };

static const mmm_app_parameter *parameter_of(const mmm_job *job, const char *name)
{
    for (const mmm_app_parameter *p = job->type->app.parameters; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}

static void store(mmm_job *job, const char *name, int64_t value)
{
    const mmm_app_parameter *p = parameter_of(job, name);
    if (p) job->values[p - job->type->app.parameters] = value;
}

mmm_status mmm_candidate_apply(mmm_job *job, const mmm_candidate *candidate)
{
    store(job, "s", candidate->s);
    store(job, "l", candidate->l);
    return mmm_job_prepare(job);
}

/* Values of a parameter: the one that was set; all of a short range; else powers of two, and, where s alone is tuned,
 * what lies between them. */
static int values_of(const mmm_job *job, const char *name, bool between, int64_t *values)
{
    const mmm_app_parameter *p = parameter_of(job, name);
    int count = 0;
    if (!p || mmm_job_is_set(job, name)) {
        values[0] = mmm_job_get(job, name);
        return 1;
    }
    if (p->most <= 16) {
        for (int64_t v = p->least; v <= p->most; v++)
            values[count++] = v;
        return count;
    }
    bool threads = strcmp(name, "l") == 0;
    for (int64_t v = threads ? 16 : p->least; v <= p->most && v <= (threads ? 4096 : p->most); v *= 2) {
        values[count++] = v;
        if (between && v >= 8 && v + v / 2 <= p->most) values[count++] = v + v / 2;
    }
    return count;
}

/* The reason why a configuration needs no compilation to be ruled out; the job has it, but no program. */
static bool is_useless(const mmm_job *job, const mmm_candidate *c, int64_t smaller_s, char *reason, size_t size)
{
    int64_t most_s = job->type->most_s ? job->type->most_s(job) : INT64_MAX;
    int64_t most_l = job->type->most_l ? job->type->most_l(job) : INT64_MAX;
    if (most_s < 1) most_s = 1;
    if (most_l < 1) most_l = 1;
    if (!mmm_job_is_set(job, "s") && smaller_s >= most_s) {
        snprintf(reason, size, "s=%lld passes the %lld there are, which s=%lld covers", (long long)c->s,
                 (long long)most_s, (long long)smaller_s);
        return true;
    }
    int64_t passes = parameter_of(job, "c") ? mmm_job_get(job, "c") : 0;
    if (passes && smaller_s > 0 && !mmm_job_is_set(job, "s") &&
        (passes + c->s - 1) / c->s == (passes + smaller_s - 1) / smaller_s) {
        snprintf(reason, size, "s=%lld divides %lld bits into as many passes as s=%lld", (long long)c->s,
                 (long long)passes, (long long)smaller_s);
        return true;
    }
    if (!mmm_job_is_set(job, "l") && c->l > 16 && c->l / 2 >= most_l) {
        snprintf(reason, size, "l=%lld: a block of %lld threads covers all there is", (long long)c->l,
                 (long long)c->l / 2);
        return true;
    }
    return false;
}

/* The reason why the machine cannot run the program. */
static bool is_too_large(const mmm_program *program, const mmm_parameters *machine, char *reason, size_t size)
{
    int64_t words = machine->Z * 32 / program->word_bits;
    for (int64_t k = 0; k < program->kernels; k++) {
        const mmm_node *node = &program->nodes[k];
        if (machine->threads && node->threads > machine->threads) {
            snprintf(reason, size, "kernel '%s' has %lld threads a block: the machine takes %lld", node->name,
                     (long long)node->threads, (long long)machine->threads);
            return true;
        }
        if (node->local_words > words) {
            snprintf(reason, size, "kernel '%s' needs %lld words of local memory a block: the machine has %lld",
                     node->name, (long long)node->local_words, (long long)words);
            return true;
        }
    }
    return false;
}

static mmm_status examine(mmm_job *job, const mmm_parameters *machine, int64_t smaller_s, mmm_candidate *c)
{
    mmm_status result = MMM_OK;
    store(job, "s", c->s);
    store(job, "l", c->l);
    c->invalidity = MMM_INVALIDITY_CONSTRAINTS;
    if (is_useless(job, c, smaller_s, c->reason, sizeof c->reason)) return MMM_OK;
    mmm_status status = mmm_job_prepare(job);
    if (status == MMM_TOO_LARGE || status == MMM_INVALID) {
        snprintf(c->reason, sizeof c->reason, "%.199s", mmm_message());
        return MMM_OK;
    }
    TRY(status);
    if (is_too_large(job->program, machine, c->reason, sizeof c->reason)) return MMM_OK;
    TRY(mmm_predict(job, machine, &c->prediction));
    TRY(mmm_program_measures(job->program, machine, &c->measures));
    c->invalidity = MMM_INVALIDITY_CORRECT;
done:
    return result;
}

static int compare(const void *x, const void *y)
{
    const mmm_candidate *a = x, *b = y;
    bool valid_a = !a->reason[0], valid_b = !b->reason[0];
    if (valid_a != valid_b) return valid_a ? -1 : 1;
    double p = a->prediction.estimate, q = b->prediction.estimate;
    if (p != q) return p < q ? -1 : 1;
    if (a->s != b->s) return a->s < b->s ? -1 : 1;
    return (a->l > b->l) - (a->l < b->l);
}

mmm_status mmm_candidates_new(mmm_job *job, const mmm_parameters *machine, mmm_candidate **out, int *count)
{
    mmm_status result = MMM_OK;
    int64_t s[VALUES_MOST], l[VALUES_MOST];
    mmm_candidate *all = NULL;
    int kept = 0;
    bool only_s = !parameter_of(job, "l");
    int s_count = values_of(job, "s", only_s, s), l_count = values_of(job, "l", false, l);
    TRY(mmm_alloc(&all, s_count * l_count, sizeof *all));
    for (int i = 0; i < s_count; i++)
        for (int j = 0; j < l_count; j++) {
            mmm_candidate *c = &all[kept++];
            c->s = s[i];
            c->l = l[j];
            TRY(examine(job, machine, i ? s[i - 1] : 0, c));
        }
    qsort(all, (size_t)kept, sizeof *all, compare);
    *out = all;
    *count = kept;
    all = NULL;
done:
    free(all);
    return result;
}
