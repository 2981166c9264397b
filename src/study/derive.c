/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms of what the abstract machine counts: found from small jobs by exact linear algebra, verified on others.
 */
#include "study/derive.h"

#include <string.h>

enum { DIVERSE = 600 };
static const double search_time = 20, count_time = 14; /* about seconds, at most, for points */

mmm_status mmm_derive(const char *app, const char *over, const char *fixed, mmm_derivation *out)
{
    mmm_status result = MMM_OK;
    derivation *d = NULL;
    mmm_text text = {0};
    int found = 0, quantities = 0;
    NEED(app, "the application");
    NEED(out, "the place for the derivation");
    TRY(mmm_alloc(&d, 1, sizeof *d));
    d->random.state = 11;
    d->cap = 256;
    TRY(mmm_derive_open(d, app, over, fixed, NULL));
    d->until = d->spent + search_time;
    TRY(mmm_derive_lattice(d));
    d->until = d->spent + count_time;
    TRY(mmm_derive_forms(d));
    d->until = d->spent + count_time / 2;
    const int64_t wanted = d->axis_count > 3 ? 2 * DIVERSE : DIVERSE;
    TRY(mmm_derive_diverse(d, wanted / 2, &d->diverse));
    d->until += count_time / 2;
    TRY(mmm_derive_near(d, &d->aligned, NULL, NULL, NULL, wanted, &d->diverse));
    TRY(mmm_derive_write(d, &text, &found, &quantities));
    *out = (mmm_derivation){.text = text.data, .found = found, .quantities = quantities, .runs = d->runs};
    text.data = NULL;
done:
    mmm_free(text.data);
    mmm_derive_close(d);
    return result;
}

mmm_status mmm_derivation_write(const mmm_derivation *one, const char *path)
{
    mmm_output output;
    NEED(one && one->text ? one : NULL, "the derivation");
    NEED(path, "the path");
    MMM_TRY(mmm_output_open(&output, path));
    fputs(one->text, output.stream);
    return mmm_output_commit(&output);
}

void mmm_derivation_clear(mmm_derivation *one)
{
    if (!one) return;
    mmm_free(one->text);
    memset(one, 0, sizeof *one);
}
