/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, regions and their parts. */
#include "kernel/generator.h"

#include <string.h>

static void read_condition(generator *g, const char *after)
{
    mmm_gen_expect(g, '(', after);
    const gen_token *at = mmm_gen_peek(g, 0);
    mmm_gen_want_scalar(g, at, mmm_gen_expression(g).type, "a condition");
    mmm_gen_expect(g, ')', "after a condition");
}

static void read_block(generator *g)
{
    int scope = g->scope++;
    mmm_gen_expect(g, '{', "before statements");
    while (!mmm_gen_is(g, '}') && mmm_gen_peek(g, 0)->kind != TOKEN_END)
        mmm_gen_statement(g);
    mmm_gen_expect(g, '}', "after statements");
    mmm_gen_leave(g, scope);
}

/* A statement with a scope of its own. */
static void read_inner(generator *g)
{
    int scope = g->scope++;
    mmm_gen_statement(g);
    mmm_gen_leave(g, scope);
}

/* `once`: it is done at least once; what it gives before the first jump is given after it, too. */
static void read_loop_body(generator *g, bool once)
{
    int64_t mark = g->flow.count, jump = g->flow.jump;
    bool dead = g->flow.dead;
    g->flow.jump = -1;
    g->loops++;
    read_inner(g);
    g->loops--;
    mmm_gen_flow_back(g, !once ? mark : g->flow.jump >= 0 ? g->flow.jump : g->flow.count);
    g->flow.jump = jump;
    g->flow.dead = dead;
}

static void read_for(generator *g)
{
    int scope = g->scope++;
    mmm_gen_expect(g, '(', "after for");
    g->index++;
    if (mmm_gen_is_type(mmm_gen_peek(g, 0))) {
        mmm_gen_declaration(g);
    } else {
        if (!mmm_gen_is(g, ';')) mmm_gen_expression(g);
        mmm_gen_expect(g, ';', "in for (a; b; c)");
    }
    if (!mmm_gen_is(g, ';')) mmm_gen_expression(g);
    mmm_gen_expect(g, ';', "in for (a; b; c)");
    int64_t mark = g->flow.count;
    bool dead = g->flow.dead;
    g->flow.dead = true; /* it comes after the body: what that gives is not known yet */
    if (!mmm_gen_is(g, ')')) mmm_gen_expression(g);
    g->flow.dead = dead;
    mmm_gen_flow_back(g, mark);
    g->index--;
    mmm_gen_expect(g, ')', "after for (a; b; c");
    read_loop_body(g, false);
    mmm_gen_leave(g, scope);
}

static void read_while(generator *g)
{
    g->index++;
    read_condition(g, "after while");
    g->index--;
}

/* A bound of a part, the count of EACH or ITEMS: looked at more than once by some machines. */
static void read_bound(generator *g, const char *what)
{
    const char *pure = g->pure;
    const gen_token *at = mmm_gen_peek(g, 0);
    g->pure = what;
    g->index++;
    gen_value value = mmm_gen_assignment(g);
    g->index--;
    g->pure = pure;
    if (value.levels > 0 && !value.unknown && !g->lost) mmm_gen_error(g, at, "%s is a pointer, not a number", what);
}

static const gen_token *read_thread_name(generator *g, const char *word)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    if (token->kind == TOKEN_NAME) {
        g->at++;
        mmm_gen_check_name(g, token, false, false);
        return token;
    }
    mmm_gen_lost(g, token->kind == TOKEN_END ? &g->tokens.at[g->at] : token, "%s needs a name first, as in %s (t, ...)",
                 word, word);
    return NULL;
}

static void read_each(generator *g)
{
    int scope = g->scope++;
    mmm_gen_edit(g, g->at++)->instead = "MMM_EACH";
    mmm_gen_expect(g, '(', "after EACH");
    const gen_token *name = read_thread_name(g, "EACH");
    mmm_gen_expect(g, ',', "in EACH (k, count)");
    const gen_token *count = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    bool once = count->kind == TOKEN_NUMBER && count->text[0] >= '1' && count->text[0] <= '9' &&
                after->kind == TOKEN_OPERATOR && after->op == ')';
    read_bound(g, "the count of EACH");
    mmm_gen_expect(g, ')', "after EACH (k, count");
    if (name) mmm_gen_declare(g, name, (gen_symbol){.kind = SYMBOL_COUNTER, .type = TYPE_INT});
    read_loop_body(g, once);
    mmm_gen_leave(g, scope);
}

static void check_region(generator *g, const gen_token *at, const char *word)
{
    if (g->where == WHERE_PART || g->where == WHERE_THREAD)
        mmm_gen_error(g, at, "%s inside a region, where threads differ; end the region before it", word);
    if (g->switches > 0)
        mmm_gen_error(g, at, "%s inside a switch, whose break would leave it; write if and else", word);
}

