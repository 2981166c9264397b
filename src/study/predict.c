/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction: from measures and a calibrated machine to a time (section 2.4 and docs/model.md). */
#include "study/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mmm_rates mmm_rates_of(const mmm_parameters *machine, const char *app)
{
    for (int i = 0; i < MMM_RATES_MOST && machine->rates[i].app[0]; i++)
        if (strcmp(machine->rates[i].app, app) == 0) return machine->rates[i];
    double operation = machine->operation;
    return (mmm_rates){.launch = machine->launch * operation,
                       .barrier = machine->barrier * operation,
                       .operation = operation,
                       .word = machine->U * operation};
}

/* Profiles, and room for the costs of one kernel. */
typedef struct counted {
    const mmm_profiles *profiles;
    mmm_cost *costs;
} counted;

static mmm_cost_list costs_of(void *context, int64_t kernel)
{
    const counted *x = context;
    int64_t count;
    const mmm_profile *groups = mmm_profiles_of(x->profiles, kernel, &count);
    for (int64_t g = 0; g < count; g++)
        x->costs[g] = groups[g].cost;
    return (mmm_cost_list){x->costs, (int)count};
}

/* The measures of the program with the costs that were counted or sampled; its own stay as they are. */
static mmm_status measure(const mmm_program *program, const mmm_profiles *profiles, const mmm_parameters *machine,
                          mmm_measures *out)
{
    mmm_status result = MMM_OK;
    counted x = {.profiles = profiles};
    TRY(mmm_alloc(&x.costs, profiles->group_count, sizeof *x.costs));
    TRY(mmm_measures_of(program, costs_of, &x, machine, out));
done:
    free(x.costs);
    return result;
}

/* A kernel by the machine's constants and its factors; what limits it is added to `limits`. */
static mmm_kernel_time core_kernel(const mmm_job *job, int64_t kernel, const mmm_profile *groups, int64_t count,
                                   const mmm_parameters *machine, double first_line, double limits[MMM_LIMITS])
{
    mmm_kernel_time time = {.launch = machine->constants[MMM_CONSTANT_STEP]};
    const mmm_node *node = &job->program->nodes[kernel];
    const mmm_factors *factors = node->code ? mmm_factors_of(machine, job->app->name, node->code->name) : NULL;
    double feature[MMM_FEATURES_MOST];
    mmm_features_of(node, job->program->word_bits, feature);
    for (int64_t g = 0; g < count; g++) {
        double block[MMM_LIMITS];
        mmm_block_limits(job->program, node, &groups[g], first_line, machine->constants, block);
        const double seconds = mmm_factors_apply(factors, feature, block), blocks = (double)groups[g].cost.blocks;
        for (int i = 0; i < MMM_LIMITS; i++)
            limits[i] += blocks * block[i];
        time.blocks += blocks * seconds;
        time.longest = fmax(time.longest, seconds);
    }
    time.share = machine->P ? time.blocks / (double)machine->P : 0;
    time.alone = fmax(time.share, time.longest);
    return time;
}

/* What was learned of a kernel on a GPU: a factor of each limit of its blocks; NULL: nothing. */
static const double *gpu_factors(const mmm_job *job, const mmm_node *node, const mmm_parameters *machine,
                                 double limits[MMM_LIMITS])
{
    double feature[MMM_FEATURES_MOST];
    const int features = mmm_features_of(node, job->program->word_bits, feature);
    const mmm_factors *factors =
        node->code ? mmm_gpu_factors_of(machine, job->app->name, node->code->name, features) : NULL;
    if (!factors) return NULL;
    for (int i = 0; i < MMM_LIMITS; i++)
        limits[i] = 1;
    mmm_factors_apply(factors, feature, limits);
    return limits;
}

/* Steps of the DAG one after the other: on one core, until others help, and from then on by all of them, who meet after
 * each that they share, unless it goes on share by share; what is quicker on one core stays there. */
static mmm_status on_cores(const mmm_program *program, const mmm_kernel_time *times, const mmm_parameters *machine,
                           double *out)
{
    typedef struct step {
        double sum, longest;
        bool meets;
    } step;
    mmm_status result = MMM_OK;
    const mmm_order *order;
    step *steps = NULL;
    double alone = 0, together = 0;
    const int64_t cores = machine->P > 1 ? machine->P : 1;
    const double *c = machine->constants, helper = c[MMM_CONSTANT_HELPER];
    TRY(mmm_program_order(program, &order));
    TRY(mmm_alloc(&steps, program->kernels, sizeof *steps));
    for (int k = 0; k < order->kernels; k++) {
        step *x = &steps[order->level[k]];
        x->sum += times[k].blocks;
        x->meets |= program->nodes[k].blocks > 1 && program->nodes[k].shares < cores;
        x->longest = fmax(x->longest, times[k].longest);
    }
    for (int i = 0; i < order->kernels && steps[i].sum > 0; i++) {
        alone += times[0].launch + steps[i].sum;
        together += times[0].launch + fmax(steps[i].sum / (double)cores, steps[i].longest) +
                    (steps[i].meets ? c[MMM_CONSTANT_MEET] : 0);
    }
    *out = cores == 1 || alone <= helper ? alone : fmin(alone, helper + (alone - helper) / alone * together);
done:
    free(steps);
    return result;
}

