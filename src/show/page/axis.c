/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of pictures: where a value lies, and which values to name. */
#include "show/page/page.h"

#include <math.h>

double mmm_axis_at(const mmm_axis *axis, double value)
{
    double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * part;
}

/* Appends a tick unless it is off the axis; false where it is too near to the one before. */
static bool add(const mmm_axis *axis, double gap, double value, double *ticks, int *count)
{
    double slack = axis->log ? 1e-9 * value : 1e-9 * (axis->high - axis->low);
    if (value + slack < axis->low || value - slack > axis->high) return true;
    if (*count == MMM_TICKS_MOST) return false;
    if (*count && fabs(mmm_axis_at(axis, value) - mmm_axis_at(axis, ticks[*count - 1])) < gap) return false;
    ticks[(*count)++] = value;
    return true;
}

static int linear_ticks(const mmm_axis *axis, double gap, double *ticks)
{
    static const double steps[] = {1, 2, 5, 10};
    if (!(axis->high > axis->low)) return 0;
    for (int power = (int)floor(log10(axis->high - axis->low)) - 2; power < 300; power++)
        for (int i = 0; i < 3; i++) {
            int count = 0;
            double step = steps[i] * pow(10, power), first = ceil(axis->low / step - 1e-9) + 0.0; /* not -0 */
            bool fits = true;
            if ((axis->high - axis->low) / step > MMM_TICKS_MOST) continue;
            for (double k = first; fits && k * step <= axis->high * (1 + 1e-9); k++)
                fits = add(axis, gap, k * step, ticks, &count);
            if (fits) return count;
        }
    return 0;
}

int mmm_axis_ticks(const mmm_axis *axis, double gap, double ticks[MMM_TICKS_MOST])
{
    static const double full[] = {1, 2, 5}, sparse[] = {1};
    double ratio = axis->high / axis->low;
    if (!axis->log) return linear_ticks(axis, gap, ticks);
    int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
    if (ratio >= 8) /* below that, powers of ten say too little */
        for (int kind = ratio >= 1e4; kind < 24; kind++) {
            const double *mantissas = kind ? sparse : full;
            int mantissa_count = kind ? 1 : 3, step = kind ? kind : 1, count = 0;
            bool fits = true;
            for (int e = first - ((first % step) + step) % step; fits && e <= last; e += step)
                for (int i = 0; fits && i < mantissa_count; i++)
                    fits = add(axis, gap, mantissas[i] * pow(10, e), ticks, &count);
            if (fits) return count;
        }
    return linear_ticks(axis, gap, ticks);
}