/* The others do not come to a barrier that the first group waits at. */
static void check_first_group(generator *g, const gen_token *at, const char *word)
{
    if (g->first_group)
        mmm_gen_error(g, at, "%s inside FIRST_GROUP ends with a barrier of all threads; write GROUPS (t)", word);
}

/* u32 or word, and the comma. */
static void read_lanes_type(generator *g, const char *word)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    bool constant;
    gen_type type = mmm_gen_read_type(g, &constant);
    if (!g->lost && type != TYPE_U32 && type != TYPE_WORD)
        mmm_gen_error(g, at, "%s of %s; write %s (u32, ...) or %s (word, ...)", word, mmm_gen_types[type].name, word,
                      word);
    g->lanes = type;
    mmm_gen_expect(g, ',', mmm_gen_format(g, "after the type in %s (u32, ...)", word));
}

/* What is common to regions and parts: a body with other loops, and another place. */
static void read_region_body(generator *g, gen_where where)
{
    gen_where outer = g->where;
    int loops = g->loops, switches = g->switches;
    g->where = where;
    g->loops = g->switches = 0;
    read_inner(g);
    g->where = outer;
    g->loops = loops;
    g->switches = switches;
}

static void read_region(generator *g)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    int parts = g->parts;
    check_region(g, at, "REGION");
    check_first_group(g, at, "REGION");
    if (g->where == WHERE_REGION) mmm_gen_error(g, at, "REGION inside REGION; end the first before the second");
    mmm_gen_edit(g, g->at++)->instead = "MMM_REGION";
    if (!mmm_gen_is(g, '{')) {
        mmm_gen_lost(g, at, "REGION needs { and parts after it, as in REGION { THREADS (t, 0, 8) ... }");
        return;
    }
    g->parts = 0;
    read_region_body(g, WHERE_REGION);
    if (g->parts == 0 && !g->lost)
        mmm_gen_error(g, at, "REGION without parts; write THREADS (t, low, high) in it, or leave it out");
    g->parts = parts;
}

/* A region of the first 32 threads, and one in which they share no memory: it needs no barrier if they read none
 * between regions either. */
static const char closed[] = "MMM_GROUP_REGION MMM_FIRST_PART", alone[] = "MMM_GROUP_ALONE MMM_FIRST_PART";

