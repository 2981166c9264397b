/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that do nothing but where a condition holds, as in THREADS (t) if (first + t < n) ...: where the condition says
 * from which thread on and up to which one, a core need not ask each of them, and has no vectors of which some lanes
 * are off.  And parts in which each thread adds up, as in THREADS (t) for (int j = 0; j < s; j++) sum += ...: a core
 * takes turn j of all threads before the next one, in vectors of threads; it would have vectors of turns, whose sum is
 * one word after the other. */
#include "kernel/generator.h"

#include <string.h>

/* The threads that a condition leaves, in one dimension: the text of an expression for each end; NULL: all. */
typedef struct range {
    const char *from, *to;
} range;

typedef struct side {
    int64_t first, last;
    gen_name *thread; /* the one that it has as a term; NULL: none */
} side;

static bool is_op(const generator *g, int64_t i, int op)
{
    return g->tokens.at[i].kind == TOKEN_OPERATOR && g->tokens.at[i].op == op;
}

/* The bracket that closes the one at `first`, before `end`; or -1. */
static int64_t closing(const generator *g, int64_t first, int64_t end, int open, int close)
{
    int depth = 0;
    for (int64_t i = first; i < end; i++) {
        depth += is_op(g, i, open) - is_op(g, i, close);
        if (depth == 0) return i;
    }
    return -1;
}

/* Where the statement from `first` on ends, if it is in brackets or has none; or `end`, and more. */
static int64_t behind(const generator *g, int64_t first, int64_t end)
{
    int depth = 0;
    if (is_op(g, first, '{')) {
        const int64_t last = closing(g, first, end, '{', '}');
        return last < 0 ? end + 1 : last + 1;
    }
    for (int64_t i = first; i < end && !is_op(g, i, '{'); i++) {
        depth += is_op(g, i, '(') - is_op(g, i, ')');
        if (depth == 0 && is_op(g, i, ';')) return i + 1;
    }
    return end + 1;
}

/* Whether nothing is done behind the statement from `first` on: what operations are charged is none of a core's. */
static bool is_last(const generator *g, int64_t first, int64_t end)
{
    int64_t i = behind(g, first, end);
    while (i < end && g->tokens.at[i].kind == TOKEN_NAME && g->tokens.at[i].name->word &&
           g->tokens.at[i].name->word->class == CLASS_CALL && g->tokens.at[i].name->word->value == CALL_OPS)
        i = behind(g, i, end);
    return i == end;
}

/* Numbers that all threads have alike, and that are not wrapped around: ints and i64. */
static bool is_plain(const generator *g, int64_t i)
{
    const gen_token *t = &g->tokens.at[i];
    const gen_edit *edit = &g->edits[i];
    if (edit->before || edit->instead || edit->after) return false;
    if (t->kind == TOKEN_NUMBER) return t->length < 10 && (int)strspn(t->text, "0123456789") >= t->length;
    if (t->kind != TOKEN_NAME) return false;
    if (t->name->word) return t->name->word->class == CLASS_PLACE;
    const gen_symbol *s = t->name->symbol;
    if (!s || s->levels || s->place != PLACE_PLAIN || s->inner || s->kind == SYMBOL_FUNCTION) return false;
    const gen_type type = mmm_gen_types[s->type].same;
    return s->kind == SYMBOL_NUMBER || type == TYPE_I32 || type == TYPE_I64;
}

/* Whether these tokens are a sum of plain numbers, of which at most one term is a thread. */
static bool read_side(const generator *g, int64_t first, int64_t last, side *out)
{
    int depth = 0;
    *out = (side){first, last, NULL};
    if (first > last) return false;
    for (int64_t i = first; i <= last; i++) {
        const gen_token *t = &g->tokens.at[i];
        depth += is_op(g, i, '(') - is_op(g, i, ')');
        if (t->kind == TOKEN_OPERATOR) {
            if (t->length > 1 || !strchr("+-*()", t->op)) return false;
            continue;
        }
        if (!is_plain(g, i)) return false;
        if (t->kind != TOKEN_NAME || (t->name != g->thread && t->name != g->thread_y)) continue;
        if (out->thread || depth || (i > first && !is_op(g, i - 1, '+')) ||
            (i < last && !is_op(g, i + 1, '+') && !is_op(g, i + 1, '-')))
            return false;
        out->thread = t->name;
    }
    return true;
}

