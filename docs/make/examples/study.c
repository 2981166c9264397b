/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of mmm/study.h: predicting, choosing, measuring, reporting. */
#include "example.h"

#include <mmm/study.h>

static mmm_job *division(int64_t s)
{
    mmm_job *job;
    must(mmm_job_new("division", &job));
    must(mmm_job_set(job, "n", 256));
    must(mmm_job_set(job, "m", 128));
    if (s) must(mmm_job_set(job, "s", s));
    return job;
}

/* mmm_parameters_of mmm_predict mmm_predict_limits mmm_limit_largest */
static void predict(const mmm_machine *machine)
{
    mmm_parameters numbers;
    mmm_prediction few, many;
    int own;
    must(mmm_parameters_of(machine, &numbers, &own));
    if (!own) printf("not calibrated: the numbers of %s\n", numbers.name);
    mmm_job *one = division(1), *more = division(32); /* steps a kernel */
    must(mmm_predict(one, &numbers, &few));
    must(mmm_predict(more, &numbers, &many));
    assert(many.estimate < few.estimate && many.estimate <= many.extended);
    mmm_kernel_limits kernels[4];
    int count, largest;
    double part;
    must(mmm_predict_limits(more, &numbers, &many, kernels, 4, &count)); /* why it takes that long */
    if ((largest = mmm_limit_largest(many.limits, &part)) >= 0)
        printf("%.0f %% is %s\n", 100 * part, mmm_limit_name(largest));
    mmm_job_free(one);
    mmm_job_free(more);
}

/* mmm_calibrate mmm_calibrate_app mmm_calibrate_from mmm_path_check */
static int late(void *context, double done)
{
    return done > 0 && mmm_now() > *(double *)context; /* other than 0: no further measurement */
}

static void calibrate(mmm_machine *machine)
{
    mmm_parameters numbers;
    double until = mmm_now() + 0.5;    /* NULL in place of `late`: as long as it takes, half a minute or so */
    must(mmm_path_check("here.json")); /* rather than after that half a minute */
    mmm_status status = mmm_calibrate(machine, "here", late, &until, "here.json", &numbers);
    assert(status == MMM_OK || status == MMM_STOPPED);
    status = mmm_calibrate_app(machine, "division", late, &until, "here.json", &numbers);
    assert(status == MMM_OK || status == MMM_STOPPED);
    FILE *times = fopen("times.csv", "w"); /* of a GPU that is elsewhere */
    assert(times);
    fputs("app,size,choice,seconds\ndivision,n=16000 m=8000,s=64,0.00115\ndivision,n=16000 m=8000,s=128,0.00122\n",
          times);
    fclose(times);
    must(mmm_calibrate_from("h200", "times.csv", NULL, NULL, NULL, "there.json", &numbers));
}

/* mmm_tune mmm_tuning_free mmm_tuning_end_name mmm_invalidity_name */
static void tune(mmm_machine *machine)
{
    mmm_parameters numbers;
    mmm_tuning tuning;
    mmm_job *job = division(0);
    must(mmm_parameters_of(machine, &numbers, NULL));
    must(mmm_tune(job, machine, &numbers, &(mmm_tune_options){.max_runs = 4, .repeat = 1}, &tuning));
    const mmm_candidate *best = &tuning.candidates[tuning.chosen];
    printf("s = %lld: %g s, %s\n", (long long)best->values[0], best->best, mmm_tuning_end_name(tuning.end));
    for (int i = 0; i < tuning.count; i++)
        if (tuning.candidates[i].invalidity != MMM_INVALIDITY_CORRECT)
            printf("s = %lld: %s, %s\n", (long long)tuning.candidates[i].values[0],
                   mmm_invalidity_name(tuning.candidates[i].invalidity), tuning.candidates[i].reason);
    assert(mmm_job_get(job, "s") == best->values[0]);
    mmm_tuning_free(&tuning);
    mmm_job_free(job);
}

/* mmm_tune_choose mmm_origin_name mmm_wisdom_note */
static void choose(mmm_machine *machine)
{
    mmm_origin origin;
    mmm_job *job = division(0);
    must(mmm_tune_choose(job, machine, &origin));
    printf("s = %lld by %s %s\n", (long long)mmm_job_get(job, "s"), mmm_origin_name(origin), mmm_wisdom_note());
    assert(origin != MMM_ORIGIN_GIVEN);
    mmm_job_free(job);
}