/* THREADS, ITEMS, GROUPS, LANES, ITEM_LANES or THREADS_2D with its body. */
static void read_part(generator *g, gen_keyword word)
{
    static const char *const forms[] = {[WORD_THREADS] = "THREADS (t) or THREADS (t, low, high)",
                                        [WORD_ITEMS] = "ITEMS (i, count) or ITEMS (i, count, low)",
                                        [WORD_GROUPS] = "GROUPS (t)",
                                        [WORD_LANES] = "LANES (u32, t) or LANES (word, x, y)",
                                        [WORD_ITEM_LANES] = "ITEM_LANES (word, i, count)",
                                        [WORD_THREADS_2D] = "THREADS_2D (x, y)"};
    const gen_token *at = mmm_gen_peek(g, 0), *second = NULL;
    const char *text = at->name->text;
    bool inside = g->where == WHERE_REGION;
    check_region(g, at, text);
    if (inside && word == WORD_GROUPS)
        mmm_gen_error(g, at, "GROUPS inside REGION: it ends with a barrier of its own; write it outside");
    if (word != WORD_GROUPS) check_first_group(g, at, text);
    int64_t first = g->at++;
    int scope = g->scope++, count = 1;
    mmm_gen_expect(g, '(', mmm_gen_format(g, "after %s", text));
    if (word == WORD_LANES || word == WORD_ITEM_LANES) read_lanes_type(g, text);
    const gen_token *name = read_thread_name(g, text);
    while (mmm_gen_accept(g, ',')) {
        count++;
        if ((word == WORD_THREADS_2D || word == WORD_LANES) && count == 2)
            second = read_thread_name(g, text);
        else
            read_bound(g, "a bound of a region");
    }
    bool good = word == WORD_THREADS  ? count == 1 || count == 3
                : word == WORD_ITEMS  ? count == 2 || count == 3
                : word == WORD_GROUPS ? count == 1
                : word == WORD_LANES  ? count <= 2
                                      : count == 2; /* ITEM_LANES, THREADS_2D */
    if (!good && !g->lost) mmm_gen_error(g, at, "%s with %d arguments; write %s", text, count, forms[word]);
    if (word == WORD_ITEMS)
        mmm_gen_edit(g, first)->instead = count == 3 ? inside ? "MMM_ITEMS_FROM" : "MMM_REGION MMM_ITEMS_FROM"
                                          : inside   ? "MMM_ITEMS"
                                                     : "MMM_REGION MMM_ITEMS";
    else if (word == WORD_LANES)
        mmm_gen_edit(g, first)->instead =
            mmm_gen_format(g, "%sMMM_LANES%s", inside ? "" : "MMM_REGION ", second ? "_2D" : "");
    else if (word == WORD_ITEM_LANES)
        mmm_gen_edit(g, first)->instead = inside ? "MMM_ITEM_LANES" : "MMM_REGION MMM_ITEM_LANES";
    else if (word == WORD_THREADS_2D)
        mmm_gen_edit(g, first)->instead = inside ? "MMM_PART_2D" : "MMM_REGION MMM_PART_2D";
    else
        mmm_gen_edit(g, first)->instead = g->first_group        ? closed
                                          : word == WORD_GROUPS ? "MMM_GROUP_REGION MMM_ALL"
                                                                : mmm_gen_format(g, "%s%s", inside ? "" : "MMM_REGION ",
                                                                                 count == 1 ? "MMM_ALL" : "MMM_PART");
    mmm_gen_expect(g, ')', mmm_gen_format(g, "after the arguments of %s", text));
    const int64_t close = g->at - 1;
    g->parts++;
    g->function->plane |= second != NULL;
    gen_keyword part = g->part;
    gen_name *thread = g->thread, *thread_y = g->thread_y;
    g->part = word;
    g->shared = false;
    g->thread = name ? name->name : NULL;
    g->thread_y = second ? second->name : NULL;
    if (name) mmm_gen_declare(g, name, (gen_symbol){.kind = SYMBOL_THREAD, .type = TYPE_INT});
    if (second) mmm_gen_declare(g, second, (gen_symbol){.kind = SYMBOL_THREAD, .type = TYPE_INT});
    read_region_body(g, WHERE_PART);
    if (!g->first_group && (word == WORD_THREADS || word == WORD_ITEMS || word == WORD_THREADS_2D))
        mmm_gen_within(g, first, close, g->at);
    if (g->first_group && !g->shared) mmm_gen_edit(g, first)->instead = alone;
    g->part = part;
    g->thread = thread;
    g->thread_y = thread_y;
    mmm_gen_leave(g, scope);
}

/* FIRST_GROUP and what the first 32 threads do alone, while the others go on to the region that follows. */
static void read_first_group(generator *g)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    check_region(g, at, "FIRST_GROUP");
    if (g->where == WHERE_REGION) mmm_gen_error(g, at, "FIRST_GROUP inside REGION; write it before");
    check_first_group(g, at, "FIRST_GROUP");
    mmm_gen_edit(g, g->at++)->instead = "MMM_FIRST_GROUP";
    g->function->groups = true;
    int outer = g->first_group;
    int64_t first = g->at;
    g->first_group = g->scope + 1;
    g->shared_between = false;
    read_region_body(g, g->where);
    for (int64_t i = first; i < g->at && g->shared_between && g->status == MMM_OK; i++)
        if (mmm_gen_edit(g, i)->instead == alone) mmm_gen_edit(g, i)->instead = closed;
    g->first_group = outer;
}

static void read_jump(generator *g, gen_keyword word)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    bool region = g->where == WHERE_PART || g->where == WHERE_REGION;
    g->at++;
    if (g->first_group && !region && (word == WORD_RETURN || g->loops + (word == WORD_BREAK ? g->switches : 0) == 0))
        mmm_gen_error(g, at, "'%s' leaves FIRST_GROUP, where the other threads have not come; write if",
                      at->name->text);
    if (word == WORD_RETURN && region)
        mmm_gen_error(g, at, "return leaves a region, and other threads wait at its end; write if, or continue");
    if (word == WORD_BREAK && region && g->loops + g->switches == 0)
        mmm_gen_error(g, at, "break leaves a region, and other threads wait at its end; write continue");
    if (word == WORD_CONTINUE && g->where == WHERE_REGION && g->loops == 0)
        mmm_gen_error(g, at, "continue leaves a region between its parts; write if");
    bool value_given = !mmm_gen_is(g, ';');
    if (word == WORD_RETURN && !region && value_given == (g->function->type == TYPE_VOID))
        mmm_gen_error(g, at,
                      value_given ? "a value is returned by '%s', which is void; write return;"
                                  : "'%s' returns no value here; write return and a value",
                      g->function->name->text);
    if (word == WORD_RETURN && value_given) {
        const gen_token *value_at = mmm_gen_peek(g, 0);
        gen_value value = mmm_gen_expression(g);
        if (value.levels > 0 && !value.unknown && !g->lost)
            mmm_gen_error(g, value_at, "a pointer is returned; return an index");
    }
    mmm_gen_expect(g, ';', "after a statement");
    if (word != WORD_RETURN && g->flow.jump < 0) g->flow.jump = g->flow.count;
    g->flow.dead = true;
}