double mmm_working_set(const mmm_program *program, const mmm_node *node)
{
    double bytes = 0;
    for (int i = 0; node->code && i < node->code->parameter_count; i++) {
        bool again = node->code->parameters[i].kind != MMM_PARAMETER_ARRAY;
        for (int k = 0; k < i && !again; k++)
            again = node->code->parameters[k].kind == MMM_PARAMETER_ARRAY &&
                    node->arguments[k].number == node->arguments[i].number;
        if (again) continue;
        bytes += (double)mmm_global_bytes(program, &program->arrays[node->arguments[i].number]);
    }
    return bytes;
}

/* Kernel k by rates, or, where these are NULL, by the constants of a core or of a GPU; `lies` is what a line takes that
 * it touches for the first time, and on a GPU the bytes that it works on. */
static mmm_kernel_time kernel_time(const mmm_job *job, int64_t k, const mmm_profiles *profiles,
                                   const mmm_parameters *machine, const mmm_rates *rates, double lies,
                                   double limits[MMM_LIMITS])
{
    const mmm_node *node = &job->program->nodes[k];
    int64_t count;
    const mmm_profile *groups = mmm_profiles_of(profiles, k, &count);
    memset(limits, 0, MMM_LIMITS * sizeof *limits);
    if (rates) return mmm_extended_kernel(node, groups, count, machine, rates);
    if (mmm_has_core(machine)) return core_kernel(job, k, groups, count, machine, lies, limits);
    double factors[MMM_LIMITS];
    const mmm_kernel_time time = mmm_gpu_kernel(job->program->word_bits, node, groups, count, lies,
                                                gpu_factors(job, node, machine, factors), machine);
    memcpy(limits, time.limits, sizeof time.limits);
    limits[MMM_LIMIT_START] += time.launch;
    return time;
}

/* The times of all kernels; those that share their groups, and have as many blocks and arrays that lie alike, take the
 * same. */
static mmm_status estimate_kernels(const mmm_job *job, const mmm_profiles *profiles, const mmm_parameters *machine,
                                   const mmm_rates *rates, mmm_kernel_time *times, mmm_share_of *shares)
{
    typedef struct known {
        int64_t kernel; /* 1 more than its number */
        int64_t blocks;
        double lies, limits[MMM_LIMITS];
    } known;
    mmm_status result = MMM_OK;
    known *list = NULL, none;
    double *first_lines = NULL;
    const bool core = !rates && mmm_has_core(machine);
    TRY(mmm_alloc(&list, profiles->group_count, sizeof *list));
    if (core) TRY(mmm_alloc(&first_lines, profiles->kernels, sizeof *first_lines));
    if (core) TRY(mmm_first_lines(job->program, profiles, machine->constants, first_lines));
    for (int64_t k = 0; k < profiles->kernels; k++) {
        const int64_t blocks = job->program->nodes[k].blocks;
        const double lies = core ? first_lines[k] : mmm_working_set(job->program, &job->program->nodes[k]);
        known *x = profiles->first[k] < profiles->end[k] ? &list[profiles->first[k]] : &none;
        if (x != &none && x->kernel && x->blocks == blocks && x->lies == lies) {
            times[k] = times[x->kernel - 1];
        } else {
            times[k] = kernel_time(job, k, profiles, machine, rates, lies, x->limits);
            x->kernel = k + 1;
            x->blocks = blocks;
            x->lies = lies;
        }
        if (shares) memcpy(shares[k].limits, x->limits, sizeof x->limits);
    }
done:
    free(first_lines);
    free(list);
    return result;
}

/* A program's estimate by the constants of a GPU; and, where limits are wanted, its derivatives by them, from those of
 * its kernels: by differences, for of several paths the heaviest counts. */
