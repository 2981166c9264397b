/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of the kernel dialect (docs/dialect.md) are on each target.  The generator turns a kernel file into
 * text in these macros; nobody writes them by hand.  A header for each kind of target has its own; they are included
 * here and in each other alone. */
#ifndef MMM_DIALECT_H
#define MMM_DIALECT_H

#if defined(MMM_TARGET_CPU) || defined(MMM_TARGET_ABSTRACT)
#include "dialect_host.h"
#elif defined(MMM_TARGET_CUDA) || defined(MMM_TARGET_OPENCL)
#include "dialect_gpu.h"
#else
#error "define MMM_TARGET_CPU, MMM_TARGET_ABSTRACT, MMM_TARGET_CUDA or MMM_TARGET_OPENCL"
#endif
#include "dialect_lanes.h"

#endif
