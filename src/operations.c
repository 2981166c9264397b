/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of operations: which application does them, in which form, on a machine. */
#include "operations.h"

#include <string.h>

/* Seconds that calls of one shape have taken when it is worth a prediction, which takes about as long: so a call that
 * is made rarely is never predicted, and no program takes much more than twice its time for what it learns. */
static const double worth_predicting = 0.5;

/* Of the prediction of what is usual, which was measured, on machines that are like this one or not: what takes less is
 * believed to be faster. */
static const double believed = 0.75;

const char mmm_multiplication[] = "multiplication", mmm_division[] = "division";
const char mmm_gcd_app[] = "gcd", mmm_sorting[] = "sort";

mmm_plan_key mmm_key_of(const char *app, uint64_t p, int64_t n, int64_t m, int64_t batch)
{
    return (mmm_plan_key){
        app,
        {[KEY_N] = n, [KEY_M] = m, [KEY_P] = (int64_t)p, [KEY_BATCH] = batch, [KEY_WISDOM] = mmm_wisdom_changes()}};
}

static bool is_faster(double usual, double other)
{
    return usual > 0 && other > 0 && other < believed * usual;
}

/* Machines that are not calibrated, and not like one that is shipped, are not known. */
static bool is_known(const mmm_machine *machine, mmm_parameters *out)
{
    return machine->type->has_time && mmm_parameters_of(machine, out, NULL) == MMM_OK && out->operation > 0;
}

/* The job of an operation by an algorithm, its choices open. */
static mmm_status job_of(const char *app, const mmm_plan_key *key, const uint64_t *primes, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    const int64_t *numbers = key->numbers;
    TRY(mmm_job_new(app, &job));
    TRY(mmm_job_set_batch(job, numbers[KEY_BATCH]));
    TRY(mmm_job_set(job, "n", numbers[KEY_N]));
    if (key->app == mmm_sorting) {
        TRY(mmm_job_set(job, "bits", numbers[KEY_BITS]));
        TRY(mmm_job_set(job, "values", numbers[KEY_VALUES]));
    } else {
        TRY(mmm_job_set(job, "m", numbers[KEY_M]));
        TRY(mmm_job_set(job, "p", numbers[KEY_P]));
    }
    if (primes) TRY(mmm_job_set_moduli(job, primes, numbers[KEY_BATCH]));
    *out = job;
    job = NULL;
done:
    mmm_job_free(job);
    return result;
}

/* What a job takes with its usual values, by prediction; 0: that is not known. */
static double predict_usual(const char *app, const mmm_plan_key *key, const mmm_machine *machine,
                            const mmm_parameters *parameters)
{
    mmm_job *job = NULL;
    mmm_prediction prediction = {.estimate = 0};
    mmm_status status = job_of(app, key, NULL, &job);
    if (status == MMM_OK) status = mmm_job_usual(job, machine);
    if (status == MMM_OK) status = mmm_predict(job, parameters, &prediction);
    mmm_job_free(job);
    return status == MMM_OK ? prediction.estimate : 0;
}

const char *mmm_fastest(const mmm_machine *machine, const char *operation, uint64_t p, int64_t n, int64_t m)
{
    const char *apps[2];
    mmm_parameters parameters;
    if (mmm_algorithms(machine, operation, p, n, m, 1, apps) != MMM_OK) return NULL;
    if (!apps[1] || !is_known(machine, &parameters)) return apps[0];
    const mmm_plan_key key = mmm_key_of(operation, p, n, m, 1);
    const double usual = predict_usual(apps[0], &key, machine, &parameters),
                 other = usual > 0 ? predict_usual(apps[1], &key, machine, &parameters) : 0;
    return apps[is_faster(usual, other)];
}

/* Those of a key; for a batch of primes that have roots of unity as for one of them, but a device is full. */
static mmm_status usual_algorithms(const mmm_machine *machine, const mmm_plan_key *key, bool primes,
                                   const char *apps[2])
{
    static const uint64_t likely = 2013265921;
    const int64_t *numbers = key->numbers, n = numbers[KEY_N], m = numbers[KEY_M];
    const uint64_t p = primes ? likely : (uint64_t)numbers[KEY_P];
    apps[0] = mmm_sorting;
    apps[1] = NULL;
    if (key->app == mmm_sorting) return MMM_OK;
    MMM_TRY(mmm_algorithms(machine, key->app, p, n, m, numbers[KEY_BATCH], apps));
    const bool product = key->app == mmm_multiplication;
    if (primes && product && !machine->cpu && n >= 400 && m >= 400) apps[0] = "multiplication-ntt";
    return MMM_OK;
}

/* The usual algorithm with what tuning found for such a job, else its usual values. */
static mmm_status make_plan(mmm_machine *machine, const mmm_plan_key *key, const uint64_t *primes, mmm_plan **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    bool found = false, exact;
    const char *apps[2];
    TRY(usual_algorithms(machine, key, primes, apps));
    TRY(job_of(apps[0], key, primes, &job));
    mmm_job_usual_others(job, machine);
    if (machine->type->has_time) TRY(mmm_wisdom_apply(job, machine, &found, &exact));
    if (!found) TRY(mmm_job_usual(job, machine));
    mmm_job *taken = job;
    job = NULL;
    TRY(mmm_plan_make(taken, machine, key->numbers[KEY_THERE], out));
    (*out)->predicted = found || primes;
done:
    mmm_job_free(job);
    return result;
}

