/* SPDX-License-Identifier: Apache-2.0 */
/* What several models of many-core machines say of one counted program (docs/models.md), in local operations. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, WORDS_OF_SECTOR = 8, THREADS_USUAL = 1024 };

/* A machine as these models have it. */
typedef struct machine {
    const mmm_parameters *parameters;
    double P, lanes, latency; /* SMs; threads that one runs at once; of global memory */
} machine;

/* A kernel with all that is known of it. */
typedef struct kernel {
    const mmm_kernel_info *info;
    const mmm_traffic *traffic;
} kernel;

/* Of a kernel: what takes turns on the machine, and what nobody can wait less than. */
typedef struct share {
    double turns, wait;
} share;

typedef share cost_of(const kernel *k, const machine *m);

/* Blocks that a SM holds at once. */
static double held(const kernel *k, const machine *m)
{
    double threads = (double)k->info->threads, room = m->parameters->threads ? (double)m->parameters->threads : 0;
    double most = 2 * (room > 0 ? room : THREADS_USUAL) / threads, given = ceil((double)k->info->blocks / m->P);
    if (k->info->local_words) most = fmin(most, (double)m->parameters->Z / (double)k->info->local_words);
    return fmin(fmax(1, floor(most)), given);
}

/* Threads that a SM holds at once, over those that it runs at once: by how many the latency is hidden. */
static double hidden_by(const kernel *k, const machine *m)
{
    return fmax(1, held(k, m) * (double)k->info->threads / m->lanes);
}

/* Work and span have accesses of local memory in them; a line is one access of global memory, whoever shares it. */
static share tmm(const kernel *k, const machine *m)
{
    double work = (double)k->info->work + (double)k->traffic->local_requests * WIDTH;
    double span = (double)k->info->span + (double)k->traffic->local_most;
    double memory = (double)k->traffic->lines * m->latency / hidden_by(k, m);
    return (share){0, fmax(fmax(work, memory) / (m->P * m->lanes), span)};
}

static share dmm(const kernel *k, const machine *m)
{
    (void)m;
    return (share){(double)k->traffic->passes, (double)(k->traffic->local_most + k->info->span)};
}

static share umm(const kernel *k, const machine *m)
{
    return (share){(double)k->traffic->lines, m->latency * (double)k->traffic->words_most + (double)k->info->span};
}

static share hmm(const kernel *k, const machine *m)
{
    const mmm_traffic *t = k->traffic;
    return (share){(double)t->lines + (double)(t->passes + t->issued) / m->P,
                   m->latency * (double)t->words_most + (double)(t->local_most + k->info->span)};
}

static share roofline(const kernel *k, const machine *m)
{
    double lanes = m->P * m->lanes, words = (double)k->traffic->sectors * WORDS_OF_SECTOR;
    return (share){fmax((double)k->info->work, words * m->latency) / lanes, 0};
}

static share pram(const kernel *k, const machine *m)
{
    return (share){(double)k->info->work / (m->P * m->lanes), (double)k->info->span};
}

/* Groups whose requests memory serves at once (MWP), and groups that compute while one waits (CWP): which of them is
 * the larger says what is waited for.  `n` groups on a SM, each with so many cycles of memory and of operations. */
static share hong_kim(const kernel *k, const machine *m)
{
    const double blocks = (double)k->info->blocks, held_at_once = held(k, m);
    const double of_block = ceil((double)k->info->threads / WIDTH), groups = fmax(blocks * of_block, 1);
    const double n = held_at_once * of_block, issue = fmax(WIDTH / m->lanes, 1e-9);
    const double requests = (double)k->traffic->requests / groups;
    const double computing = fmax((double)k->traffic->issued / groups + requests, 1) * issue;
    const double rounds = ceil(blocks / (held_at_once * fmin(m->P, blocks)));
    if (!(requests > 0)) return (share){0, computing * n * rounds};
    const double each = (double)k->traffic->sectors / (double)k->traffic->requests; /* sectors of a request */
    const double departure = each * WORDS_OF_SECTOR * m->parameters->U / m->lanes;  /* the memory's share of a SM */
    const double latency = fmax(m->latency, departure), waiting = latency * requests;
    const double mwp = fmax(fmin(latency / departure, n), 1), cwp = fmin((waiting + computing) / computing, n);
    const double between = computing / requests * (mwp - 1);
    if (mwp >= n && cwp >= n) return (share){0, (waiting + computing + between) * rounds};
    if (cwp >= mwp || computing > waiting) return (share){0, (waiting * n / mwp + between) * rounds};
    return (share){0, (latency + computing * n) * rounds};
}