static mmm_status on_gpu(const mmm_program *program, mmm_kernel_time *times, const mmm_parameters *machine,
                         bool limited, mmm_prediction *out)
{
    static const double step = 0x1p-7;
    mmm_status result = MMM_OK;
    mmm_kernel_time *faster = NULL;
    double unused, other;
    TRY(mmm_extended_program(program, times, machine->P, &unused, &out->estimate));
    if (limited) TRY(mmm_alloc(&faster, program->kernels, sizeof *faster));
    for (int i = 0; limited && i < MMM_LIMITS; i++) {
        for (int64_t k = 0; k < program->kernels; k++) {
            const double less = times[k].alone > 0 ? step * times[k].limits[i] / times[k].alone : 0;
            faster[k] = times[k];
            faster[k].alone *= 1 - less;
            faster[k].share *= 1 - less;
            if (i == MMM_LIMIT_START) faster[k].launch *= 1 - step;
        }
        TRY(mmm_extended_program(program, faster, machine->P, &unused, &other));
        out->limits[i] = fmax((out->estimate - other) / step, 0);
    }
    const double graph = machine->gpu[MMM_GPU_GRAPH] * 1e-9;
    out->estimate += graph;
    out->limits[MMM_LIMIT_START] += graph;
    out->extended = fmax(out->extended, out->estimate);
done:
    free(faster);
    return result;
}

mmm_status mmm_predict_each(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out, mmm_share_of **each,
                            int64_t *work)
{
    mmm_status result = MMM_OK;
    mmm_profiles profiles = {0};
    mmm_kernel_time *times = NULL;
    mmm_share_of *shares = NULL;
    mmm_shape shape;
    mmm_measures measures;
    mmm_parameters wide;
    NEED(job, "the job");
    NEED(out, "the place for the prediction");
    MMM_TRY(mmm_parameters_check(machine));
    if (!job->program) TRY(mmm_job_plan(job));
    machine = mmm_parameters_by_words(machine, job->program->word_bits, &wide);
    if (!(machine->operation > 0))
        FAIL(MMM_INVALID, "machine %s is not calibrated: the time of a local operation is not known", machine->name);
    TRY(mmm_profile_job(job, machine, mmm_has_gpu(machine) ? MMM_PROFILE_BUDGET_GPU : MMM_PROFILE_BUDGET, &profiles));
    TRY((machine->P ? mmm_program_extent : mmm_program_shape)(job->program, &shape)); /* K is for no limit of SMs */
    TRY(measure(job->program, &profiles, machine, &measures));
    const mmm_rates rates = mmm_rates_of(machine, job->app->name);
    const bool cores = mmm_has_core(machine);
    double bound = machine->P ? mmm_theorem1(&shape, &measures, machine->P) : mmm_corollary1(&shape, &measures);
    mmm_prediction prediction = {.plain = bound * machine->operation, .exact = profiles.exact, .measures = measures};
    TRY(mmm_alloc(&times, profiles.kernels, sizeof *times));
    if (each || cores) TRY(mmm_alloc(&shares, profiles.kernels, sizeof *shares));
    TRY(estimate_kernels(job, &profiles, machine, !cores ? &rates : NULL, times, shares));
    TRY(mmm_extended_program(job->program, times, machine->P, &prediction.extended, &prediction.estimate));
    if (cores && profiles.kernels) {
        TRY(on_cores(job->program, times, machine, &prediction.estimate));
        prediction.limits[MMM_LIMIT_START] += (double)shape.L * machine->constants[MMM_CONSTANT_STEP];
        if (machine->P > 1) /* others are there that much later */
            prediction.extended +=
                machine->constants[MMM_CONSTANT_HELPER] * (double)(machine->P - 1) / (double)machine->P +
                (double)shape.L * machine->constants[MMM_CONSTANT_MEET];
    }
    if (mmm_has_gpu(machine)) {
        TRY(estimate_kernels(job, &profiles, machine, NULL, times, shares));
        TRY(on_gpu(job->program, times, machine, each, &prediction));
    }
    for (int64_t k = 0; shares && k < profiles.kernels; k++) {
        shares[k].seconds = times[k].launch + (cores ? times[k].blocks : times[k].alone);
        for (int i = 0; cores && i < MMM_LIMITS; i++)
            prediction.limits[i] += shares[k].limits[i];
    }
    const double decisions = mmm_decisions_time(&shape, machine);
    if (!isfinite(prediction.plain + prediction.extended + prediction.estimate + decisions))
        FAIL(MMM_TOO_LARGE, "%s takes longer on machine %s than a number can hold", job->app->name, machine->name);
    prediction.extended += decisions;
    prediction.estimate += decisions;
    if (mmm_has_gpu(machine)) prediction.limits[MMM_LIMIT_START] += decisions;
    *out = prediction;
    if (work) *work = profiles.work;
    if (each) {
        *each = shares;
        shares = NULL;
    }
done:
    free(shares);
    free(times);
    mmm_profiles_free(&profiles);
    return result;
}

mmm_status mmm_predict(mmm_job *job, const mmm_parameters *machine, mmm_prediction *out)
{
    mmm_status result = MMM_OK;
    mmm_job *sketch = NULL;
    NEED(job, "the job");
    if (!job->program) TRY(mmm_job_sketch_of(job, &sketch));
    TRY(mmm_predict_each(sketch ? sketch : job, machine, out, NULL, NULL));
    if (!job->program) TRY(mmm_job_plan(job));
done:
    mmm_job_free(sketch);
    return result;
}
