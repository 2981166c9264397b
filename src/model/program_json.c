/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with their costs, read from JSON files that nobody has checked (sections 2.2 and 2.3). */
#include "model/model.h"
#include "base/json.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_KEYS "name, blocks, threads, work, span, overhead_words, costs, count, local_words, seconds"
#define GROUP_KEYS  "blocks, work, span, span_thread, reads, writes"

/* jansson takes up to 48 bytes for a number that takes 2 in the file. */
enum { FILE_LIMIT = 1 << 30, PARSED_PER_BYTE = 24 };

/* What costs a block: work, span, overhead_words. */
enum { COSTS = 3 };
static const char *const cost_keys[COSTS] = {"work", "span", "overhead_words"};

typedef struct block {
    int64_t cost[COSTS];
} block;

static int compare_blocks(const void *a, const void *b)
{
    const block *x = a, *y = b;
    for (int i = 0; i < COSTS; i++)
        if (x->cost[i] != y->cost[i]) return x->cost[i] < y->cost[i] ? -1 : 1;
    return 0;
}

static mmm_cost cost_of(const block *one, int64_t blocks)
{
    return (mmm_cost){.blocks = blocks,
                      .work = one->cost[0],
                      .span = one->cost[1],
                      .span_thread = one->cost[1],
                      .reads = one->cost[2]};
}

static const char *const kernel_keys[] = {"name",  "blocks", "threads",     "work",    "span", "overhead_words",
                                          "costs", "count",  "local_words", "seconds", NULL};

/* A group of blocks of equal cost: what may be left out is 0, but for span_thread. */
static const struct {
    const char *key;
    size_t at;
    int64_t least;
    bool required;
} group_keys[] = {
    {"blocks", offsetof(mmm_cost, blocks), 1, true}, {"work", offsetof(mmm_cost, work), 0, true},
    {"span", offsetof(mmm_cost, span), 0, true},     {"span_thread", offsetof(mmm_cost, span_thread), 0, false},
    {"reads", offsetof(mmm_cost, reads), 0, false},  {"writes", offsetof(mmm_cost, writes), 0, false},
};

enum { GROUP_COUNT = sizeof group_keys / sizeof *group_keys };

/* An integer of at least `least` under `key`. */
static mmm_status read_integer(const char *name, const char *key, const json_t *value, int64_t least, int64_t *out)
{
    if (!value) return mmm_fail(MMM_INVALID, "kernel '%.100s' lacks the key %s (keys: %s)", name, key, KERNEL_KEYS);
    if (!json_is_integer(value) || json_integer_value(value) < least)
        return mmm_fail(MMM_INVALID, "kernel '%.100s': %s must be an integer of at least %lld", name, key,
                        (long long)least);
    *out = json_integer_value(value);
    return MMM_OK;
}

/* Puts one cost into `count` blocks, which are 1 where no cost is an array. */
static mmm_status read_cost(const char *name, int i, const json_t *value, int64_t blocks, block *out, int64_t count)
{
    mmm_status result = MMM_OK;
    if (!json_is_array(value)) {
        int64_t number;
        TRY(read_integer(name, cost_keys[i], value, 0, &number));
        for (int64_t b = 0; b < count; b++)
            out[b].cost[i] = number;
        goto done;
    }
    if ((int64_t)json_array_size(value) != blocks)
        FAIL(MMM_INVALID, "kernel '%.100s': %s has %zu entries, but there are %lld blocks", name, cost_keys[i],
             json_array_size(value), (long long)blocks);
    for (int64_t b = 0; b < count; b++)
        TRY(read_integer(name, cost_keys[i], json_array_get(value, (size_t)b), 0, &out[b].cost[i]));
done:
    return result;
}

/* Sorts blocks and writes a group for each run of equal ones; returns how many. */
static int group_blocks(block *blocks, int64_t count, mmm_cost *groups)
{
    int groups_made = 0;
    qsort(blocks, (size_t)count, sizeof *blocks, compare_blocks);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && compare_blocks(&blocks[begin], &blocks[end]) == 0;)
            end++;
        groups[groups_made++] = cost_of(&blocks[begin], end - begin);
    }
    return groups_made;
}

