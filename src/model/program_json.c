/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with their costs, read from JSON files that nobody has checked (sections 2.2 and 2.3). */
#include "model/model.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_KEYS "name, blocks, threads, work, span, overhead_words"

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

static mmm_status read_costs(mmm_program *program, int kernel, const json_t *object)
{
    mmm_status result = MMM_OK;
    const mmm_node *node = &program->nodes[kernel];
    block *blocks = NULL;
    mmm_cost *groups = NULL;
    int64_t count = 1;
    for (int i = 0; i < COSTS; i++) {
        const json_t *value = json_object_get(object, cost_keys[i]);
        if (json_is_array(value) && (int64_t)json_array_size(value) == node->blocks) count = node->blocks;
    }
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
    if (strcmp(key, "name") == 0 || strcmp(key, "blocks") == 0 || strcmp(key, "threads") == 0) return true;
    for (int i = 0; i < COSTS; i++)
        if (strcmp(key, cost_keys[i]) == 0) return true;
    return false;
}

static mmm_status read_kernel(mmm_program *program, json_t *object, json_t *numbers)
{
    mmm_status result = MMM_OK;
    int64_t position = program->kernels, blocks, threads;
    const char *name, *key;
    json_t *value;
    int kernel;
    if (!json_is_object(object))
        FAIL(MMM_INVALID, "kernel %lld is not an object with the keys %s", (long long)position, KERNEL_KEYS);
    name = json_string_value(json_object_get(object, "name"));
    if (!name || !*name)
        FAIL(MMM_INVALID, "kernel %lld needs a name that is a string and not empty", (long long)position);
    json_object_foreach(object, key, value) if (!known_key(key))
        FAIL(MMM_INVALID, "kernel '%.100s' has the unknown key '%.100s'; known are %s", name, key, KERNEL_KEYS);
    if (json_object_get(numbers, name)) FAIL(MMM_INVALID, "there are two kernels '%.100s'", name);
    TRY(read_integer(name, "blocks", json_object_get(object, "blocks"), 1, &blocks));
    TRY(read_integer(name, "threads", json_object_get(object, "threads"), 1, &threads));
    TRY(mmm_program_add(program, name, blocks, threads, &kernel));
    if (json_object_set_new(numbers, name, json_integer(kernel)) != 0) FAIL(MMM_MEMORY, "no memory for kernel names");
    TRY(read_costs(program, kernel, object));
done:
    return result;
}

static mmm_status read_end(const json_t *edge, size_t end, const json_t *numbers, int *kernel)
{
    const char *name = json_string_value(json_array_get(edge, end));
    if (!name || json_array_size(edge) != 2)
        return mmm_fail(MMM_INVALID, "an edge must be two names of kernels, as in [\"A\",\"B\"]");
    const json_t *number = json_object_get(numbers, name);
    if (!number) return mmm_fail(MMM_INVALID, "an edge names the unknown kernel '%.100s'", name);
    *kernel = (int)json_integer_value(number);
    return MMM_OK;
}

static mmm_status read_root(mmm_program *program, json_t *root, json_t *numbers)
{
    mmm_status result = MMM_OK;
    const char *key;
    json_t *value;
    size_t i;
    if (!json_is_object(root)) FAIL(MMM_INVALID, "a program must be a JSON object with the keys kernels, edges");
    json_object_foreach(root, key, value) if (strcmp(key, "kernels") != 0 && strcmp(key, "edges") != 0)
        FAIL(MMM_INVALID, "a program has the unknown key '%.100s'; known are kernels, edges", key);
    json_t *kernels = json_object_get(root, "kernels"), *edges = json_object_get(root, "edges");
    if (!kernels || (json_is_array(kernels) && json_array_size(kernels) == 0)) FAIL(MMM_INVALID, "no kernels");
    if (!json_is_array(kernels)) FAIL(MMM_INVALID, "kernels must be an array");
    if (edges && !json_is_array(edges)) FAIL(MMM_INVALID, "edges must be an array");
    json_array_foreach(kernels, i, value) TRY(read_kernel(program, value, numbers));
    json_array_foreach(edges, i, value)
    {
        int before, after;
        TRY(read_end(value, 0, numbers, &before));
        TRY(read_end(value, 1, numbers, &after));
        TRY(mmm_program_depend(program, before, after));
    }
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
    json_error_t error;
    mmm_program *program = NULL;
    const mmm_order *order;
    if (!numbers) FAIL(MMM_MEMORY, "no memory for kernel names");
    TRY(mmm_file_read(path, FILE_LIMIT, &text, &size));
    if ((uint64_t)size * PARSED_PER_BYTE > mmm_memory_available())
        FAIL(MMM_TOO_LARGE, "'%.200s' may need %.1f GB of memory, %.1f GB are available", path,
             (double)size * PARSED_PER_BYTE / 1e9, (double)mmm_memory_available() / 1e9);
    root = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        FAIL(MMM_INVALID, "'%.200s' is not JSON: line %d, column %d: %s", path, error.line, error.column, error.text);
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
