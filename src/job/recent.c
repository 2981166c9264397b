/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of recent calls, kept with their machine: a bounded number, of bounded size, the last used first. */
#include "job/plan.h"

#include <stdlib.h>
#include <string.h>

/* A call uses the first one, and those of what it calls itself come before it then. */
enum { PLANS_MOST = 32, IN_USE = 2 };
static const uint64_t BYTES_MOST = (uint64_t)1 << 30;

typedef struct entry {
    mmm_plan_key key;
    mmm_plan *plan;
    uint64_t bytes;
} entry;

struct mmm_recent {
    mmm_machine *machine;
    int count;
    uint64_t bytes;
    entry entries[PLANS_MOST];
};

static void drop_last(struct mmm_recent *r)
{
    entry *last = &r->entries[--r->count];
    r->bytes -= last->bytes;
    mmm_plan_free(last->plan);
}

static void drop_recent(struct mmm_recent *r, bool all)
{
    while (r->count > (all ? 0 : IN_USE))
        drop_last(r);
    if (!all) return;
    r->machine->recent = NULL;
    free(r);
}

static void move_to_front(struct mmm_recent *r, int number)
{
    if (number == 0) return;
    entry found = r->entries[number];
    memmove(r->entries + 1, r->entries, (size_t)number * sizeof *r->entries);
    r->entries[0] = found;
}

mmm_plan *mmm_recent_find(mmm_machine *machine, const mmm_plan_key *key)
{
    struct mmm_recent *r = machine->recent;
    if (!r) return NULL;
    for (int i = 0; i < r->count; i++)
        if (r->entries[i].key.app == key->app &&
            memcmp(r->entries[i].key.numbers, key->numbers, sizeof key->numbers) == 0) {
            move_to_front(r, i);
            return r->entries[0].plan;
        }
    return NULL;
}

mmm_status mmm_recent_add(mmm_machine *machine, const mmm_plan_key *key, mmm_plan *plan)
{
    mmm_status result = MMM_OK;
    struct mmm_recent *r = machine->recent;
    const uint64_t bytes = mmm_plan_bytes(plan);
    if (!r) {
        TRY(mmm_alloc(&r, 1, sizeof *r));
        r->machine = machine;
        machine->recent = r;
        machine->drop_recent = drop_recent;
    }
    while (r->count > 1 && (r->count == PLANS_MOST || r->bytes + bytes > BYTES_MOST))
        drop_last(r);
    plan->kept = true;
    r->entries[r->count] = (entry){*key, plan, bytes};
    r->bytes += bytes;
    move_to_front(r, r->count++);
    plan = NULL;
done:
    mmm_plan_free(plan);
    return result;
}

mmm_status mmm_recent_of(mmm_machine *machine, const mmm_app *app, const int64_t *numbers, mmm_plan **plan)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    mmm_plan_key key = {.app = app->name};
    for (int i = 0; app->parameters[i].name; i++)
        key.numbers[i] = numbers[i];
    *plan = mmm_recent_find(machine, &key);
    if (*plan) return MMM_OK;
    TRY(mmm_job_of(app, &job));
    for (int i = 0; app->parameters[i].name; i++)
        TRY(mmm_job_set(job, app->parameters[i].name, numbers[i]));
    mmm_job *taken = job;
    job = NULL;
    TRY(mmm_plan_take(taken, machine, plan));
    TRY(mmm_recent_add(machine, &key, *plan));
done:
    mmm_job_free(job);
    return result;
}

void mmm_recent_drop(mmm_machine *machine, const mmm_plan *plan)
{
    struct mmm_recent *r = machine->recent;
    for (int i = 0; r && i < r->count; i++) {
        if (r->entries[i].plan != plan) continue;
        entry found = r->entries[i];
        memmove(r->entries + i, r->entries + i + 1, (size_t)(r->count - 1 - i) * sizeof *r->entries);
        r->entries[r->count - 1] = found;
        drop_last(r);
        return;
    }
}

int mmm_recent_count(const mmm_machine *machine)
{
    return machine->recent ? machine->recent->count : 0;
}
