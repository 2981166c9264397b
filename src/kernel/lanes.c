/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: numbers of several neighbouring threads, which some machines take at once. */
#include "kernel/generator.h"

#include <string.h>

bool mmm_gen_is_lanes(gen_type type)
{
    return type == TYPE_U32_LANES || type == TYPE_WORD_LANES;
}

bool mmm_gen_in_lanes(const generator *g)
{
    return g->where == WHERE_PART && (g->part == WORD_LANES || g->part == WORD_ITEM_LANES);
}

/* Lanes are added to lanes of their kind and to numbers that are no larger. */
void mmm_gen_check_lanes(generator *g, const gen_token *at, gen_type x, gen_type y)
{
    gen_type lanes = mmm_gen_is_lanes(x) ? x : y, other = mmm_gen_is_lanes(x) ? y : x;
    if (!mmm_gen_is_lanes(lanes) || other == lanes) return;
    bool real = other == TYPE_FLOAT || other == TYPE_DOUBLE, word = lanes == TYPE_WORD_LANES && other == TYPE_WORD;
    if (real || (mmm_gen_types[other].bytes > 4 && !word))
        mmm_gen_error(g, at, "%s with %s, which is larger or no integer; make it %s", mmm_gen_types[lanes].name,
                      mmm_gen_types[other].name, lanes == TYPE_WORD_LANES ? "word" : "u32");
}

void mmm_gen_want_scalar(generator *g, const gen_token *at, gen_type type, const char *where)
{
    if (type == TYPE_MULTIPLIER)
        mmm_gen_error(g, at, "a multiplier in %s: it comes from multiplier_of, and goes to mul_by and cross_by", where);
    if (mmm_gen_is_lanes(type))
        mmm_gen_error(
            g, at,
            "%s in %s: lanes are added, subtracted, given to times, fold, mul_by and its kind, loaded and stored",
            mmm_gen_types[type].name, where);
}

/* An element a[i] of u32 or words for lanes. */
static gen_type read_element(generator *g, const gen_token *name, bool written)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    g->element++;
    gen_value value = mmm_gen_assignment(g);
    gen_type same = mmm_gen_types[value.type].same;
    bool shared = value.place == PLACE_GLOBAL || value.place == PLACE_LOCAL;
    if (!g->lost && !value.unknown &&
        (value.levels > 0 || !value.lvalue || !shared || (same != TYPE_U32 && same != TYPE_WORD)))
        mmm_gen_error(g, at, "'%s' needs an element of a GLOBAL or LOCAL array of u32 or word here, as in a[i + t]",
                      name->name->text);
    else if (!g->lost && !value.unknown && mmm_gen_in_lanes(g) && same != g->lanes)
        mmm_gen_error(g, at, "an element of %s in LANES (%s, ...), which takes other vectors; write LANES (%s, ...)",
                      mmm_gen_types[value.type].name, mmm_gen_types[g->lanes].name, mmm_gen_types[same].name);
    else if (written)
        mmm_gen_check_write(g, at, &value);
    g->element--;
    return same == TYPE_WORD ? TYPE_WORD_LANES : TYPE_U32_LANES;
}

/* What is loaded or stored: lanes, or an array of them. */
static gen_type read_lanes_value(generator *g, const gen_token *name, int levels, bool written)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    gen_value value = mmm_gen_assignment(g);
    if (!g->lost && !value.unknown && (!mmm_gen_is_lanes(value.type) || value.levels != levels))
        mmm_gen_error(g, at,
                      levels ? "'%s' needs an array of u32_lanes or word_lanes here"
                             : "'%s' needs u32_lanes or word_lanes here",
                      name->name->text);
    if (value.object && value.array) {
        if (written)
            mmm_gen_value_given(g, value.object);
        else
            mmm_gen_value_read(g, value.object, at);
        value.object->data = true;
    }
    return value.type;
}

/* After the name and its (: lanes_load(a[i]), lanes_store(a[i], x), lanes_load_rows(x, a[i]), lanes_store_rows(a[i],
 * x). */
gen_value mmm_gen_lanes(generator *g, const gen_token *name)
{
    bool rows = name->name->word->value == CALL_LANES_ROWS, load = strncmp(name->name->text, "lanes_l", 7) == 0;
    const gen_token *at = mmm_gen_peek(g, 0);
    gen_type element = TYPE_VOID, lanes = TYPE_VOID;
    bool outside = !mmm_gen_in_lanes(g);
    if (outside) mmm_gen_error(g, name, "'%s' outside LANES; write LANES (u32, t)", name->name->text);
    if (load && rows)
        lanes = read_lanes_value(g, name, 1, true);
    else
        element = read_element(g, name, !load);
    if (name->name->word->arguments == 2) {
        mmm_gen_expect(g, ',', "between arguments");
        if (load)
            element = read_element(g, name, false);
        else
            lanes = read_lanes_value(g, name, rows, false);
    }
    mmm_gen_expect(g, ')', "after arguments");
    if (mmm_gen_is_lanes(lanes) && !outside) mmm_gen_check_operand(g, at, element, lanes);
    return (gen_value){.type = load && !rows ? element : TYPE_VOID, .data = true, .unknown = outside};
}

/* After the name and its (: lanes_ahead(a[i]), lanes_ahead_rows(a[i]). */
gen_value mmm_gen_lanes_ahead(generator *g, const gen_token *name)
{
    const gen_token *at = mmm_gen_peek(g, 0);
    if (!mmm_gen_in_lanes(g)) mmm_gen_error(g, name, "'%s' outside LANES; write LANES (u32, t)", name->name->text);
    g->element++;
    const gen_value value = mmm_gen_assignment(g);
    if (!g->lost && !value.unknown && (value.levels > 0 || !value.lvalue || value.place != PLACE_GLOBAL))
        mmm_gen_error(g, at, "'%s' needs an element of a GLOBAL array here, as in a[i + t]", name->name->text);
    g->element--;
    mmm_gen_expect(g, ')', "after the argument");
    return (gen_value){.type = TYPE_VOID, .data = true};
}

/* After the name and its (: lanes_ring(z, x, y, w, n, m), of arrays of u32 lanes and two numbers; lanes_ring_52, of
 * word lanes. */
gen_value mmm_gen_lanes_ring(generator *g, const gen_token *name)
{
    const gen_value nothing = {.type = TYPE_VOID, .data = true};
    const gen_type other = strlen(name->name->word->text) == sizeof "lanes_ring" - 1 ? TYPE_WORD_LANES : TYPE_U32_LANES;
    if (!mmm_gen_in_lanes(g)) {
        mmm_gen_lost(g, name, "'%s' outside LANES; write LANES (%s, t)", name->name->text,
                     other == TYPE_U32_LANES ? "word" : "u32");
        return nothing;
    }
    for (int i = 0, count = name->name->word->arguments; i < count && !g->lost; i++) {
        const gen_token *at = mmm_gen_peek(g, 0);
        gen_type type = i < 4 ? read_lanes_value(g, name, 1, i == 0) : mmm_gen_assignment(g).type;
        if (!g->lost && type == other)
            mmm_gen_lost(g, at, "'%s' of %s; it takes %s", name->name->text, mmm_gen_types[type].name,
                         other == TYPE_U32_LANES ? "word_lanes" : "u32_lanes");
        else if (i < count - 1)
            mmm_gen_expect(g, ',', "between arguments");
    }
    mmm_gen_expect(g, ')', "after arguments");
    return nothing;
}