/* The job that prediction takes for an operation: of both algorithms, each with the best values of its choices.  NULL:
 * nothing is known of the machine. */
static mmm_status predict_job(mmm_machine *machine, const mmm_plan_key *key, mmm_job **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job[2] = {NULL};
    mmm_parameters parameters;
    double estimate[2] = {0};
    const char *apps[2];
    *out = NULL;
    if (!is_known(machine, &parameters)) return MMM_OK;
    TRY(usual_algorithms(machine, key, false, apps));
    for (int i = 0; i < 2 && apps[i]; i++) {
        TRY(job_of(apps[i], key, NULL, &job[i]));
        mmm_job_usual_others(job[i], machine);
        TRY(mmm_choose_by_prediction(job[i], machine, &parameters, believed, &estimate[i]));
    }
    const int best = is_faster(estimate[0], estimate[1]);
    *out = job[best];
    job[best] = NULL;
done:
    mmm_job_free(job[0]);
    mmm_job_free(job[1]);
    return result;
}

/* A plan that has run for long is made anew where prediction takes something else; where that fails it stays. */
static mmm_plan *reconsider(mmm_machine *machine, const mmm_plan_key *key, mmm_plan *plan)
{
    mmm_job *job = NULL;
    mmm_plan *other = NULL;
    plan->predicted = true;
    if (predict_job(machine, key, &job) != MMM_OK || !job) return plan;
    if (job->app == plan->job->app && memcmp(job->values, plan->job->values, sizeof job->values) == 0) {
        mmm_job_free(job);
        return plan;
    }
    if (mmm_plan_make(job, machine, key->numbers[KEY_THERE], &other) != MMM_OK) return plan;
    other->predicted = true;
    mmm_recent_drop(machine, plan);
    return mmm_recent_add(machine, key, other) == MMM_OK ? other : NULL;
}

/* After the first calls one of so many stands for the others: two looks at a clock are a twentieth of a short one. */
enum { CALLS = 16 };

double mmm_plan_begins(mmm_plan *plan)
{
    if (plan->predicted) return 0;
    return ++plan->calls <= CALLS || plan->calls % CALLS == 0 ? mmm_now() : 0;
}

void mmm_plan_ends(mmm_plan *plan, double start)
{
    if (start > 0) plan->spent += (mmm_now() - start) * (plan->calls <= CALLS ? 1 : CALLS);
}

/* Where there is no memory for it, older ones go first. */
static mmm_status find(mmm_machine *machine, const mmm_plan_key *key, const uint64_t *primes, mmm_plan **out)
{
    mmm_plan *plan = mmm_recent_find(machine, key);
    if (plan && !plan->predicted && plan->spent > worth_predicting) plan = reconsider(machine, key, plan);
    if (!plan) {
        mmm_status status = make_plan(machine, key, primes, &plan);
        if ((status == MMM_MEMORY || status == MMM_TOO_LARGE) && mmm_recent_count(machine)) {
            machine->drop_recent(machine->recent, false);
            status = make_plan(machine, key, primes, &plan);
        }
        if (status != MMM_OK) return status;
        MMM_TRY(mmm_recent_add(machine, key, plan));
    }
    *out = plan;
    return MMM_OK;
}

mmm_status mmm_plan_find(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out)
{
    return find(machine, key, NULL, out);
}

mmm_status mmm_plan_by_primes(mmm_machine *machine, const char *operation, int order, const uint64_t *primes, int64_t n,
                              int64_t m, int64_t batch, mmm_plan **out)
{
    mmm_plan_key key = mmm_key_of(operation, primes[0], n, m, batch);
    key.numbers[KEY_ORDER] = order;
    return find(machine, &key, primes, out);
}

mmm_status mmm_plan_call(mmm_machine *machine, const mmm_plan_key *key, const void *const *inputs, void *const *outputs,
                         int64_t *const *counts)
{
    mmm_plan *plan;
    MMM_TRY(mmm_plan_find(machine, key, &plan));
    const double start = mmm_plan_begins(plan);
    mmm_status result = mmm_plan_run(plan, inputs, outputs, counts);
    mmm_plan_ends(plan, start);
    if (result != MMM_OK && result != MMM_INVALID && result != MMM_STOPPED) mmm_recent_drop(machine, plan);
    return result;
}

static mmm_status new_plan(mmm_machine *machine, const mmm_plan_key *key, mmm_plan **out)
{
    NEED(machine, "the machine");
    NEED(out, "the place for a plan");
    return make_plan(machine, key, NULL, out);
}

mmm_status mmm_plan_multiply(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = mmm_key_of(mmm_multiplication, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_divide(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = mmm_key_of(mmm_division, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_gcd(mmm_machine *machine, uint64_t p, int64_t n, int64_t m, int64_t batch, mmm_plan **out)
{
    const mmm_plan_key key = mmm_key_of(mmm_gcd_app, p, n, m, batch);
    return new_plan(machine, &key, out);
}

mmm_status mmm_plan_sort(mmm_machine *machine, int64_t count, int bits, int values, int64_t batch, mmm_plan **out)
{
    mmm_plan_key key = mmm_key_of(mmm_sorting, 0, count, 0, batch);
    key.numbers[KEY_BITS] = bits;
    key.numbers[KEY_VALUES] = values != 0;
    return new_plan(machine, &key, out);
}