/* mmm_study_new mmm_study_add mmm_study_refuse mmm_study_finish mmm_study_trials mmm_study_free */
static mmm_study *study(mmm_machine *machine)
{
    mmm_study *out;
    mmm_job *job;
    const mmm_trial *trial;
    int count;
    must(mmm_study_new(
        &(mmm_study_options){
            .machine = machine, .count = 1, .traffic = 1, .repeat = 4, .visits = 2, .check = 1, .skip = 1, .total = 3},
        &out));
    must(mmm_study_add(out, division(16), NULL)); /* counted, run and checked; the job is the study's now */
    must(mmm_study_add(out, division(32), &trial));
    assert(trial->analysis->measures.work > 0 && trial->checked && trial->check == MMM_OK);
    must(mmm_job_new("division", &job));
    mmm_status status = mmm_job_set(job, "s", 0); /* not possible */
    mmm_job_free(job);
    must(mmm_study_refuse(out, status)); /* is kept, with the reason */
    must(mmm_study_finish(out));         /* the second visit of each */
    trial = mmm_study_trials(out, &count);
    assert(count == 3 && trial[0].runs == 4 && trial[0].least <= trial[0].median && trial[2].skipped);
    return out; /* mmm_study_free frees it, with its jobs */
}

/* mmm_report_verdict mmm_report_html mmm_report_data */
static mmm_report_input report(const mmm_study *of, mmm_trial trials[2])
{
    char verdict[512];
    int count;
    memcpy(trials, mmm_study_trials(of, &count), 2 * sizeof *trials); /* not the one that was refused */
    for (int i = 0; i < 2; i++)
        trials[i].value = mmm_job_get(trials[i].job, "s"); /* what the report is about */
    mmm_report_input input = {.parameter = "s", .P = 4, .trials = trials, .count = 2, .job = trials[0].job};
    input.app = mmm_job_app(input.job);
    input.machine = *mmm_parameters_builtin();
    must(mmm_report_verdict(&input, verdict, sizeof verdict));
    puts(verdict); /* division at n=256, m=128 on abstract: take s = 32; it ran in ... */
    assert(strstr(verdict, trials[0].least < trials[1].least ? "take s = 16" : "take s = 32"));
    must(mmm_report_html(&input, "s.html")); /* one page, with plots */
    must(mmm_report_data(&input, "s.json"));
    return input;
}

/* mmm_model_at mmm_model_cost mmm_rank_correlation mmm_compare_text mmm_compare_json mmm_compare_html */
static void compare(const mmm_report_input *input)
{
    for (int i = 0; mmm_model_at(i); i++) {
        double costs[2];
        for (int k = 0; k < 2; k++)
            must(mmm_model_cost(i, &input->trials[k], &input->machine, 4, &costs[k]));
        printf("%s, %s: %g and %g\n", mmm_model_at(i)->name, mmm_model_at(i)->formula, costs[0], costs[1]);
    }
    assert(mmm_rank_correlation((double[]){1, 2, 3}, (double[]){10, 20, 30}, 3) == 1);
    assert(mmm_rank_correlation((double[]){1, 2, 3}, (double[]){3, 2, 1}, 3) == -1);
    must(mmm_compare_text(input, "-"));
    must(mmm_compare_json(input, "models.json"));
    must(mmm_compare_html(input, "models.html"));
}

/* mmm_derive mmm_derivation_write mmm_derivation_clear mmm_formula_agrees */
static void derive(void)
{
    mmm_derivation found;
    mmm_formula *formula;
    mmm_agreement each[MMM_AGREEMENTS];
    must(mmm_derive("division", "n,m,s", NULL, &found));
    printf("%d of %d quantities, from %lld jobs\n", found.found, found.quantities, (long long)found.runs);
    must(mmm_derivation_write(&found, "derived.txt"));
    must(mmm_formula_read("derived", found.text, &formula));
    must(mmm_formula_agrees(formula, "division", each));
    for (int i = 0; i < MMM_AGREEMENTS; i++)
        assert(each[i].wrong == 0); /* on jobs that it was not made from */
    mmm_formula_free(formula);
    mmm_derivation_clear(&found);
}

/* mmm_doctor */
static void finding(void *context, const mmm_diagnosis *f)
{
    printf("%s: %s\n", f->subject, f->text);
    if (f->health == MMM_ILL) printf("  to mend it: %s\n", f->mend);
    ++*(int *)context;
}

static void doctor(void)
{
    int findings = 0;
    must(mmm_doctor(0, finding, &findings)); /* 1: everything is also tried */
    assert(findings > 2);
}

/* mmm_reproduce */
static void reproduce(void)
{
    must(mmm_reproduce("tables", (const char *const[]){"cpu", NULL}, 0.1, 500, NULL, NULL)); /* small rows only */
    assert(access("tables/reproduce.csv", R_OK) == 0);
}

/* end */
int main(void)
{
    mmm_machine *machine;
    must(mmm_machine_open("cpu", &machine));
    predict(machine);
    calibrate(machine);
    tune(machine);
    choose(machine);
    mmm_study *of = study(machine);
    mmm_trial trials[2];
    mmm_report_input input = report(of, trials);
    compare(&input);
    mmm_study_free(of);
    derive();
    doctor();
    reproduce();
    mmm_machine_free(machine);
    return 0;
}