static double mmm_plain(const mmm_trial *t, const machine *m)
{
    return mmm_theorem1(&t->analysis->shape, &t->analysis->measures, (int64_t)m->P);
}

/* In seconds, so there must be some of an operation. */
static double in_operations(double seconds, const machine *m)
{
    return seconds > 0 && m->parameters->operation > 0 ? seconds / m->parameters->operation : NAN;
}

static double mmm_extended(const mmm_trial *t, const machine *m)
{
    return in_operations(t->predicted.extended, m);
}

static double mmm_estimated(const mmm_trial *t, const machine *m)
{
    return in_operations(t->predicted.estimate, m);
}

/* A line a model: of kernels, or of the whole. */
static const struct row {
    mmm_model model;
    cost_of *kernel;
    double (*whole)(const mmm_trial *t, const machine *m);
} rows[] = {
    {{"MMM", "(N/P + L) C", "Haque, Moreno Maza, Xie: Theorem 1"}, .whole = mmm_plain},
    {{"extended", "bound with launches, barriers and lanes", "docs/model.md"}, .whole = mmm_extended},
    {{"estimate", "what is expected, by rates of the machine", "docs/model.md"}, .whole = mmm_estimated},
    {{"TMM", "path of max((W + 32 local requests)/(P q), S + local, lines U/(T P q))", "Ma, Agrawal, Chamberlain 2014"},
     .kernel = tmm},
    {{"UMM", "sum of lines + path of U words + S", "Nakano 2012"}, .kernel = umm},
    {{"HMM", "sum of lines + (passes + issued)/P + path of U words + local + S", "Nakano 2013"}, .kernel = hmm},
    {{"DMM", "sum of passes + path of local + S", "Nakano 2012"}, .kernel = dmm},
    {{"roofline", "sum of max(W, 8 sectors U)/(P q)", "Williams, Waterman, Patterson 2009"}, .kernel = roofline},
    {{"Hong-Kim", "path of waits or operations, by MWP and CWP", "Hong, Kim 2009"}, .kernel = hong_kim},
    {{"PRAM", "W/(P q) + S", "Brent 1974"}, .kernel = pram},
};

enum { MODELS = sizeof rows / sizeof *rows };

const mmm_model *mmm_model_at(int number)
{
    return number >= 0 && number < MODELS ? &rows[number].model : NULL;
}

/* The latency of global memory, in operations: U stands for it where nothing more is known. */
static double latency_of(const mmm_parameters *p)
{
    return mmm_has_gpu(p) && p->operation > 0 ? p->gpu[MMM_GPU_GLOBAL] * 1e-9 / p->operation : p->U;
}

/* Turns add up; waits add up along a path.  What each kernel does is in the program, or `given`. */
static mmm_status by_kernels(int number, const mmm_program *program, const mmm_traffic *given,
                             const mmm_kernel_info *infos, const mmm_parameters *parameters, int64_t P, double *out)
{
    mmm_status result = MMM_OK;
    const machine m = {parameters, (double)P, parameters->lanes ? (double)parameters->lanes : WIDTH,
                       rows[number].kernel == hong_kim ? latency_of(parameters) : parameters->U};
    const mmm_order *order;
    double *before = NULL, sum = 0, path = 0;
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&before, program->kernels, sizeof *before));
    for (int i = 0; i < order->kernels; i++) {
        int k = order->sequence[i];
        mmm_kernel_info info;
        mmm_traffic traffic;
        if (given) {
            info = infos[k];
            traffic = given[k];
        } else {
            TRY(mmm_program_kernel(program, k, &info));
            TRY(mmm_program_traffic(program, k, &traffic));
        }
        share x = rows[number].kernel(&(kernel){&info, &traffic}, &m);
        double end = before[k] + x.wait;
        sum += x.turns;
        path = fmax(path, end);
        for (int j = order->first[k]; j < order->first[k + 1]; j++)
            before[order->to[j]] = fmax(before[order->to[j]], end);
    }
    *out = sum + path;
