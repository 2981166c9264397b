/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of operations: which application does them, in which form, on a machine. */
#include "operations.h"

/* What tuning found for such a job; else the usual values.  A prediction would take longer than many a call. */
static mmm_status choose(mmm_job *job, const mmm_machine *machine, bool *found)
{
    mmm_status result = MMM_OK;
    bool exact;
    *found = false;
    mmm_job_usual_others(job, machine);
    if (machine->type->has_time) TRY(mmm_wisdom_apply(job, machine, found, &exact));
    if (!*found) TRY(mmm_job_usual(job, machine));
done:
    return result;
}

const char mmm_multiplication[] = "multiplication", mmm_division[] = "division";
const char mmm_gcd_app[] = "gcd", mmm_sorting[] = "sort";

mmm_plan_key mmm_key_of(const char *app, uint64_t p, int64_t n, int64_t m, int64_t batch)
{
    return (mmm_plan_key){
        app,
        {[KEY_N] = n, [KEY_M] = m, [KEY_P] = (int64_t)p, [KEY_BATCH] = batch, [KEY_WISDOM] = mmm_wisdom_changes()}};
}

/* What is fastest for a batch of primes that have roots of unity: as for one of them, but a device is full. */
static const char *fastest_by_primes(const mmm_machine *machine, const char *operation, int64_t n, int64_t m)
{
    static const uint64_t likely = 2013265921;
    if (!machine->cpu && operation == mmm_multiplication && n >= 400 && m >= 400) return "multiplication-ntt";
    return mmm_fastest(machine, operation, likely, n, m);
}

static mmm_status make_plan(mmm_machine *machine, const mmm_plan_key *key, const uint64_t *primes, mmm_plan **out)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    bool found = false;
    const int64_t *numbers = key->numbers;
    const char *app = key->app;
    if (primes)
        app = fastest_by_primes(machine, app, numbers[KEY_N], numbers[KEY_M]);
    else if (app != mmm_sorting)
        app = mmm_fastest(machine, app, (uint64_t)numbers[KEY_P], numbers[KEY_N], numbers[KEY_M]);
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
    TRY(choose(job, machine, &found));
    mmm_job *taken = job;
    job = NULL;
    TRY(mmm_plan_make(taken, machine, numbers[KEY_THERE], out));
done:
    mmm_job_free(job);
    return result;
}

/* Where there is no memory for it, older ones go first. */
static mmm_status find(mmm_machine *machine, const mmm_plan_key *key, const uint64_t *primes, mmm_plan **out)
{
    mmm_plan *plan = mmm_recent_find(machine, key);
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
    mmm_status result = mmm_plan_run(plan, inputs, outputs, counts);
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
