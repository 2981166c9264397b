/* SPDX-License-Identifier: Apache-2.0 */
/* Values without variables as numbers, with proven digits. */
#include "algebra/algebra.h"

#include <acb.h>
#include <arb.h>
#include <math.h>
#include <string.h>

/* The value as a ball at a precision; log2 of numbers is all that may be left in it. */
static bool ball(const mmm_space *space, const mmm_fraction *value, slong precision, arb_t out)
{
    bool fine = true;
    acb_ptr atoms = _acb_vec_init(MMM_ATOMS);
    acb_t result;
    fmpz_t number;
    acb_init(result);
    fmpz_init(number);
    for (int i = 0; i < space->count && fine; i++) {
        if (!mmm_value_uses(space, value, i)) continue;
        const mmm_atom *a = &space->atoms[i];
        fine = a->kind == ATOM_LOG && fmpz_mpoly_is_fmpz(&a->argument, space->ctx);
        if (!fine) break;
        fmpz_mpoly_get_fmpz(number, &a->argument, space->ctx);
        arb_set_fmpz(out, number);
        arb_log_base_ui(acb_realref(atoms + i), out, 2, precision);
    }
    if (fine) {
        fmpz_mpoly_q_evaluate_acb(result, value, atoms, precision, space->ctx);
        arb_set(out, acb_realref(result));
    }
    fmpz_clear(number);
    acb_clear(result);
    _acb_vec_clear(atoms, MMM_ATOMS);
    return fine;
}

/* To about 60 decimals; a value that is not zero in canonical form is not zero, so that its sign shows at last. */
static bool precise(const mmm_space *space, const mmm_fraction *value, arb_t out)
{
    for (slong precision = 256; precision <= 65536; precision *= 4) {
        if (!ball(space, value, precision, out)) return false;
        if (arb_rel_accuracy_bits(out) >= 128 || fmpz_mpoly_q_is_zero(value, space->ctx)) return true;
    }
    return false;
}

bool mmm_value_rounded(const mmm_space *space, const mmm_fraction *value, bool up, fmpz_t out)
{
    bool found = false;
    arb_t number;
    arb_init(number);
    if (fmpz_mpoly_q_is_fmpq(value, space->ctx)) { /* a ball around a whole number would be on both sides of it */
        fmpz_t below;
        fmpz_init(below);
        fmpz_mpoly_get_fmpz(out, fmpz_mpoly_q_numref(value), space->ctx);
        fmpz_mpoly_get_fmpz(below, fmpz_mpoly_q_denref(value), space->ctx);
        up ? fmpz_cdiv_q(out, out, below) : fmpz_fdiv_q(out, out, below);
        fmpz_clear(below);
        found = true;
    }
    for (slong precision = 256; precision <= 65536 && !found; precision *= 4) {
        if (!ball(space, value, precision, number)) break;
        up ? arb_ceil(number, number, precision) : arb_floor(number, number, precision);
        found = arb_get_unique_fmpz(out, number);
    }
    arb_clear(number);
    return found;
}

bool mmm_value_number(const mmm_space *space, const mmm_fraction *value, double *out, int *sign)
{
    arb_t number;
    arb_init(number);
    bool fine = precise(space, value, number);
    if (fine) {
        if (out) *out = arf_get_d(arb_midref(number), ARF_RND_NEAR);
        if (sign) *sign = fmpz_mpoly_q_is_zero(value, space->ctx) ? 0 : arb_is_positive(number) ? 1 : -1;
    }
    arb_clear(number);
    return fine;
}

mmm_status mmm_value_decimal(const mmm_space *space, const mmm_fraction *value, char **out)
{
    arb_t number;
    *out = NULL;
    arb_init(number);
    if (precise(space, value, number)) {
        double size = fabs(arf_get_d(arb_midref(number), ARF_RND_NEAR));
        char *digits = NULL;
        if (fmpz_mpoly_q_is_fmpz(value, space->ctx) && size < 1e30) {
            fmpz_t whole;
            fmpz_init(whole);
            fmpz_mpoly_get_fmpz(whole, fmpz_mpoly_q_numref(value), space->ctx);
            digits = fmpz_get_str(NULL, 10, whole);
            fmpz_clear(whole);
        } else {
            digits = arb_get_str(number, 17, ARB_STR_NO_RADIUS);
            size_t length = strlen(digits);
            if (strchr(digits, '.') && !strchr(digits, 'e'))
                while (digits[length - 1] == '0' && digits[length - 2] != '.')
                    digits[--length] = 0;
        }
        *out = mmm_copy_string(digits);
        flint_free(digits);
    }
    arb_clear(number);
    return MMM_OK;
}
