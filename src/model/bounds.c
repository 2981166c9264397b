/* SPDX-License-Identifier: Apache-2.0 */
/* The Graham-Brent bounds with overhead (section 2.4). */
#include "model/model.h"

/* P = 0 means as many SMs as there are blocks to run: the limit in which only the path is left. */
double mmm_theorem1(const mmm_shape *shape, const mmm_measures *measures, int64_t P)
{
    if (!shape || !measures) return 0;
    double steps = P > 0 ? (double)shape->N / (double)P : 0;
    return (steps + (double)shape->L) * measures->C + measures->decide * (double)shape->decisions;
}

double mmm_corollary1(const mmm_shape *shape, const mmm_measures *measures)
{
    return shape && shape->K > 0 ? mmm_theorem1(shape, measures, shape->K) : 0;
}
