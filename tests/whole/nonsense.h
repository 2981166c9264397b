/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of test_nonsense share: cases, and what is right, so that one thing at a time is wrong. */
#include "testing.h"

#include "mmm/app.h"
#include "mmm/engine.h"
#include "mmm/formula.h"
#include "mmm/integer.h"
#include "mmm/kernel.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <inttypes.h>
#include <math.h>

/* Cases have numbers: whether it is the turn of this one. */
bool is_turn(const char *text);

/* In the child: what is wrong with the outcome goes to standard error, and makes it end with 1. */
void require(bool right, const char *text, const char *what, int status);
void judge(const char *text, mmm_status status, bool only_invalid);

#define INVALID(call) \
    if (is_turn(#call)) judge(#call, (call), true)
#define REFUSED(call) \
    if (is_turn(#call)) judge(#call, (call), false)
#define WORKS(call) \
    if (is_turn(#call)) require((call) == MMM_OK, #call, "MMM_OK is due", 0)
#define SURVIVES(call) \
    if (is_turn(#call)) (void)(call)
#define IS(test) \
    if (is_turn(#test)) require((test), #test, "does not hold", 0)
#define DOES(call) \
    if (is_turn(#call)) call

extern mmm_machine *machine, *cpu;
extern mmm_job *job, *fresh, *sort;
extern mmm_program *program, *data, *out_program;
extern mmm_formula *formula;
extern mmm_parameters good;
extern mmm_analysis analysis;
extern mmm_study *study;
extern mmm_array *x, *y;
extern char *endless;           /* 100 KB */
extern const char *volatile no; /* NULL that no compiler sees */
extern char path[64];

extern uint64_t a[8], b[4], f[16], g[16];
extern int64_t terms, other_terms, both_terms[2], other_both[2], lengths[4], sms[MMM_BOUNDS_MOST];
extern uint32_t keys[4];
extern mmm_parameters bad[24];
extern int bad_count;

static const enum { LOW = INT32_MIN, HIGH = INT32_MAX } numbers[] = {LOW, -1, HIGH};
enum { NUMBERS = 3 };

int endless_progress(void *context, double done);

void status_cases(void), machine_cases(void), function_cases(void), many_cases(void), plan_cases(void),
    integer_cases(void), engine_cases(void), array_cases(void), job_cases(void), app_cases(void), kernel_cases(void),
    program_cases(void), analysis_cases(void), formula_cases(void), study_cases(void), report_cases(void);