static const char *text_of(generator *g, const side *s)
{
    const char *text = "";
    for (int64_t i = s->first; i <= s->last && text; i++)
        text =
            mmm_gen_format(g, "%s%s%.*s", text, i > s->first ? " " : "", g->tokens.at[i].length, g->tokens.at[i].text);
    return text ? text : "";
}

/* One comparison: where the thread's sum is the less, it says up to which thread; else from which one on. */
static bool read_comparison(generator *g, int64_t first, int64_t last, range *x, range *y)
{
    side left, right;
    int64_t at = -1;
    for (int64_t i = first, depth = 0; i <= last; i++) {
        depth += is_op(g, i, '(') - is_op(g, i, ')');
        const bool compares =
            is_op(g, i, '<') || is_op(g, i, '>') || is_op(g, i, OP2('<', '=')) || is_op(g, i, OP2('>', '='));
        if (!depth && compares && at >= 0) return false;
        if (!depth && compares) at = i;
    }
    if (at < 0 || !read_side(g, first, at - 1, &left) || !read_side(g, at + 1, last, &right)) return false;
    if (left.thread && right.thread) return false;
    const bool less = is_op(g, at, '<') || is_op(g, at, OP2('<', '=')), equal = g->tokens.at[at].length == 2;
    const side *low = less ? &left : &right, *high = less ? &right : &left;
    const gen_name *thread = low->thread ? low->thread : high->thread;
    if (!thread) { /* the same for all */
        x->to = mmm_gen_format(g, "mmm_least(%s, %s <%s %s ? INT32_MAX : 0)", x->to ? x->to : "INT32_MAX",
                               text_of(g, low), equal ? "=" : "", text_of(g, high));
        return x->to != NULL;
    }
    const char *space = mmm_gen_format(g, "MMM_AT_0(%s, (i64)(%s) - (i64)(%s))%s", thread->text, text_of(g, high),
                                       text_of(g, low), equal ? " + 1" : "");
    range *r = thread == g->thread ? x : y;
    if (low->thread)
        r->to = mmm_gen_format(g, "mmm_least(%s, %s)", r->to ? r->to : "INT32_MAX", space);
    else
        r->from = mmm_gen_format(g, "mmm_most(%s, 1 - (%s))", r->from ? r->from : "0", space);
    return true;
}

static bool is_keyword(const generator *g, int64_t i, gen_keyword word)
{
    const gen_token *t = &g->tokens.at[i];
    return t->kind == TOKEN_NAME && t->name->word && t->name->word->class == CLASS_KEYWORD &&
           t->name->word->value == (int)word;
}

/* Whether these tokens are a number that all threads have alike. */
static bool is_same(const generator *g, int64_t first, int64_t last)
{
    side s;
    return read_side(g, first, last, &s) && !s.thread;
}

static int64_t next_semicolon(const generator *g, int64_t first, int64_t end)
{
    while (first < end && !is_op(g, first, ';'))
        first++;
    return first;
}

/* Whether the loop from `first` on, whose header ends at `last`, is for (int j = A; j < B; j++), or j += C, with
 * numbers that all threads have alike. */
