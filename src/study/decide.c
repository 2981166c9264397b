/* SPDX-License-Identifier: Apache-2.0 */
/* What the times of some runs say, on a machine that has other work too.
 *
 * Other work only ever adds to a run, so what an algorithm takes is the least of its runs, once one of them was left
 * alone.  Whether one was, shows when the runs are split in two: where the least of either half is the same, both met
 * it; how far these two lie apart is the noise. */
#include "study/study.h"

#include <math.h>

static const double noise_least = 0.02;
static const double far_from = 4; /* times a prediction, either way */

double mmm_least_time(const double *times, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, times[i]);
    return least;
}

double mmm_noise(const double *times, int count, int visit)
{
    double half[2] = {INFINITY, INFINITY};
    for (int i = 0; i < count; i++)
        half[i / visit % 2] = fmin(half[i / visit % 2], times[i]);
    if (!isfinite(half[0]) || !isfinite(half[1])) return INFINITY;
    return fmax(fmax(half[0], half[1]) / fmin(half[0], half[1]) - 1, noise_least);
}

bool mmm_far_from(double seconds, double predicted)
{
    return seconds > 0 && predicted > 0 && (seconds > far_from * predicted || predicted > far_from * seconds);
}
