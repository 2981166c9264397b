/* SPDX-License-Identifier: Apache-2.0 */
/* Variables without a value: each must have got one on every way to the place where it is read.  What is given in a
 * loop or on one way only does not count after it; an array counts as given with its first element. */
#include "kernel/generator.h"

#include <string.h>

void mmm_gen_value_given(generator *g, gen_symbol *symbol)
{
    gen_flow *flow = &g->flow;
    if (symbol->has_value || g->status != MMM_OK) return;
    symbol->has_value = true;
    if (symbol->array) return;
    g->status = mmm_grow(&flow->trail, &flow->room, flow->count + 1, sizeof(gen_symbol *));
    if (g->status == MMM_OK) flow->trail[flow->count++] = symbol;
}

void mmm_gen_value_read(generator *g, gen_symbol *symbol, const gen_token *at)
{
    if (symbol->has_value || g->flow.dead || g->flow.clears || g->lost) return;
    mmm_gen_error(g, at, "'%s' may be read here before it has a value; give it one where it is declared",
                  symbol->name->text);
    symbol->has_value = true; /* said once */
}

void mmm_gen_flow_back(generator *g, int64_t mark)
{
    while (g->flow.count > mark)
        g->flow.trail[--g->flow.count]->has_value = false;
}

gen_ways mmm_gen_ways(generator *g)
{
    return (gen_ways){.mark = g->flow.count, .dead = g->flow.dead};
}

void mmm_gen_ways_other(generator *g, gen_ways *ways)
{
    ways->count = g->flow.count - ways->mark;
    ways->first_dead = g->flow.dead;
    if (ways->count) {
        size_t bytes = (size_t)ways->count * sizeof *ways->given;
        ways->given = mmm_gen_take(g, bytes);
        if (ways->given) memcpy(ways->given, g->flow.trail + ways->mark, bytes);
    }
    mmm_gen_flow_back(g, ways->mark);
    g->flow.dead = ways->dead;
}

/* What both ways gave; or the one that goes on. */
void mmm_gen_ways_meet(generator *g, gen_ways *ways)
{
    gen_flow *flow = &g->flow;
    bool second_dead = flow->dead;
    flow->dead = ways->dead || (ways->first_dead && second_dead);
    if (g->status != MMM_OK || ways->first_dead) return; /* the second way's stay */
    if (!second_dead) {                                  /* of the first way's those that the second gave, too */
        int64_t both = 0;
        for (int64_t i = 0; i < ways->count; i++)
            if (ways->given[i]->has_value) ways->given[both++] = ways->given[i];
        ways->count = both;
    }
    mmm_gen_flow_back(g, ways->mark);
    for (int64_t i = 0; i < ways->count; i++)
        mmm_gen_value_given(g, ways->given[i]);
}