static void read_switch(generator *g)
{
    g->at++;
    read_condition(g, "after switch");
    int64_t branch = g->flow.branch;
    bool dead = g->flow.dead;
    g->flow.branch = g->flow.count;
    g->switches++;
    read_inner(g);
    g->switches--;
    mmm_gen_flow_back(g, g->flow.branch);
    g->flow.branch = branch;
    g->flow.dead = dead;
}

static void read_if(generator *g)
{
    gen_ways ways = {0};
    bool later = false;
    do {
        g->at++;
        read_condition(g, "after if");
        if (!later) ways = mmm_gen_ways(g);
        read_inner(g);
        if (later) mmm_gen_ways_meet(g, &ways);
        mmm_gen_ways_other(g, &ways); /* all ways so far are one, and what comes is the other */
        if (!mmm_gen_is_word(g, WORD_ELSE)) {
            mmm_gen_ways_meet(g, &ways);
            return;
        }
        g->at++;
        later = true;
    } while (mmm_gen_is_word(g, WORD_IF));
    read_inner(g);
    mmm_gen_ways_meet(g, &ways);
}

static void read_do(generator *g)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    g->at++;
    read_loop_body(g, true);
    if (!mmm_gen_is_word(g, WORD_WHILE)) {
        mmm_gen_lost(g, at, "do without while");
        return;
    }
    g->at++;
    read_while(g);
    mmm_gen_expect(g, ';', "after do ... while ()");
}

static void read_simple(generator *g)
{
    const gen_token *at = mmm_gen_peek(g, 0), *after = mmm_gen_peek(g, 1);
    if (at->kind == TOKEN_NAME && after->kind == TOKEN_OPERATOR && after->op == ':') {
        mmm_gen_lost(g, at, "the label '%s': there is no goto; write a loop or if", at->name->text);
        return;
    }
    if (!mmm_gen_collective(g)) mmm_gen_expression(g);
    mmm_gen_expect(g, ';', "after a statement");
}

static void read_keyword(generator *g, gen_keyword word)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    switch (word) {
    case WORD_THREADS:
    case WORD_ITEMS:
    case WORD_GROUPS:
    case WORD_LANES:
    case WORD_ITEM_LANES:
    case WORD_THREADS_2D: read_part(g, word); break;
    case WORD_REGION: read_region(g); break;
    case WORD_FIRST_GROUP: read_first_group(g); break;
    case WORD_EACH: read_each(g); break;
    case WORD_IF: read_if(g); break;
    case WORD_SWITCH: read_switch(g); break;
    case WORD_DO: read_do(g); break;
    case WORD_FOR:
        g->at++;
        read_for(g);
        break;
    case WORD_WHILE:
        g->at++;
        read_while(g);
        read_loop_body(g, false);
        break;
    case WORD_BREAK:
    case WORD_CONTINUE:
    case WORD_RETURN: read_jump(g, word); break;
    case WORD_GOTO: mmm_gen_lost(g, at, "goto is not part of the dialect; write a loop or if"); break;
    case WORD_CASE:
    case WORD_DEFAULT:
        g->at++;
        if (word == WORD_CASE) mmm_gen_condition(g);
        if (g->switches > 0) {
            mmm_gen_flow_back(g, g->flow.branch);
            g->flow.dead = false;
        }
        mmm_gen_expect(g, ':', "after case or default");
        break;
    case WORD_KERNEL: mmm_gen_lost(g, at, "a kernel inside a function: is a } missing before it?"); break;
    default: read_simple(g); break;
    }
}

void mmm_gen_statement(generator *g)
{
    const gen_token *token = mmm_gen_peek(g, 0);
    const gen_word *word = token->kind == TOKEN_NAME ? token->name->word : NULL;
    if (!mmm_gen_enter(g)) return;
    if (mmm_gen_is(g, '{'))
        read_block(g);
    else if (mmm_gen_accept(g, ';'))
        ;
    else if (mmm_gen_is_type(token))
        mmm_gen_declaration(g);
    else if (word && word->class == CLASS_KEYWORD)
        read_keyword(g, (gen_keyword)word->value);
    else if (word && word->class == CLASS_REFUSED)
        mmm_gen_lost(g, token, "'%s' is not part of the dialect: %s", word->text, word->advice);
    else
        read_simple(g);
    g->nesting--;
}
