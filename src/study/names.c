/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerated values: what studies find, in words. */
#include "study/study.h"

#define NAME(names, number) ((unsigned)(number) < sizeof names / sizeof *names ? names[number] : "unknown")

const char *mmm_origin_name(mmm_origin origin)
{
    static const char *const names[] = {
        [MMM_ORIGIN_GIVEN] = "given",
        [MMM_ORIGIN_WISDOM] = "wisdom",
        [MMM_ORIGIN_NEAR_WISDOM] = "wisdom of a near size",
        [MMM_ORIGIN_PREDICTION] = "prediction",
        [MMM_ORIGIN_DEFAULT] = "default",
    };
    return NAME(names, origin);
}

const char *mmm_invalidity_name(mmm_invalidity invalidity)
{
    static const char *const names[] = {
        [MMM_INVALIDITY_CORRECT] = "correct",         [MMM_INVALIDITY_CONSTRAINTS] = "constraints",
        [MMM_INVALIDITY_COMPILE] = "compile",         [MMM_INVALIDITY_RUNTIME] = "runtime",
        [MMM_INVALIDITY_CORRECTNESS] = "correctness", [MMM_INVALIDITY_TIMEOUT] = "timeout",
    };
    return NAME(names, invalidity);
}

const char *mmm_tuning_end_name(mmm_tuning_end end)
{
    static const char *const names[] = {
        [MMM_TUNING_DECIDED] = "decided",   [MMM_TUNING_UNDECIDED] = "undecided",
        [MMM_TUNING_MAX_RUNS] = "max-runs", [MMM_TUNING_TIME_LIMIT] = "time-limit",
        [MMM_TUNING_DRY_RUN] = "dry-run",
    };
    return NAME(names, end);
}
