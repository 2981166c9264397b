/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs share. */
#ifndef MMM_SHOW_H
#define MMM_SHOW_H

#include "job/job.h"
#include "base/json.h"

/* Where there are more than `shown` kernels, first[k] is the first of the run of kernels in a row that k belongs to,
 * and run[first[k]] their number: of one name and block size and, unless told otherwise, of as many blocks. */
mmm_status mmm_dag_runs(const mmm_program *program, int64_t shown, bool same_blocks, int *first, int64_t *run);

#endif
