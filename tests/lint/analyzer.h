/* SPDX-License-Identifier: Apache-2.0 */
/* For clang's analyzer, which looks at one file at a time: mmm_fail returns its status, and that is not MMM_OK. */
#include <mmm/app.h>

static inline mmm_status mmm_failed_with(mmm_status status, mmm_status same)
{
    (void)same;
    return status;
}
#define mmm_fail(status, ...) mmm_failed_with((status), (mmm_fail)(status, __VA_ARGS__))