static mmm_status read_group(const char *name, json_t *object, mmm_cost *out)
{
    mmm_status result = MMM_OK;
    const char *key;
    json_t *value;
    size_t found = 0;
    if (!json_is_object(object))
        FAIL(MMM_INVALID, "kernel '%.100s': costs must be objects with the keys %s", name, GROUP_KEYS);
    for (int i = 0; i < GROUP_COUNT; i++) {
        int64_t *field = (int64_t *)((char *)out + group_keys[i].at);
        value = json_object_get(object, group_keys[i].key);
        found += value != NULL;
        if (!value && !group_keys[i].required)
            *field = field == &out->span_thread ? out->span : 0;
        else
            TRY(read_integer(name, group_keys[i].key, value, group_keys[i].least, field));
    }
    if (found == json_object_size(object)) goto done;
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (i < GROUP_COUNT && strcmp(key, group_keys[i].key) != 0)
            i++;
        if (i == GROUP_COUNT)
            FAIL(MMM_INVALID, "kernel '%.100s': its costs have the unknown key '%.100s'; known are %s", name, key,
                 GROUP_KEYS);
    }
done:
    return result;
}

static mmm_status read_groups(mmm_program *program, int kernel, const json_t *list)
{
    mmm_status result = MMM_OK;
    const char *name = program->nodes[kernel].name;
    mmm_cost *groups = NULL;
    json_t *value;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) > INT_MAX)
        FAIL(MMM_INVALID, "kernel '%.100s': costs must be an array of groups of blocks", name);
    TRY(mmm_alloc(&groups, (int64_t)json_array_size(list), sizeof *groups));
    json_array_foreach(list, i, value) TRY(read_group(name, value, &groups[i]));
    TRY(mmm_program_set_costs(program, kernel, groups, (int)json_array_size(list)));
done:
    free(groups);
    return result;
}

static mmm_status read_costs(mmm_program *program, int kernel, const json_t *object)
{
    mmm_status result = MMM_OK;
    const mmm_node *node = &program->nodes[kernel];
    block *blocks = NULL;
    mmm_cost *groups = NULL;
    int64_t count = 1;
    const json_t *stated = json_object_get(object, "costs");
    for (int i = 0; i < COSTS; i++) {
        const json_t *value = json_object_get(object, cost_keys[i]);
        if (stated && value)
            FAIL(MMM_INVALID, "kernel '%.100s' has both costs and %s: one of them is enough", node->name, cost_keys[i]);
        if (json_is_array(value) && (int64_t)json_array_size(value) == node->blocks) count = node->blocks;
    }
    if (stated) return read_groups(program, kernel, stated);
    TRY(mmm_alloc(&blocks, count, sizeof *blocks));
    for (int i = 0; i < COSTS; i++)
        TRY(read_cost(node->name, i, json_object_get(object, cost_keys[i]), node->blocks, blocks, count));
    if (count == 1) {
        mmm_cost all = cost_of(blocks, node->blocks);
        TRY(mmm_program_set_costs(program, kernel, &all, 1));
        goto done;
    }
    TRY(mmm_alloc(&groups, count, sizeof *groups));
    TRY(mmm_program_set_costs(program, kernel, groups, group_blocks(blocks, count, groups)));
done:
    free(blocks);
    free(groups);
    return result;
}

static bool known_key(const char *key)
{
    for (const char *const *known = kernel_keys; *known; known++)
        if (strcmp(key, *known) == 0) return true;
    return false;
}

/* Few words can ask for many kernels: more than anybody draws or schedules are refused. */
enum { KERNELS_OF_FILE = 1 << 22 };

