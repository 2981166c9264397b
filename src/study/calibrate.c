/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: what the model needs to know of a real machine (section 2.1), measured with kernels of the dialect. */
#include "base/json.h"
#include "study/constants.h"

#include "probe/kernels.h" /* made from probe_kernels.c */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 9, WIDTHS = 10, STEPS = 400, WORDS = 64, LAUNCHES = 200, DECISIONS = 20, MANY = 8 };

static const int64_t widths[WIDTHS] = {1, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

/* One number a round: the best is kept, and the quartiles say how far to trust it. */
typedef struct series {
    const char *key;
    double values[ROUNDS], value;
} series;

/* A program of `count` equal calls. */
typedef struct probe {
    mmm_program *program;
    uint32_t *from, *to;
    double best;
} probe;

static void probe_free(probe *p)
{
    mmm_program_free(p->program);
    free(p->from);
    free(p->to);
    memset(p, 0, sizeof *p);
}

/* `count` calls of `steps` regions of arithmetic and `words` of moved words; without both, of nothing at all. */
static mmm_status probe_new(int count, int64_t blocks, int64_t threads, int steps, int words, bool empty, probe *out)
{
    mmm_status result = MMM_OK;
    mmm_modulus modulus;
    int64_t size = blocks * threads * (words > 1 ? words : 1);
    mmm_word_array from, to;
    TRY(mmm_modulus_read(2013265921, &modulus));
    TRY(mmm_program_new(&out->program));
    TRY(mmm_program_set_words(out->program, 32, &modulus));
    TRY(mmm_alloc(&out->from, size, sizeof *out->from));
    TRY(mmm_alloc(&out->to, blocks * threads, sizeof *out->to));
    for (int64_t i = 0; i < size; i++)
        out->from[i] = (uint32_t)(i * 2654435761u % 2013265921u);
    TRY(mmm_program_array(out->program, "from", MMM_WORD, size, MMM_IN, out->from, &from.number));
    TRY(mmm_program_array(out->program, "to", MMM_WORD, blocks * threads, MMM_OUT, out->to, &to.number));
    for (int i = 0; i < count; i++)
        if (empty)
            TRY(launch_nothing(out->program, blocks, threads, to, 0));
        else
            TRY(launch_chain(out->program, blocks, threads, from, to, steps, words, 7));
    out->best = INFINITY;
done:
    return result;
}

/* How a decision adds more calls: as often as is left. */
typedef struct again {
    mmm_word_array to;
    int left, calls;
} again;

static mmm_status decide(mmm_program *program, int kernel, const void *context)
{
    again next = *(const again *)context;
    uint32_t word;
    if (next.left-- == 0) return MMM_OK;
    MMM_TRY(mmm_program_look(program, next.to.number, 0, 0, 1, &word));
    (void)kernel;
    for (int i = 0; i < next.calls; i++)
        MMM_TRY(launch_nothing(program, 1, 32, next.to, 0));
    return mmm_program_on_end(program, mmm_program_kernels(program) - 1, decide, &next, sizeof next);
}

/* The best of a few runs: other work on the machine only ever makes them longer. */
static mmm_status measure(probe *p, mmm_machine *machine, double *seconds)
{
    mmm_status result = MMM_OK;
    double once, sum = 0;
    *seconds = INFINITY;
    for (int i = 0; i < 3 || (i < 12 && sum < 0.003); i++, sum += once) {
        TRY(mmm_machine_run(machine, p->program, &once));
        if (once < *seconds) *seconds = once;
    }
    if (*seconds < p->best) p->best = *seconds;
done:
    return result;
}

/* A region of r threads takes barrier + ceil(r / lanes) step: with the lanes that the machine is known to have, or,
 * where `known` is 0, those that fit best.  Fewer threads than lanes are another case, on a CPU one after the other. */
static void fit_lanes(const double *region, int64_t known, double *lanes, double *barrier, double *step)
{
    double least = INFINITY;
    for (int64_t width = known ? known : 1; width <= (known ? known : 512); width *= 2) {
        int first = 0;
        while (known && widths[first] < width)
            first++;
        double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, error = 0;
        for (int i = first; i < WIDTHS; i++) {
            double x = ceil((double)widths[i] / (double)width), y = region[i], w = 1 / (y * y);
            sw += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
        }
        double slope = (sw * sxy - sx * sy) / (sw * sxx - sx * sx), start = (sy - slope * sx) / sw;
        if (start < 0) start = 0, slope = sxy / sxx;
        for (int i = first; i < WIDTHS; i++) {
            double off = (start + slope * ceil((double)widths[i] / (double)width)) / region[i] - 1;
            error += off * off;
        }
        if (!(slope > 0) || error >= least) continue;
        least = error;
        *lanes = (double)width;
        *barrier = start;
        *step = slope;
    }
}

enum { OPERATION, U, BARRIER, LAUNCH, DECIDE, UNFOLD, LANES, CONCURRENCY, SERIES };

/* The numbers of the machine from the times of a round, or the best times of all. */
static void derive(int64_t known, const double *chains, double words, double none, double one, double launches,
                   double decisions, double longer, double single, double many, double P, double *out)
{
    double region[WIDTHS], lanes = 1, barrier = 0, step = 0;
    for (int i = 0; i < WIDTHS; i++)
        region[i] = fmax(chains[i], 1e-8 * (double)widths[i]) / STEPS;
    fit_lanes(region, known, &lanes, &barrier, &step);
    double operation = fmax(step / 2, 1e-12); /* a product and a difference */
    double groups = ceil(1024 / lanes);
    out[OPERATION] = operation;
    out[LANES] = lanes;
    out[BARRIER] = barrier / operation;
    out[U] = fmax(((words - none) / WORDS - barrier) / groups / operation, 0.01);
    out[LAUNCH] = fmax((launches - one) / LAUNCHES / operation, 0);
    out[DECIDE] = fmax((decisions - one) / DECISIONS / operation - out[LAUNCH], 0);
    out[UNFOLD] = fmax((longer - decisions) / DECISIONS / (MANY - 1) / operation - out[LAUNCH], 0);
    out[CONCURRENCY] = many > 0 ? 2 * P * single / many : 0;
}

static mmm_status micro(mmm_machine *machine, int64_t known, double P, series *all, mmm_progress *progress,
                        void *context)
{
    mmm_status result = MMM_OK;
    probe chains[WIDTHS] = {{0}}, words = {0}, none = {0}, one = {0}, launches = {0}, decisions = {0}, longer = {0},
          single = {0}, many = {0};
    double bests[WIDTHS], values[SERIES];
    for (int i = 0; i < WIDTHS; i++)
        TRY(probe_new(1, 1, widths[i], STEPS, 0, false, &chains[i]));
    TRY(probe_new(1, (int64_t)P, 1024, 0, WORDS, false, &words));
    TRY(probe_new(1, (int64_t)P, 1024, 0, 0, false, &none));
    TRY(probe_new(1, 1, 32, 0, 0, true, &one));
    TRY(probe_new(1 + LAUNCHES, 1, 32, 0, 0, true, &launches));
    TRY(probe_new(1, 1, 32, 0, 0, true, &decisions));
    TRY(probe_new(1, 1, 32, 0, 0, true, &longer));
    again next = {.to = {1}, .left = DECISIONS, .calls = 1}; /* the second array of a probe */
    TRY(mmm_program_on_end(decisions.program, 0, decide, &next, sizeof next));
    next.calls = MANY;
    TRY(mmm_program_on_end(longer.program, 0, decide, &next, sizeof next));
    TRY(probe_new(1, 1, 1024, STEPS, 0, false, &single));
    TRY(probe_new(1, 2 * (int64_t)P, 1024, STEPS, 0, false, &many));
    for (int round = -1; round < ROUNDS; round++) { /* the first warms up */
        double t[WIDTHS], w, n, o, l, d, g, s, m;
        if (progress && progress(context, 0.3 * (round + 1) / ROUNDS)) FAIL(MMM_STOPPED, "calibration was stopped");
        for (int i = 0; i < WIDTHS; i++)
            TRY(measure(&chains[i], machine, &t[i]));
        TRY(measure(&words, machine, &w));
        TRY(measure(&none, machine, &n));
        TRY(measure(&one, machine, &o));
        TRY(measure(&launches, machine, &l));
        TRY(measure(&decisions, machine, &d));
        TRY(measure(&longer, machine, &g));
        TRY(measure(&single, machine, &s));
        TRY(measure(&many, machine, &m));
        for (int i = 0; i < WIDTHS; i++)
            t[i] -= o;
        derive(known, t, w, n, o, l, d, g, s, m, P, values);
        for (int i = 0; i < SERIES && round >= 0; i++)
            all[i].values[round] = values[i];
    }
    for (int i = 0; i < WIDTHS; i++)
        bests[i] = chains[i].best - one.best;
    derive(known, bests, words.best, none.best, one.best, launches.best, decisions.best, longer.best, single.best,
           many.best, P, values);
    for (int i = 0; i < SERIES; i++)
        all[i].value = values[i];
done:
    for (int i = 0; i < WIDTHS; i++)
        probe_free(&chains[i]);
    probe *others[] = {&words, &none, &one, &launches, &decisions, &longer, &single, &many};
    for (int i = 0; i < 8; i++)
        probe_free(others[i]);
    return result;
}

/* Constants of a GPU as probes have them, with words of 32 and of 64 bits, and by how much of themselves they may be
 * off. */
typedef struct gpu_probed {
    bool tried, known;
    double values[2][MMM_GPU_CONSTANTS], off[2][MMM_GPU_CONSTANTS];
    char refused[256]; /* why they are not known */
} gpu_probed;

/* What cannot be measured well is not taken. */
static mmm_status probe_gpu(mmm_machine *machine, const mmm_parameters *p, gpu_probed *out)
{
    mmm_status status = MMM_OK;
    out->tried = true;
    for (int i = 0; i < 2 && status == MMM_OK; i++)
        status = mmm_gpu_constants_measure(machine, p, i ? 64 : 32, NULL, out->values[i], out->off[i]);
    out->known = status == MMM_OK;
    if (status == MMM_DEVICE) snprintf(out->refused, sizeof out->refused, "%s", mmm_message());
    return status == MMM_DEVICE ? MMM_OK : status;
}

/* Those of a device that has a file: its own, which know of applications, too, and for words of 64 bits, where the file
 * does not say, as many times these as probes take longer then. */
static void take_gpu(const mmm_parameters *like, const gpu_probed *gpu, mmm_parameters *p)
{
    if (!like || !mmm_has_gpu(like)) {
        if (!gpu->known) return;
        memcpy(p->gpu, gpu->values[0], sizeof p->gpu);
        memcpy(p->gpu_64, gpu->values[1], sizeof p->gpu_64);
        return;
    }
    memcpy(p->gpu, like->gpu, sizeof p->gpu);
    memcpy(p->gpu_64, like->gpu_64, sizeof p->gpu_64);
    for (int i = 0; i < MMM_GPU_CONSTANTS && gpu->known && !(like->gpu_64[0] > 0); i++) {
        const bool both = isfinite(gpu->off[0][i]) && isfinite(gpu->off[1][i]);
        p->gpu_64[i] = like->gpu[i] * (both ? gpu->values[1][i] / gpu->values[0][i] : 1);
    }
    p->factors = like->factors; /* which belong to these */
    p->factor_count = like->factor_count;
}

/* Quartiles by key; and the same of constants. */
static json_t *spread_of(series *all, const double (*off)[MMM_CONSTANTS], const gpu_probed *gpu)
{
    json_t *spread = json_object();
    if (off) mmm_json_set(&spread, "constants", mmm_off_json(off[0], mmm_constant_records, MMM_CONSTANTS));
    if (off) mmm_json_set(&spread, "constants_64", mmm_off_json(off[1], mmm_constant_records, MMM_CONSTANTS));
    if (gpu->known) mmm_json_set(&spread, "gpu", mmm_off_json(gpu->off[0], mmm_gpu_records, MMM_GPU_CONSTANTS));
    if (gpu->known) mmm_json_set(&spread, "gpu_64", mmm_off_json(gpu->off[1], mmm_gpu_records, MMM_GPU_CONSTANTS));
    if (gpu->tried && !gpu->known) mmm_json_set(&spread, "gpu", json_string(gpu->refused));
    for (int i = 0; i < SERIES; i++) {
        qsort(all[i].values, ROUNDS, sizeof(double), mmm_compare_doubles);
        mmm_json_set(&spread, all[i].key,
                     json_pack("[f,f,f]", mmm_rounded(all[i].values[ROUNDS / 4]),
                               mmm_rounded(all[i].values[ROUNDS / 2]), mmm_rounded(all[i].values[3 * ROUNDS / 4])));
    }
    return spread;
}

static mmm_status fit_app(const mmm_app *app, mmm_machine *machine, const mmm_parameters *p, mmm_rates *out)
{
    MMM_TRY(mmm_fit_app(app, machine, p, out));
    double *parts[] = {&out->launch, &out->barrier, &out->part, &out->operation, &out->word, &out->access, &out->error};
    for (int j = 0; j < 7; j++)
        *parts[j] = mmm_rounded(*parts[j]);
    return MMM_OK;
}

mmm_status mmm_calibrate(mmm_machine *machine, const char *name, mmm_progress *progress, void *context,
                         const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    char *standard = NULL, file[80];
    series all[SERIES] = {{.key = "operation"}, {.key = "U"},      {.key = "barrier"}, {.key = "launch"},
                          {.key = "decide"},    {.key = "unfold"}, {.key = "lanes"},   {.key = "concurrency"}};
    NEED(machine, "the machine");
    NEED(out, "the place for the parameters of a machine");
    mmm_parameters p = machine->parameters;
    const mmm_app *const *apps = mmm_app_list();
    mmm_factors *table = NULL;
    double off[2][MMM_CONSTANTS] = {{0}};
    gpu_probed gpu = {.tried = false};
    int count = 0;
    if (!machine->type->has_time)
        FAIL(MMM_INVALID, "the abstract machine cannot be calibrated: it has no time; take cpu, cuda:N or opencl:N");
    snprintf(p.name, sizeof p.name, "%.63s", name ? name : machine->file);
    if (!path) {
        snprintf(file, sizeof file, "%s.json", machine->file);
        TRY(mmm_wisdom_beside(file, &standard));
        path = standard;
    }
    TRY(mmm_path_check(path));
    TRY(micro(machine, p.lanes, p.P ? (double)p.P : 1, all, progress, context));
    p.operation = mmm_rounded(all[OPERATION].value);
    p.U = mmm_rounded(all[U].value);
    p.barrier = mmm_rounded(all[BARRIER].value);
    p.launch = mmm_rounded(all[LAUNCH].value);
    p.decide = mmm_rounded(all[DECIDE].value);
    p.unfold = mmm_rounded(all[UNFOLD].value);
    p.lanes = (int64_t)all[LANES].value;
    while (apps[count])
        count++;
    const bool core = machine->cpu && !p.threads; /* which has constants, and kernels factors in place of rates */
    TRY(mmm_alloc(&table, MMM_FACTORS_MOST, sizeof *table));
    if (core) TRY(mmm_constants_measure(machine, &p, 32, p.constants, off[0]));
    if (core) TRY(mmm_constants_measure(machine, &p, 64, p.constants_64, off[1]));
    for (int i = 0; core && i < MMM_CONSTANTS; i++) {
        p.constants[i] = mmm_rounded(p.constants[i]);
        p.constants_64[i] = mmm_rounded(p.constants_64[i]);
    }
    const mmm_parameters *like =
        mmm_parameters_builtin() ? mmm_parameters_shipped(machine->device, machine->cpu) : NULL;
    if (!core && !machine->cpu) TRY(probe_gpu(machine, &p, &gpu));
    const bool probed = gpu.known || (like && mmm_has_gpu(like)); /* and then nothing goes by rates */
    for (int i = 0; !probed && i < count && i < MMM_RATES_MOST; i++) {
        if (progress && progress(context, 0.3 + 0.7 * i / count)) FAIL(MMM_STOPPED, "calibration was stopped");
        if (core)
            TRY(mmm_factors_measure(apps[i], machine, &p, table));
        else
            TRY(fit_app(apps[i], machine, &p, &p.rates[i]));
    }
    take_gpu(like, &gpu, &p);
    for (int i = 0; gpu.known && !p.factor_count && i < count; i++) {
        if (progress && progress(context, 0.3 + 0.7 * i / count)) FAIL(MMM_STOPPED, "calibration was stopped");
        TRY(mmm_factors_measure(apps[i], machine, &p, table));
    }
    TRY(mmm_machine_file_write(machine, &p, spread_of(all, p.constants[0] > 0 ? off : NULL, &gpu), path));
    if (standard) mmm_trust_make(standard);
    TRY(mmm_factors_keep(&p));
    *out = p;
done:
    free(table);
    free(standard);
    return result;
}

mmm_status mmm_calibrate_app(mmm_machine *machine, const char *name, mmm_progress *progress, void *context,
                             const char *path, mmm_parameters *out)
{
    mmm_status result = MMM_OK;
    const mmm_app *app;
    char *standard = NULL, file[80];
    mmm_factors *table = NULL;
    mmm_rates rates;
    NEED(machine, "the machine");
    NEED(out, "the place for the parameters of a machine");
    if (!machine->type->has_time)
        FAIL(MMM_INVALID, "the abstract machine cannot be calibrated: it has no time; take cpu, cuda:N or opencl:N");
    TRY(mmm_app_open(name, &app));
    if (!app->calibration[0])
        FAIL(MMM_INVALID, "the record of %s does not say what calibration runs: give it .calibration", app->name);
    if (strlen(app->name) >= sizeof rates.app)
        FAIL(MMM_INVALID, "'%s' is too long a name for the file of a machine: at most %zu letters", app->name,
             sizeof rates.app - 1);
    if (!path) {
        snprintf(file, sizeof file, "%s.json", machine->file);
        TRY(mmm_wisdom_beside(file, &standard));
        path = standard;
    }
    TRY(mmm_path_check(path));
    if (access(path, R_OK) != 0) TRY(mmm_calibrate(machine, NULL, progress, context, path, out));
    TRY(mmm_parameters_read(path, out));
    if (mmm_has_gpu(out) && machine->cpu)
        FAIL(MMM_INVALID, "'%.200s' has constants of a GPU, machine %s, and %s is none", path, out->name,
             machine->description);
    mmm_parameters p = *out;
    const bool known = p.constants[0] > 0 || mmm_has_gpu(out); /* constants, and kernels have factors */
    TRY(mmm_alloc(&table, MMM_FACTORS_MOST, sizeof *table));
    if (known)
        TRY(mmm_factors_measure(app, machine, &p, table));
    else
        TRY(mmm_fit_app(app, machine, &p, &rates));
    TRY(mmm_machine_file_add(path, known ? NULL : &rates, &p));
    if (standard) mmm_trust_make(standard);
    TRY(mmm_parameters_read(path, out));
done:
    free(table);
    free(standard);
    return result;
}