static bool is_counted(const generator *g, int64_t first, int64_t last)
{
    const gen_token *type = &g->tokens.at[first + 2], *j = &g->tokens.at[first + 3];
    const int64_t one = next_semicolon(g, first, last), two = next_semicolon(g, one + 1, last);
    if (two + 2 >= last || type->kind != TOKEN_NAME || type->length != 3 || strncmp(type->text, "int", 3) != 0)
        return false;
    if (j->kind != TOKEN_NAME || g->tokens.at[one + 1].name != j->name || g->tokens.at[two + 1].name != j->name ||
        g->tokens.at[one + 1].kind != TOKEN_NAME || g->tokens.at[two + 1].kind != TOKEN_NAME)
        return false;
    if (!is_op(g, first + 4, '=') || !is_op(g, one + 2, '<')) return false;
    if (!is_same(g, first + 5, one - 1) || !is_same(g, one + 3, two - 1)) return false;
    return is_op(g, two + 2, OP2('+', '+')) ? two + 3 == last
                                            : is_op(g, two + 2, OP2('+', '=')) && is_same(g, two + 3, last - 1);
}

/* Whether all that is done from `first` on, before `end`, is to change a PRIVATE value. */
static bool adds_up(const generator *g, int64_t first, int64_t end)
{
    if (!is_last(g, first, end)) return false;
    if (is_op(g, first, '{')) {
        end = closing(g, first, end, '{', '}');
        first++;
    }
    const gen_token *t = &g->tokens.at[first];
    if (t->kind != TOKEN_NAME || !t->name->symbol || t->name->symbol->place != PLACE_PRIVATE) return false;
    return (is_op(g, first + 1, OP2('+', '=')) || is_op(g, first + 1, OP2('-', '=')) || is_op(g, first + 1, '=')) &&
           is_last(g, first, end);
}

static void turn_outside(generator *g, int64_t word, int64_t first, int64_t end)
{
    const int64_t last = closing(g, first + 1, end, '(', ')');
    if (last < 0 || !is_counted(g, first, last) || !adds_up(g, last + 1, end)) return;
    const side header = {.first = first, .last = last};
    gen_edit *part = mmm_gen_edit(g, word);
    const int region = strncmp(part->instead, "MMM_REGION ", 11) == 0 ? 11 : 0;
    part->instead =
        mmm_gen_format(g, "%.*sMMM_OUTER(%s) %s", region, part->instead, text_of(g, &header), part->instead + region);
    mmm_gen_edit(g, first)->instead = "MMM_INNER(for";
    mmm_gen_edit(g, last)->after = ")";
}

void mmm_gen_within(generator *g, int64_t word, int64_t close, int64_t end)
{
    range x = {0}, y = {0};
    int64_t first = close + 1;
    if (g->status != MMM_OK || g->lost || g->errors) return;
    if (is_op(g, first, '{') && is_op(g, end - 1, '}')) {
        first++;
        end--;
    }
    if (is_keyword(g, first, WORD_FOR)) turn_outside(g, word, first, end);
    if (!is_keyword(g, first, WORD_IF)) return;
    const int64_t last = closing(g, first + 1, end, '(', ')');
    if (last < 0 || !is_last(g, last + 1, end)) return;
    int64_t from = first + 2;
    for (int64_t i = from, depth = 0; i <= last; i++) {
        depth += is_op(g, i, '(') - is_op(g, i, ')');
        if (i < last && (depth || !is_op(g, i, OP2('&', '&')))) continue;
        if (!read_comparison(g, from, i - 1, &x, &y)) return;
        from = i + 1;
    }
    const char *bounds = mmm_gen_format(g, ", %s, %s", x.from ? x.from : "0", x.to ? x.to : "INT32_MAX");
    if (g->thread_y && bounds)
        bounds = mmm_gen_format(g, "%s, %s, %s", bounds, y.from ? y.from : "0", y.to ? y.to : "INT32_MAX");
    gen_edit *part = mmm_gen_edit(g, word);
    part->instead = mmm_gen_format(g, "%s_WITHIN", part->instead);
    mmm_gen_edit(g, close)->before = bounds;
    mmm_gen_edit(g, first)->instead = "MMM_WHERE";
}