/* Adds `more` kernels that are like the last one. */
static mmm_status repeat_kernel(mmm_program *program, int64_t more)
{
    mmm_status result = MMM_OK;
    int first = (int)program->kernels - 1, kernel;
    const mmm_node *like = &program->nodes[first];
    uint64_t each = sizeof *like + strlen(like->name) + 1 + (uint64_t)like->groups * sizeof *like->costs;
    if (more > KERNELS_OF_FILE - program->kernels)
        FAIL(MMM_TOO_LARGE, "kernel '%.100s': with %lld of them there are more than %d kernels", like->name,
             (long long)more + 1, KERNELS_OF_FILE);
    if ((uint64_t)more > mmm_memory_available() / 2 / each)
        FAIL(MMM_TOO_LARGE, "kernel '%.100s': memory does not hold %lld of them", like->name, (long long)more + 1);
    for (int64_t i = 0; i < more; i++) {
        like = &program->nodes[first];
        TRY(mmm_program_add(program, like->name, like->blocks, like->threads, &kernel));
        like = &program->nodes[first];
        program->nodes[kernel].local_words = like->local_words;
        program->nodes[kernel].seconds = like->seconds;
        TRY(mmm_program_set_costs(program, kernel, like->costs, like->groups));
    }
done:
    return result;
}

/* The number of the kernel with a name, or -1 where there are several. */
static mmm_status note_name(json_t *numbers, const char *name, int kernel, int64_t count)
{
    bool several = count > 1 || json_object_get(numbers, name);
    if (json_object_set_new(numbers, name, json_integer(several ? -1 : kernel)) != 0)
        return mmm_fail(MMM_MEMORY, "no memory for kernel names");
    return MMM_OK;
}

static mmm_status read_kernel(mmm_program *program, json_t *object, json_t *numbers)
{
    mmm_status result = MMM_OK;
    int64_t position = program->kernels, blocks, threads, count = 1, local_words = 0;
    const char *name, *key;
    json_t *value;
    int kernel;
    if (!json_is_object(object))
        FAIL(MMM_INVALID, "kernel %lld is not an object with the keys %s", (long long)position, KERNEL_KEYS);
    name = json_string_value(json_object_get(object, "name"));
    if (!name || !*name || !mmm_is_plain(name))
        FAIL(MMM_INVALID, "kernel %lld needs a name that is a string, not empty and without control characters",
             (long long)position);
    json_object_foreach(object, key, value) if (!known_key(key))
        FAIL(MMM_INVALID, "kernel '%.100s' has the unknown key '%.100s'; known are %s", name, key, KERNEL_KEYS);
    TRY(read_integer(name, "blocks", json_object_get(object, "blocks"), 1, &blocks));
    TRY(read_integer(name, "threads", json_object_get(object, "threads"), 1, &threads));
    if ((value = json_object_get(object, "count"))) TRY(read_integer(name, "count", value, 1, &count));
    if ((value = json_object_get(object, "local_words")))
        TRY(read_integer(name, "local_words", value, 0, &local_words));
    TRY(mmm_program_add(program, name, blocks, threads, &kernel));
    program->nodes[kernel].local_words = local_words;
    if ((value = json_object_get(object, "seconds"))) {
        double seconds = json_number_value(value);
        if (!(seconds > 0)) FAIL(MMM_INVALID, "kernel '%.100s': seconds must be a number larger than 0", name);
        program->nodes[kernel].seconds = seconds;
    }
    TRY(read_costs(program, kernel, object));
    TRY(repeat_kernel(program, count - 1));
    TRY(note_name(numbers, name, kernel, count));
done:
    return result;
}

static mmm_status read_end(const json_t *edge, size_t end, const json_t *numbers, int64_t kernels, int *kernel)
{
    const json_t *value = json_array_get(edge, end);
    const char *name = json_string_value(value);
    size_t size = json_array_size(edge);
    if ((!name && !json_is_integer(value)) || size < 2 || size > 3)
        return mmm_fail(MMM_INVALID, "an edge must be two names or numbers of kernels, as in [\"A\",\"B\"] or [0,1]");
    if (name && !(value = json_object_get(numbers, name)))
        return mmm_fail(MMM_INVALID, "an edge names the unknown kernel '%.100s'", name);
    json_int_t number = json_integer_value(value);
    if (name && number < 0)
        return mmm_fail(MMM_INVALID, "an edge names the kernel '%.100s', of which there are several: give its number",
                        name);
    if (number < 0 || number >= kernels)
        return mmm_fail(MMM_INVALID, "an edge names kernel %lld; they are numbered from 0 and are %lld",
                        (long long)number, (long long)kernels);
    *kernel = (int)number;
    return MMM_OK;
}

