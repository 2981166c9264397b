/* SPDX-License-Identifier: Apache-2.0 */
/* Nonsense for what is reasoned about: mmm/model.h, mmm/formula.h, mmm/study.h. */
#include "nonsense.h"

static mmm_status make_empty(mmm_program **out)
{
    return mmm_program_new(out);
}

static mmm_status no_more(mmm_program *unfolding, int kernel, const void *context)
{
    (void)unfolding, (void)kernel, (void)context;
    return MMM_OK;
}

void program_cases(void)
{
    mmm_parameters parameters;
    mmm_program *out, *empty;
    mmm_shape shape = {0};
    mmm_measures measures = {0};
    mmm_kernel_info info;
    mmm_cost costs[2] = {{.blocks = INT64_MAX}, {.blocks = INT64_MAX}}, negative = {.blocks = 4, .work = -1};
    mmm_cost huge = {4, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    double makespan;
    assert_ok(make_empty(&empty));
    INVALID(mmm_parameters_read(NULL, &parameters));
    INVALID(mmm_parameters_read("U=100", NULL));
    INVALID(mmm_parameters_read("", &parameters));
    INVALID(mmm_parameters_read("U=nan", &parameters));
    INVALID(mmm_parameters_read("Z=-5", &parameters));
    INVALID(mmm_parameters_read("Z=99999999999999999999", &parameters));
    REFUSED(mmm_parameters_read(endless, &parameters));
    IS(mmm_parameters_builtin() != NULL);
    INVALID(mmm_program_new(NULL));
    DOES(mmm_program_free(NULL));
    INVALID(mmm_program_add(NULL, "k", 1, 1, NULL));
    INVALID(mmm_program_add(data, NULL, 1, 1, NULL));
    INVALID(mmm_program_add(data, "k", 0, 1, NULL));
    INVALID(mmm_program_add(data, "k", 1, INT64_MIN, NULL));
    WORKS(mmm_program_add(data, endless, INT64_MAX, INT64_MAX, NULL));
    INVALID(mmm_program_depend(NULL, 0, 1));
    INVALID(mmm_program_depend(data, 0, 0));
    INVALID(mmm_program_shares(NULL, 1, 2));
    INVALID(mmm_program_shares(data, 0, 1));
    INVALID(mmm_program_unfolds(NULL, 0, 1));
    INVALID(mmm_program_unfolds(data, 0, 0));
    INVALID(mmm_program_on_end(NULL, 0, no_more, NULL, 0));
    INVALID(mmm_program_on_end(program, 0, NULL, NULL, 0));
    INVALID(mmm_program_on_end(program, 0, no_more, NULL, 1));
    REFUSED(mmm_program_on_end(program, 0, no_more, &shape, SIZE_MAX));
    INVALID(mmm_program_look(NULL, 0, 0, 0, 1, &shape));
    INVALID(mmm_program_look(program, 0, 0, 0, 1, &shape)); /* nothing is decided on now */
    IS(mmm_program_batch(NULL) == 0);
    INVALID(mmm_program_read(NULL, &out));
    INVALID(mmm_program_read(path, NULL));
    REFUSED(mmm_program_read(endless, &out));
    INVALID(mmm_program_import(NULL, &out));
    INVALID(mmm_program_import(path, NULL));
    REFUSED(mmm_program_import(endless, &out));
    INVALID(mmm_program_write(NULL, path));
    INVALID(mmm_program_write(data, NULL));
    REFUSED(mmm_program_write(data, endless));
    SURVIVES(mmm_program_write(empty, path));
    IS(mmm_program_kernels(NULL) == 0);
    IS(mmm_program_kernel_name(NULL, 0) == NULL);
    INVALID(mmm_program_shape(NULL, &shape));
    INVALID(mmm_program_shape(data, NULL));
    WORKS(mmm_program_shape(empty, &shape));
    INVALID(mmm_program_set_costs(NULL, 0, costs, 1));
    INVALID(mmm_program_set_costs(data, 0, NULL, 1));
    INVALID(mmm_program_set_costs(data, 0, costs, 2));
    INVALID(mmm_program_set_costs(data, 0, costs, -1));
    INVALID(mmm_program_set_costs(data, 0, costs, 0));
    INVALID(mmm_program_set_costs(data, 0, &negative, 1));
    REFUSED((mmm_program_set_costs(data, 0, &huge, 1), mmm_program_measures(data, &good, &measures)));
    REFUSED((mmm_program_set_costs(data, 0, &huge, 1), mmm_program_kernel(data, 0, &info)));
    SURVIVES((mmm_program_set_costs(data, 0, &huge, 1),
              mmm_program_schedule(data, &good, INT64_MAX, 1, NULL, NULL, &makespan)));
    double cost;
    const mmm_trial no_trial = {0};
    IS(mmm_model_at(-1) == NULL);
    IS(mmm_model_at(HIGH) == NULL);
    INVALID(mmm_model_cost(0, NULL, &good, 1, &cost));
    INVALID(mmm_model_cost(0, &no_trial, NULL, 1, &cost));
    INVALID(mmm_model_cost(0, &no_trial, &good, 1, NULL));
    INVALID(mmm_model_cost(0, &no_trial, &good, 1, &cost));
    INVALID(mmm_model_cost(-1, &no_trial, &good, 1, &cost));
    SURVIVES(mmm_rank_correlation(NULL, NULL, HIGH) != 0);
    INVALID(mmm_compare_text(NULL, "-"));
    INVALID(mmm_compare_json(&(mmm_report_input){0}, "-"));
    INVALID(mmm_compare_html(&(mmm_report_input){0}, NULL));
    INVALID(mmm_compare_text(&(mmm_report_input){.parameter = "s", .count = 1}, NULL));
    mmm_traffic traffic;
    INVALID(mmm_program_traffic(NULL, 0, &traffic));
    INVALID(mmm_program_traffic(data, 0, NULL));
    INVALID(mmm_program_traffic(data, 0, &traffic));
    INVALID(mmm_machine_count_traffic(NULL, 1));
    IS(*mmm_operation_kind_name((mmm_operation_kind)-1) == 0);
    INVALID(mmm_program_kernel(NULL, 0, &info));
    INVALID(mmm_program_kernel(data, 0, NULL));
    INVALID(mmm_program_measures(NULL, &good, &measures));
    INVALID(mmm_program_measures(data, NULL, &measures));
    INVALID(mmm_program_measures(data, &good, NULL));
    WORKS(mmm_program_measures(empty, &good, &measures));
    IS(mmm_theorem1(NULL, &measures, 1) == 0);
    IS(mmm_theorem1(&shape, NULL, 1) == 0);
    SURVIVES(mmm_theorem1(&shape, &measures, INT64_MIN) >= 0);
    IS(mmm_corollary1(NULL, &measures) == 0);
    IS(mmm_corollary1(&shape, NULL) == 0);
    INVALID(mmm_program_schedule(NULL, &good, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, NULL, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, &good, 4, 1, NULL, NULL, NULL));
    INVALID(mmm_program_schedule(data, &good, 0, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_schedule(data, &good, INT64_MIN, 1, NULL, NULL, &makespan));
    WORKS(mmm_program_schedule(data, &good, INT64_MAX, 1, NULL, NULL, &makespan));
    WORKS(mmm_program_schedule(empty, &good, 4, 1, NULL, NULL, &makespan));
    INVALID(mmm_program_allow_races(NULL, "a"));
    INVALID(mmm_program_allow_races(program, NULL));
    INVALID(mmm_program_allow_races(program, endless));
    IS(strcmp(mmm_violation_name((mmm_violation_kind)-1), "unknown") == 0);
    IS(strcmp(mmm_violation_meaning((mmm_violation_kind)HIGH), "unknown") == 0);
    for (int i = 0; i < bad_count; i++) {
        INVALID(mmm_program_measures(data, &bad[i], &measures));
        INVALID(mmm_program_schedule(data, &bad[i], 4, 1, NULL, NULL, &makespan));
    }
    for (int i = 0; i < NUMBERS; i++) {
        INVALID(mmm_program_depend(data, 0, numbers[i]));
        INVALID(mmm_program_depend(data, numbers[i], 0));
        INVALID(mmm_program_shares(data, numbers[i], -1));
        INVALID(mmm_program_unfolds(data, numbers[i], 0));
        INVALID(mmm_program_on_end(program, numbers[i], no_more, NULL, 0));
        INVALID(mmm_program_set_costs(data, numbers[i], costs, 1));
        INVALID(mmm_program_kernel(data, numbers[i], &info));
        INVALID(mmm_program_traffic(data, numbers[i], &traffic));
        IS(mmm_program_kernel_name(data, numbers[i]) == NULL);
    }
    mmm_program_free(empty);
}

void analysis_cases(void)
{
    mmm_analysis out, wrong = analysis, nameless = analysis, damaged = analysis;
    mmm_counts counts = {.violation_count = 3};
    int64_t zero[1] = {0};
    wrong.bound_count = HIGH;
    nameless.app = NULL;
    damaged.counts = &counts;
    INVALID(mmm_analysis_make(NULL, data, &good, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, NULL, &good, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, data, NULL, sms, 1, 1));
    INVALID(mmm_analysis_make(&out, data, &good, NULL, 1, 1));
    WORKS(mmm_analysis_make(&out, data, &good, NULL, 0, 1));
    INVALID(mmm_analysis_make(&out, data, &good, sms, -1, 1));
    INVALID(mmm_analysis_make(&out, data, &good, sms, HIGH, 1));
    INVALID(mmm_analysis_make(&out, data, &good, zero, 1, 1));
    INVALID(mmm_report_json(NULL, 1, 0, path));
    INVALID(mmm_report_json(&analysis, 1, 0, NULL));
    INVALID(mmm_report_json(&analysis, -1, 0, path));
    INVALID(mmm_report_json(&wrong, 1, 0, path));
    INVALID(mmm_report_json(&nameless, 1, 0, path));
    INVALID(mmm_report_json(&damaged, 1, 0, path));
    REFUSED(mmm_report_json(&analysis, 1, 0, endless));
    INVALID(mmm_report_text(NULL, 1, path));
    INVALID(mmm_report_text(&analysis, 1, NULL));
    INVALID(mmm_report_text(&analysis, LOW, path));
    INVALID(mmm_report_text(&wrong, 1, path));
    INVALID(mmm_report_text(&nameless, 1, path));
    INVALID(mmm_report_text(&damaged, 1, path));
    REFUSED(mmm_report_text(&analysis, 1, endless));
    INVALID(mmm_report_csv(NULL, 1, path));
    INVALID(mmm_report_csv(&analysis, 1, NULL));
    INVALID(mmm_report_csv(&nameless, 1, path));
    INVALID(mmm_report_csv(&analysis, -7, path));
    INVALID(mmm_report_dot(NULL, path));
    INVALID(mmm_report_dot(data, NULL));
    REFUSED(mmm_report_dot(data, endless));
    INVALID(mmm_report_trace(NULL, &good, 4, 1, path));
    INVALID(mmm_report_trace(data, NULL, 4, 1, path));
    INVALID(mmm_report_trace(data, &good, 4, 1, NULL));
    INVALID(mmm_report_trace(data, &good, -4, 1, path));
    REFUSED(mmm_report_trace(data, &good, INT64_MAX, 1, path));
    for (int i = 0; i < bad_count; i++) {
        wrong = analysis;
        wrong.machine = bad[i];
        INVALID(mmm_analysis_make(&out, data, &bad[i], sms, 1, 1));
        INVALID(mmm_report_json(&wrong, 1, 0, path));
        INVALID(mmm_report_text(&wrong, 1, path));
        INVALID(mmm_report_csv(&wrong, 1, path));
        INVALID(mmm_report_trace(data, &bad[i], 4, 1, path));
    }
}

/* ---- mmm/formula.h --------------------------------------------------------------------------------------------------
 */

void formula_cases(void)
{
    mmm_formula *out;
    mmm_answer answer;
    mmm_claim *claims;
    mmm_strategy strategy;
    int many;
    mmm_query query = {.expression = "W"}, empty = {0}, long_one = {.expression = endless};
    mmm_query notation = {.expression = "W", .notation = (mmm_notation)99};
    mmm_query long_set = {.expression = "W", .set = endless, .assume = endless, .evaluate = endless};
    mmm_query all = {"W", "", "", "", "", "", "", MMM_TEXT, 0};
    mmm_app nameless = {0};
    INVALID(mmm_formula_open(NULL, &out));
    INVALID(mmm_formula_open("division", NULL));
    INVALID(mmm_formula_open(endless, &out));
    INVALID(mmm_app_formula(NULL, &out));
    INVALID(mmm_app_formula(mmm_job_app(job), NULL));
    INVALID(mmm_app_formula(&nameless, &out));
    INVALID(mmm_formula_read(NULL, "W = 1\n", &out));
    INVALID(mmm_formula_read("x", NULL, &out));
    INVALID(mmm_formula_read("x", "W = 1\n", NULL));
    INVALID(mmm_formula_read("x", "", &out));
    INVALID(mmm_formula_read(endless, endless, &out));
    DOES(mmm_formula_free(NULL));
    INVALID(mmm_doctor(0, NULL, NULL));
    INVALID(mmm_doctor(1, NULL, NULL));
    mmm_derivation derivation = {0};
    char text[] = "W = 1\n";
    mmm_agreement agreements[MMM_AGREEMENTS];
    INVALID(mmm_derive(NULL, NULL, NULL, &derivation));
    INVALID(mmm_derive("division", NULL, NULL, NULL));
    INVALID(mmm_derive("division", "q", NULL, &derivation));
    INVALID(mmm_derive("division", endless, NULL, &derivation));
    INVALID(mmm_derive("division", "n", "s=x", &derivation));
    INVALID(mmm_derive("division", "n", endless, &derivation));
    INVALID(mmm_derive(endless, NULL, NULL, &derivation));
    INVALID(mmm_derivation_write(NULL, "-"));
    INVALID(mmm_derivation_write(&derivation, "-")); /* which is empty */
    INVALID(mmm_derivation_write(&(mmm_derivation){.text = text}, NULL));
    REFUSED(mmm_derivation_write(&(mmm_derivation){.text = text}, "/dev/null/x"));
    DOES(mmm_derivation_clear(NULL));
    DOES(mmm_derivation_clear(&derivation));
    INVALID(mmm_formula_agrees(NULL, "division", agreements));
    assert_ok(mmm_formula_open("division", &out));
    INVALID(mmm_formula_agrees(out, NULL, agreements));
    INVALID(mmm_formula_agrees(out, "division", NULL));
    INVALID(mmm_formula_agrees(out, endless, agreements));
    mmm_formula_free(out);
    IS(mmm_formula_title(NULL) == NULL);
    IS(mmm_formula_program_parameter(NULL) == NULL);
    IS(mmm_formula_name(NULL, 0, NULL) == NULL);
    IS(mmm_formula_constraint(NULL, 0) == NULL);
    IS(mmm_formula_given(NULL, NULL, 0) == NULL);
    IS(mmm_formula_given(formula, endless, 0) == NULL);
    for (int i = 0; i < NUMBERS; i++) {
        IS(mmm_formula_builtin(numbers[i]) == NULL);
        IS(mmm_formula_name(formula, numbers[i], NULL) == NULL);
        IS(mmm_formula_constraint(formula, numbers[i]) == NULL);
        IS(mmm_formula_given(formula, NULL, numbers[i]) == NULL);
        IS(mmm_formula_given(formula, "W", numbers[i]) == NULL);
    }
    INVALID(mmm_formula_ask(NULL, &query, &answer));
    INVALID(mmm_formula_ask(formula, NULL, &answer));
    INVALID(mmm_formula_ask(formula, &query, NULL));
    INVALID(mmm_formula_ask(formula, &empty, &answer));
    REFUSED(mmm_formula_ask(formula, &long_one, &answer));
    INVALID(mmm_formula_ask(formula, &notation, &answer));
    REFUSED(mmm_formula_ask(formula, &long_set, &answer));
    SURVIVES(mmm_formula_ask(formula, &all, &answer));
    DOES(mmm_answer_clear(NULL));
    IS(mmm_formula_place(NULL) == -1);
    INVALID(mmm_formula_plot(NULL, &query, "s=1-4", path));
    INVALID(mmm_formula_plot(formula, NULL, "s=1-4", path));
    INVALID(mmm_formula_plot(formula, &query, NULL, path));
    INVALID(mmm_formula_plot(formula, &query, "s=1-4", NULL));
    INVALID(mmm_formula_plot(formula, &query, endless, path));
    INVALID(mmm_formula_plot(formula, &empty, "s=1-4", path));
    IS(strcmp(mmm_claim_verdict_name((mmm_claim_verdict)-1), "unknown") == 0);
    INVALID(mmm_formula_claims(NULL, &claims, &many));
    INVALID(mmm_formula_claims(formula, NULL, &many));
    INVALID(mmm_formula_claims(formula, &claims, NULL));
    DOES(mmm_claims_free(NULL, 7));
    DOES(mmm_claims_free(NULL, -7));
    INVALID(mmm_formula_optimize(NULL, "s", NULL, &strategy));
    INVALID(mmm_formula_optimize(formula, "s", NULL, NULL));
    INVALID(mmm_formula_optimize(formula, endless, NULL, &strategy));
    INVALID(mmm_formula_optimize(formula, "s", endless, &strategy));
    WORKS(mmm_formula_optimize(formula, NULL, NULL, &strategy));
    DOES(mmm_strategy_clear(NULL));
}

/* ---- mmm/study.h ----------------------------------------------------------------------------------------------------
 */

void study_cases(void)
{
    mmm_prediction prediction;
    mmm_parameters out;
    mmm_tuning tuning;
    mmm_study *made;
    const mmm_trial *trial;
    int many = 1, own;
    mmm_origin origin;
    const mmm_tune_options usual = {.dry_run = 1};
    const mmm_tune_options wrong[] = {{.max_runs = -1}, {.time_limit = -1}, {.time_limit = NAN}, {.repeat = LOW},
                                      {.within = -1},   {.within = NAN},    {.results = endless}};
    const mmm_study_options bad_options[] = {{.P_count = -1},        {.P_count = HIGH, .P = sms},
                                             {.P_count = 1},         {.allowed_count = 1},
                                             {.allowed_count = LOW}, {.repeat = -1},
                                             {.repeat = HIGH},       {.total = -1},
                                             {.limit = NAN},         {.limit = -1}};
    const char *const nobody[] = {NULL}, *const unknown[] = {"no machine", NULL}, *const null_name[] = {NULL, NULL};
    INVALID(mmm_predict(NULL, &good, &prediction));
    INVALID(mmm_predict(job, NULL, &prediction));
    INVALID(mmm_predict(job, &good, NULL));
    INVALID(mmm_predict(job, mmm_parameters_builtin(), &prediction)); /* tells no times */
    mmm_kernel_limits kernels[2];
    INVALID(mmm_predict_limits(NULL, &good, &prediction, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, NULL, &prediction, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, &good, NULL, NULL, 0, NULL));
    INVALID(mmm_predict_limits(job, &good, &prediction, kernels, 2, NULL));
    WORKS(mmm_predict_limits(job, &good, &prediction, kernels, LOW, &many));
    WORKS(mmm_predict_limits(job, &good, &prediction, NULL, HIGH, &many));
    IS(mmm_limit_largest(NULL, NULL) == -1);
    IS(mmm_limit_largest((const double[MMM_LIMITS]){NAN, -1, INFINITY}, NULL) == 2);
    INVALID(mmm_path_check(NULL));
    REFUSED(mmm_path_check(endless));
    REFUSED(mmm_path_check("/"));
    REFUSED(mmm_path_check("/dev/null/file"));
    WORKS(mmm_path_check("-"));
    WORKS(mmm_path_check(path));
    INVALID(mmm_calibrate(NULL, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate(cpu, NULL, NULL, NULL, path, NULL));
    INVALID(mmm_calibrate(machine, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(NULL, "division", NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, endless, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_app(cpu, "division", NULL, NULL, path, NULL));
    INVALID(mmm_calibrate_app(cpu, "division", NULL, NULL, "machines/h200.json", &out)); /* has constants of a GPU */
    INVALID(mmm_calibrate_app(machine, "division", NULL, NULL, path, &out));
    INVALID(mmm_calibrate_from(NULL, path, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_from("h200", NULL, NULL, NULL, NULL, path, &out));
    INVALID(mmm_calibrate_from("h200", path, NULL, NULL, NULL, NULL, &out));
    INVALID(mmm_calibrate_from("h200", path, NULL, NULL, NULL, path, NULL));
    INVALID(mmm_calibrate_from(endless, path, NULL, NULL, NULL, path, &out));
    INVALID(mmm_parameters_of(NULL, &out, &own));
    INVALID(mmm_parameters_of(cpu, NULL, &own));
    INVALID(mmm_parameters_of(machine, &out, &own));
    IS(strcmp(mmm_origin_name((mmm_origin)-1), "unknown") == 0);
    IS(!mmm_limit_name(-1) && !mmm_limit_name(MMM_LIMITS));
    IS(strcmp(mmm_invalidity_name((mmm_invalidity)HIGH), "unknown") == 0);
    IS(strcmp(mmm_tuning_end_name((mmm_tuning_end)LOW), "unknown") == 0);
    IS(mmm_wisdom_note() != NULL);
    INVALID(mmm_tune_choose(NULL, cpu, &origin));
    INVALID(mmm_tune_choose(job, NULL, &origin));
    WORKS(mmm_tune_choose(job, machine, NULL));
    INVALID(mmm_tune(NULL, cpu, &good, &usual, &tuning));
    INVALID(mmm_tune(job, NULL, &good, &usual, &tuning));
    INVALID(mmm_tune(job, cpu, NULL, &usual, &tuning));
    INVALID(mmm_tune(job, cpu, &good, NULL, &tuning));
    INVALID(mmm_tune(job, cpu, &good, &usual, NULL));
    INVALID(mmm_tune(job, machine, &good, &usual, &tuning));
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        REFUSED(mmm_tune(job, cpu, &good, &wrong[i], &tuning));
    DOES(mmm_tuning_free(NULL));
    INVALID(mmm_study_new(NULL, &made));
    INVALID(mmm_study_new(&(mmm_study_options){0}, NULL));
    for (int i = 0; i < (int)(sizeof bad_options / sizeof *bad_options); i++)
        INVALID(mmm_study_new(&bad_options[i], &made));
    DOES(mmm_study_free(NULL));
    INVALID(mmm_study_add(NULL, NULL, &trial));
    INVALID(mmm_study_add(NULL, fresh, &trial)); /* which is taken over */
    INVALID(mmm_study_add(study, NULL, &trial));
    INVALID(mmm_study_refuse(NULL, MMM_INVALID));
    INVALID(mmm_study_refuse(study, MMM_OK));
    INVALID(mmm_study_refuse(study, (mmm_status)99));
    INVALID(mmm_study_finish(NULL));
    assert_ok(mmm_study_finish(study)); /* with nothing to run */
    IS(mmm_study_trials(NULL, &many) == NULL && many == 0);
    SURVIVES(mmm_study_trials(study, NULL));
    INVALID(mmm_reproduce(NULL, nobody, 1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, NULL, 1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, NAN, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, -1, 0, NULL, NULL));
    INVALID(mmm_reproduce(path, nobody, 1, -1, NULL, NULL));
    REFUSED(mmm_reproduce(endless, nobody, 1, 0, NULL, NULL));
    REFUSED((rmdir(path), mmm_reproduce(path, unknown, 1, 0, NULL, NULL)));
    SURVIVES(mmm_reproduce(path, null_name, 1, 0, NULL, NULL));
    for (int i = 0; i < bad_count; i++) {
        const mmm_study_options options = {.parameters = &bad[i]};
        INVALID(mmm_predict(job, &bad[i], &prediction));
        INVALID(mmm_tune(job, cpu, &bad[i], &usual, &tuning));
        INVALID(mmm_study_new(&options, &made));
    }
}

void report_cases(void)
{
    char text[1024];
    const mmm_trial trial = {.value = 4, .median = 1, .runs = 1};
    const mmm_report_input right = {
        .app = mmm_job_app(job), .job = job, .parameter = "s", .trials = &trial, .count = 1, .machine = good};
    mmm_report_input input;
    WORKS(mmm_report_html(&right, path));
    INVALID(mmm_report_html(NULL, path));
    INVALID(mmm_report_html(&right, NULL));
    REFUSED(mmm_report_html(&right, endless));
    INVALID(mmm_report_data(NULL, path));
    INVALID(mmm_report_data(&right, NULL));
    INVALID(mmm_report_verdict(NULL, text, sizeof text));
    INVALID(mmm_report_verdict(&right, NULL, sizeof text));
    INVALID(mmm_report_verdict(&right, text, 0));
    WORKS(mmm_report_verdict(&right, text, 1));
    for (int i = 0; i < 5 + bad_count; i++) {
        const mmm_app nameless = {0};
        input = right;
        if (i == 0) input.app = NULL;
        if (i == 1) input.app = &nameless;
        if (i == 2) input.parameter = NULL;
        if (i == 3) input.trials = NULL;
        if (i == 4) input.count = -1;
        if (i >= 5) input.machine = bad[i - 5];
        INVALID(mmm_report_html(&input, path));
        INVALID(mmm_report_data(&input, path));
        INVALID(mmm_report_verdict(&input, text, sizeof text));
    }
    input = right;
    input.job = NULL;
    input.chosen = LOW;
    input.date = INT64_MAX;
    WORKS(mmm_report_html(&input, path));
    WORKS(mmm_report_data(&input, path));
    input.P = INT64_MIN;
    INVALID(mmm_report_html(&input, path));
    input.P = INT64_MAX;
    SURVIVES(mmm_report_html(&input, path));
}
