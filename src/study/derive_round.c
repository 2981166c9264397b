/* SPDX-License-Identifier: Apache-2.0 */
/* Forms where sizes do not divide: what had to be whole is rounded up, and becomes one more quantity that forms are in.
 */
#include "study/derive.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

/* What a condition says is whole, rounded up, at a point; -1 where it is not positive. */
static int64_t rounded(const derivation *d, const condition *c, const int64_t *at)
{
    int64_t unit = c->factor, x = mmm_condition_shifted(c, at), log = 0;
    for (int i = 0; i < d->axis_count; i++)
        for (int j = 0; j < c->of.exponents[i]; j++)
            unit *= at[i];
    if (c->of.power >= 0 && __builtin_mul_overflow(x, (int64_t)1 << (at[c->of.power] & 31), &x)) return -1;
    if (x <= 0 || unit <= 0) return -1;
    if (c->kind == WHOLE) return (x + unit - 1) / unit;
    while (unit < x)
        unit *= 2, log++;
    return log;
}

/* "ceil(m/(2*s))", of the text "m/(2*s) is whole, ..." */
static mmm_status name_of(const derivation *d, const condition *c, char *out)
{
    mmm_status result = MMM_OK;
    mmm_text text = {0};
    TRY(mmm_condition_text(d, c, &text));
    char *end = strstr(text.data, " is whole");
    if (!end || end - text.data > NAME - 8) FAIL(MMM_TOO_LARGE, "a condition of more than %d letters", NAME - 8);
    snprintf(out, NAME, "ceil(%.*s)", (int)(end - text.data), text.data);
done:
    mmm_free(text.data);
    return result;
}

mmm_status mmm_derive_round(derivation *d, const condition *whole, int count)
{
    mmm_status result = MMM_OK;
    point_list *pool = &d->diverse;
    for (int i = 0; i < count && d->axis_count < AXES; i++) {
        char *name = d->names[d->axis_count];
        TRY(name_of(d, &whole[i], name));
        for (int64_t j = 0; j < pool->count; j++)
            pool->list[j].at[d->axis_count] = rounded(d, &whole[i], pool->list[j].at);
        d->axes[d->axis_count++] = (derive_axis){.name = name, .size = true, .rounded = true, .most = INT64_MAX};
    }
done:
    return result;
}
