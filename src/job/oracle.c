/* SPDX-License-Identifier: Apache-2.0 */
/* FLINT as the reference for results. */
#include "job/job.h"

void mmm_polynomial_to_flint(nmod_poly_t f, const mmm_polynomial *a)
{
    nmod_poly_init2(f, a->p, a->terms);
    for (int64_t i = 0; i < a->terms; i++)
        nmod_poly_set_coeff_ui(f, i, a->coefficients[i]);
}

mmm_status mmm_polynomial_compare(const char *name, const mmm_polynomial *ours, const nmod_poly_t theirs)
{
    for (int64_t i = 0; i < ours->terms || i < nmod_poly_length(theirs); i++) {
        uint64_t x = i < ours->terms ? ours->coefficients[i] : 0, y = nmod_poly_get_coeff_ui(theirs, i);
        if (x != y)
            return mmm_fail(MMM_WRONG, "%s differs from FLINT's: the coefficient of x^%lld is %llu, FLINT has %llu",
                            name, (long long)i, (unsigned long long)x, (unsigned long long)y);
    }
    return MMM_OK;
}
