/* SPDX-License-Identifier: Apache-2.0 */
/* What the blocks of kernels cost: groups of those that cost the same, shared and copied where kernels are alike. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

void mmm_profiles_free(mmm_profiles *profiles)
{
    free(profiles->first);
    free(profiles->end);
    free(profiles->rest);
    free(profiles->groups);
    memset(profiles, 0, sizeof *profiles);
}

const mmm_profile *mmm_profiles_of(const mmm_profiles *profiles, int64_t kernel, int64_t *count)
{
    const int64_t first = profiles->first[kernel], rest = profiles->rest[kernel];
    int64_t blocks = profiles->program->nodes[kernel].blocks;
    *count = profiles->end[kernel] - first;
    for (int64_t g = first; g < first + *count; g++)
        if (g != rest) blocks -= profiles->groups[g].cost.blocks;
    if (*count) profiles->groups[rest].cost.blocks = blocks;
    return profiles->groups + first;
}

mmm_status mmm_profiles_add(mmm_profiles *out, int64_t from, mmm_profile p, int64_t blocks)
{
    mmm_status result = MMM_OK;
    p.cost.blocks = 0;
    for (int64_t g = from; g < out->group_count; g++) {
        mmm_profile other = out->groups[g];
        other.cost.blocks = 0;
        if (memcmp(&other, &p, sizeof p) == 0) {
            out->groups[g].cost.blocks += blocks;
            return MMM_OK;
        }
    }
    TRY(mmm_grow(&out->groups, &out->group_room, out->group_count + 1, sizeof *out->groups));
    p.cost.blocks = blocks;
    out->groups[out->group_count++] = p;
done:
    return result;
}

int64_t mmm_profiles_largest(const mmm_profiles *out, int64_t first, int64_t count, int64_t *blocks)
{
    int64_t largest = first;
    *blocks = 0;
    for (int64_t g = first; g < first + count; g++) {
        *blocks += out->groups[g].cost.blocks;
        if (out->groups[g].cost.blocks > out->groups[largest].cost.blocks) largest = g;
    }
    return largest;
}

mmm_status mmm_profiles_copy(mmm_profiles *out, int64_t first, int64_t count, const mmm_node *node)
{
    mmm_status result = MMM_OK;
    int64_t blocks, to = out->group_count;
    const int64_t largest = mmm_profiles_largest(out, first, count, &blocks);
    TRY(mmm_grow(&out->groups, &out->group_room, to + count, sizeof *out->groups));
    if (node->period && node->blocks % node->period == 0 && blocks % node->period == 0) {
        for (int64_t g = first; g < first + count; g++)
            TRY(mmm_profiles_add(out, to, out->groups[g],
                                 out->groups[g].cost.blocks / (blocks / node->period) * (node->blocks / node->period)));
        return MMM_OK;
    }
    int64_t rest = out->groups[largest].cost.blocks + node->blocks - blocks; /* others are at the ends */
    if (rest < 1) {
        mmm_profile p = out->groups[largest];
        return mmm_profiles_add(out, to, p, node->blocks);
    }
    for (int64_t g = first; g < first + count; g++) {
        out->groups[out->group_count] = out->groups[g];
        if (g == largest) out->groups[out->group_count].cost.blocks = rest;
        out->group_count++;
    }
done:
    return result;
}

mmm_status mmm_profiles_adapt(mmm_profiles *out, int64_t from, const mmm_node *node)
{
    const int64_t end = out->group_count;
    mmm_status status = mmm_profiles_copy(out, from, end - from, node);
    if (status != MMM_OK) return status;
    memmove(out->groups + from, out->groups + end, (size_t)(out->group_count - end) * sizeof *out->groups);
    out->group_count -= end - from;
    return MMM_OK;
}