done:
    free(before);
    return result;
}

mmm_status mmm_model_of_program(int number, const mmm_program *program, const mmm_parameters *parameters, int64_t P,
                                double *out)
{
    return by_kernels(number, program, NULL, NULL, parameters, P, out);
}

int mmm_model_number(const char *name)
{
    int i = 0;
    while (i < MODELS && strcmp(rows[i].model.name, name) != 0)
        i++;
    return i < MODELS ? i : -1;
}

/* The profiles of a job have all that these two ask for. */
mmm_status mmm_model_sampled(mmm_job *job, const mmm_parameters *parameters, double *roof, double *groups)
{
    mmm_status result = MMM_OK;
    mmm_parameters heard = *parameters;
    mmm_profiles profiles = {0};
    mmm_kernel_info *infos = NULL;
    mmm_traffic *traffic = NULL;
    const int64_t P = parameters->P ? parameters->P : 1;
    if (!mmm_has_gpu(parameters)) /* groups are heard of where there are constants, whatever they are */
        for (int i = 0; i < MMM_GPU_CONSTANTS; i++)
            heard.gpu[i] = mmm_gpu_records[i].usual;
    TRY(mmm_profile_job(job, &heard, MMM_PROFILE_BUDGET_GPU, &profiles));
    TRY(mmm_alloc(&infos, profiles.kernels, sizeof *infos));
    TRY(mmm_alloc(&traffic, profiles.kernels, sizeof *traffic));
    for (int64_t k = 0; k < profiles.kernels; k++) {
        const mmm_node *node = &job->program->nodes[k];
        infos[k] =
            (mmm_kernel_info){.blocks = node->blocks, .threads = node->threads, .local_words = node->local_words};
        int64_t count;
        const mmm_profile *all = mmm_profiles_of(&profiles, k, &count);
        for (const mmm_profile *p = all; p < all + count; p++) {
            infos[k].work += p->cost.blocks * p->cost.work;
            traffic[k].issued += p->cost.blocks * p->issued;
            traffic[k].requests += p->cost.blocks * p->requests;
            traffic[k].sectors += p->cost.blocks * p->sectors;
        }
    }
    TRY(by_kernels(mmm_model_number("roofline"), job->program, traffic, infos, parameters, P, roof));
    TRY(by_kernels(mmm_model_number("Hong-Kim"), job->program, traffic, infos, parameters, P, groups));
done:
    free(infos);
    free(traffic);
    mmm_profiles_free(&profiles);
    return result;
}

mmm_status mmm_model_cost(int number, const mmm_trial *trial, const mmm_parameters *parameters, int64_t P, double *out)
{
    NEED(trial, "the trial");
    NEED(out, "the place for a cost");
    MMM_TRY(mmm_parameters_check(parameters));
    if (number < 0 || number >= MODELS)
        return mmm_fail(MMM_INVALID, "there is no model %d: they are numbered from 0 to %d", number, MODELS - 1);
    if (!trial->analysis || !trial->job) return mmm_fail(MMM_INVALID, "the trial was not counted");
    if (P < 1) return mmm_fail(MMM_INVALID, "%lld SMs: at least 1 is needed", (long long)P);
    if (rows[number].kernel) return mmm_model_of_program(number, mmm_job_program(trial->job), parameters, P, out);
    *out = rows[number].whole(trial, &(const machine){.parameters = parameters, .P = (double)P});
    return MMM_OK;
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Kendall's tau-b: pairs in the same order less pairs in the other, over what they could be, ties left out. */
double mmm_rank_correlation(const double *x, const double *y, int count)
{
    int64_t same = 0, of_x = 0, of_y = 0;
    for (int i = 0; x && y && i < count; i++)
        for (int j = 0; j < i; j++) {
            if (!isfinite(x[i]) || !isfinite(x[j]) || !isfinite(y[i]) || !isfinite(y[j])) continue;
            int a = sign(x[i] - x[j]), b = sign(y[i] - y[j]);
            same += a * b;
            of_x += a != 0;
            of_y += b != 0;
        }
    return of_x && of_y ? (double)same / sqrt((double)of_x * (double)of_y) : NAN;
}