static mmm_status read_edge(mmm_program *program, const json_t *edge, const json_t *numbers, bool decides)
{
    mmm_status result = MMM_OK;
    int before, after;
    int64_t count = 1;
    TRY(read_end(edge, 0, numbers, program->kernels, &before));
    TRY(read_end(edge, 1, numbers, program->kernels, &after));
    if (json_array_size(edge) == 3) {
        count = json_integer_value(json_array_get(edge, 2));
        int last = before > after ? before : after;
        if (count < 1 || count > program->kernels - last)
            FAIL(MMM_INVALID, "the edges from kernel %d to %d on are from 1 to %lld, not %lld", before, after,
                 (long long)program->kernels - last, (long long)count);
    }
    for (int i = 0; i < (int)count; i++)
        TRY((decides ? mmm_program_unfolds : mmm_program_depend)(program, before + i, after + i));
done:
    return result;
}

static mmm_status read_root(mmm_program *program, json_t *root, json_t *numbers)
{
    mmm_status result = MMM_OK;
    const char *key;
    json_t *value;
    size_t i;
    if (!json_is_object(root)) FAIL(MMM_INVALID, "a program must be a JSON object with the keys kernels, edges");
    json_object_foreach(root, key, value) if (strcmp(key, "kernels") != 0 && strcmp(key, "edges") != 0 &&
                                              strcmp(key, "unfolds") != 0)
        FAIL(MMM_INVALID, "a program has the unknown key '%.100s'; known are kernels, edges, unfolds", key);
    json_t *kernels = json_object_get(root, "kernels"), *edges = json_object_get(root, "edges");
    json_t *unfolds = json_object_get(root, "unfolds");
    if (!kernels || (json_is_array(kernels) && json_array_size(kernels) == 0)) FAIL(MMM_INVALID, "no kernels");
    if (!json_is_array(kernels)) FAIL(MMM_INVALID, "kernels must be an array");
    if (edges && !json_is_array(edges)) FAIL(MMM_INVALID, "edges must be an array");
    if (unfolds && !json_is_array(unfolds)) FAIL(MMM_INVALID, "unfolds must be an array");
    json_array_foreach(kernels, i, value) TRY(read_kernel(program, value, numbers));
    json_array_foreach(edges, i, value) TRY(read_edge(program, value, numbers, false));
    json_array_foreach(unfolds, i, value) TRY(read_edge(program, value, numbers, true));
done:
    return result;
}

/* A file's name before the message that the reader left. */
static mmm_status fail_in_file(mmm_status status, const char *path)
{
    char text[512];
    snprintf(text, sizeof text, "%s", mmm_message());
    return mmm_fail(status, "'%.200s': %s", path, text);
}

mmm_status mmm_program_read(const char *path, mmm_program **out)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size;
    json_t *root = NULL, *numbers = json_object();
    mmm_program *program = NULL;
    const mmm_order *order;
    if (!path || !out) FAIL(MMM_INVALID, "%s is NULL", path ? "the place for a program" : "the path of a program");
    if (!numbers) FAIL(MMM_MEMORY, "no memory for kernel names");
    TRY(mmm_file_read(path, FILE_LIMIT, &text, &size));
    if ((uint64_t)size * PARSED_PER_BYTE > mmm_memory_available())
        FAIL(MMM_TOO_LARGE, "'%.200s' may need %.1f GB of memory, %.1f GB are available", path,
             (double)size * PARSED_PER_BYTE / 1e9, (double)mmm_memory_available() / 1e9);
    TRY(mmm_json_read(path, text, size, JSON_REJECT_DUPLICATES, &root));
    TRY(mmm_program_new(&program));
    result = read_root(program, root, numbers);
    if (result == MMM_OK) result = mmm_program_order(program, &order);
    if (result != MMM_OK) {
        result = fail_in_file(result, path);
        goto done;
    }
    *out = program;
    program = NULL;
done:
    mmm_program_free(program);
    json_decref(root);
    json_decref(numbers);
    free(text);
    return result;
}
