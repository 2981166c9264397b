/* SPDX-License-Identifier: Apache-2.0 */
/* Nonsense for jobs, applications and kernels: mmm.h, mmm/app.h, mmm/kernel.h. */
#include "nonsense.h"

void job_cases(void)
{
    const mmm_app *app;
    mmm_job *out;
    const int64_t huge[4] = {INT64_MAX, INT64_MAX, 2, 2}, long_one[1] = {INT64_MAX}, negative[1] = {-1};
    int64_t many = 1;
    double seconds;
    IS(mmm_app_list() != NULL);
    INVALID(mmm_app_open(NULL, &app));
    INVALID(mmm_app_open("division", NULL));
    INVALID(mmm_app_open("", &app));
    INVALID(mmm_app_open(endless, &app));
    INVALID(mmm_app_open("./no/such/folder", &app));
    IS(*mmm_app_warnings(NULL) == 0);
    INVALID(mmm_app_compile(NULL, "x.o"));
    INVALID(mmm_app_compile("no such folder", "x.o"));
    INVALID(mmm_app_compile("tests", NULL));
    REFUSED(mmm_app_compile("tests", "x.o"));
    REFUSED(mmm_app_compile(endless, "x.o"));
    INVALID(mmm_app_create(NULL));
    INVALID(mmm_app_create(""));
    REFUSED(mmm_app_create(endless));
    INVALID(mmm_job_new(NULL, &out));
    INVALID(mmm_job_new("division", NULL));
    INVALID(mmm_job_new(endless, &out));
    DOES(mmm_job_free(NULL));
    IS(mmm_job_app(NULL) == NULL);
    INVALID(mmm_job_set_batch(NULL, 1));
    INVALID(mmm_job_set_batch(fresh, 0));
    INVALID(mmm_job_set_batch(fresh, INT64_MAX));
    INVALID(mmm_job_select(NULL, 0));
    INVALID(mmm_job_select(fresh, 1));
    INVALID(mmm_job_select(fresh, -1));
    INVALID(mmm_job_set(NULL, "n", 1));
    INVALID(mmm_job_set(fresh, NULL, 1));
    INVALID(mmm_job_set(fresh, endless, 1));
    INVALID(mmm_job_set(fresh, "n", -1));
    INVALID(mmm_job_set(fresh, "n", INT64_MAX));
    INVALID(mmm_job_set(fresh, "p", INT64_MIN));
    INVALID(mmm_job_set(fresh, "p", 4));
    IS(mmm_job_get(NULL, "n") == 0);
    IS(mmm_job_get(fresh, NULL) == 0);
    IS(mmm_job_get(fresh, endless) == 0);
    INVALID(mmm_job_read(NULL, 0, path));
    INVALID(mmm_job_read(fresh, 0, NULL));
    REFUSED(mmm_job_read(fresh, 0, "build/no-such-file"));
    REFUSED(mmm_job_read(fresh, 0, endless));
    INVALID(mmm_job_polynomial(NULL, 0, 101, a, 8));
    INVALID(mmm_job_polynomial(fresh, 0, 101, NULL, 8));
    INVALID(mmm_job_polynomial(fresh, 0, 101, a, -8));
    INVALID(mmm_job_polynomial(fresh, 0, 1, a, 8));
    INVALID(mmm_job_polynomial(sort, 0, 101, a, 8));
    REFUSED(mmm_job_polynomial(fresh, 0, 101, a, INT64_MAX));
    INVALID(mmm_job_give(NULL, 0, a, lengths, 1));
    INVALID(mmm_job_give(sort, 0, NULL, lengths, 1));
    INVALID(mmm_job_give(sort, 0, a, NULL, 1));
    INVALID(mmm_job_give(sort, 0, a, lengths, 0));
    INVALID(mmm_job_give(sort, 0, a, lengths, 2));
    INVALID(mmm_job_give(sort, 0, a, lengths, LOW));
    INVALID(mmm_job_give(sort, 0, a, huge, 4));
    REFUSED(mmm_job_give(sort, 0, a, long_one, 1));
    INVALID(mmm_job_give(sort, 0, a, negative, 1));
    INVALID(mmm_job_give(fresh, 0, a, lengths, 1)); /* a polynomial */
    IS(mmm_job_result(NULL, 0, &many) == NULL && strstr(mmm_message(), "NULL"));
    IS(mmm_job_result(fresh, 0, &many) == NULL);
    IS(mmm_job_result(job, 0, NULL) != NULL);
    INVALID(mmm_job_prepare(NULL));
    IS(mmm_job_program(NULL) == NULL);
    IS(mmm_job_program(fresh) == NULL);
    INVALID(mmm_job_run(NULL, machine, &seconds));
    INVALID(mmm_job_run(fresh, NULL, &seconds));
    INVALID(mmm_job_check(NULL));
    INVALID(mmm_job_check(fresh));
    INVALID(mmm_job_check_timed(NULL, &seconds));
    INVALID(mmm_job_check_timed(fresh, &seconds));
    WORKS(mmm_job_check_timed(job, NULL));
    INVALID(mmm_job_write(NULL, 0, path));
    INVALID(mmm_job_write(job, 0, NULL));
    INVALID(mmm_job_write(fresh, 0, path));
    REFUSED(mmm_job_write(job, 0, endless));
    REFUSED(mmm_job_write(job, 0, ""));
    for (int i = 0; i < NUMBERS; i++) {
        INVALID(mmm_job_read(fresh, numbers[i], path));
        INVALID(mmm_job_polynomial(fresh, numbers[i], 101, a, 8));
        INVALID(mmm_job_give(sort, numbers[i], a, lengths, 1));
        INVALID(mmm_job_write(job, numbers[i], path));
        IS(mmm_job_result(job, numbers[i], &many) == NULL);
    }
}

/* ---- mmm/app.h ------------------------------------------------------------------------------------------------------
 */

static mmm_status build_nothing(mmm_job *of, mmm_program *to)
{
    (void)of, (void)to;
    return MMM_OK;
}

/* Does what an application should not do while it builds. */
static mmm_status build_wrongly(mmm_job *of, mmm_program *to)
{
    int number;
    (void)to;
    switch (mmm_job_get(of, "how")) {
    case 0: return mmm_job_add_array(of, NULL, MMM_WORD, 4, MMM_WORK, &number);
    case 1: return mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, NULL);
    case 2: return mmm_job_add_array(of, "a", (mmm_type)99, 4, MMM_WORK, &number);
    case 3: return mmm_job_add_array(of, "a", (mmm_type)LOW, 4, MMM_WORK, &number);
    case 4: return mmm_job_add_array(of, "a", MMM_POLYNOMIAL, 4, MMM_WORK, &number);
    case 5: return mmm_job_add_array(of, "a", MMM_WORD, -1, MMM_WORK, &number);
    case 6: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)99, &number);
    case 7: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)-1, &number);
    case 8: return mmm_job_add_array(of, "a", MMM_WORD, 4, (mmm_use)5, &number);
    case 9: return mmm_job_add_input(of, -1, MMM_WORD, 0, 4, MMM_IN, &number);
    case 10: return mmm_job_add_input(of, HIGH, MMM_WORD, 0, 4, MMM_IN, &number);
    case 11: return mmm_job_add_input(of, 0, MMM_F32, 0, 4, MMM_IN, &number);
    case 12: return mmm_job_add_input(of, 0, MMM_WORD, -1, 4, MMM_IN, &number);
    case 13: return mmm_job_add_input(of, 0, MMM_WORD, 0, INT64_MIN, MMM_IN, &number);
    case 14: return mmm_job_add_input(of, 0, MMM_WORD, 0, 4, MMM_IN, NULL);
    case 15: return mmm_job_set_output(of, 0, -1, 0, 4);
    case 16: return mmm_job_set_output(of, 0, 7, 0, 4);
    case 17: return mmm_job_set_output(of, HIGH, 0, 0, 4);
    case 18: return mmm_job_set_output_else(of, 0, HIGH, 0, 4);
    case 19:
        if (mmm_job_set_output_degrees(of, HIGH, 0, 0) != MMM_INVALID) return MMM_OK;
        if (mmm_job_set_output_degrees(of, 0, LOW, 0) != MMM_INVALID) return MMM_OK;
        if (mmm_job_set_output_degrees(of, 0, 0, INT64_MAX) != MMM_INVALID) return MMM_OK;
        return mmm_job_set_output_else(of, LOW, 0, 0, 4);
    case 20: return mmm_job_add_array(of, "a", MMM_WORD, INT64_MAX, MMM_WORK, &number);
    case 21: return mmm_job_add_array(of, "a", MMM_WORD, INT64_MAX / 4, MMM_WORK, &number);
    case 22: return mmm_job_add_input(of, 0, MMM_WORD, 0, INT64_MAX, MMM_IN, &number);
    case 23: return mmm_job_add_input(of, 0, MMM_WORD, INT64_MAX, INT64_MAX, MMM_IN, &number);
    case 24:
        for (int i = 0; i < 1000; i++)
            MMM_TRY(mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, &number));
        return MMM_OK;
    default:
        MMM_TRY(mmm_job_add_array(of, "a", MMM_WORD, 4, MMM_WORK, &number));
        return mmm_job_set_output(of, 0, number, INT64_MAX, INT64_MAX);
    }
}
enum { WRONG_FIRST = 20, WRONGS = 26 }; /* from WRONG_FIRST on, too large */

static mmm_status register_wrong(const char *name, int how)
{
    static mmm_app app;
    const mmm_parameter no_meaning = {.name = "n"}, order = {.name = "n", .meaning = "n", .least = 3, .most = 1},
                        role = {.name = "n", .meaning = "n", .role = (mmm_role)99},
                        long_name = {.name = endless, .meaning = "n"},
                        expression = {.name = "n", .meaning = "n", .role = MMM_CHOICE, .same = "n +* 1"};
    app = (mmm_app){.name = name, .build = build_nothing};
    switch (how) {
    case 0: app.build = NULL; break;
    case 1: app.parameters[0] = no_meaning; break;
    case 2: app.parameters[0] = order; break;
    case 3: app.parameters[0] = role; break;
    case 4: app.parameters[0] = long_name; break;
    case 5: app.parameters[0] = expression; break;
    case 6: app.inputs[0] = (mmm_data){"a", (mmm_type)99, "1", NULL, 0, 0}; break;
    case 7: app.inputs[0] = (mmm_data){"a", MMM_WORD, NULL, NULL, 0, 0}; break;
    case 8: app.outputs[0] = (mmm_data){"a", MMM_WORD, "no_name", NULL, 0, 0}; break;
    case 9: app.outputs[0] = (mmm_data){"a", MMM_POLYNOMIAL, "1", NULL, 0, 0}; break;
    case 10: app.constraints = endless; break;
    case 11: app.word = "("; break;
    case 12: app.inputs[0] = (mmm_data){"a", MMM_WORD, "1, 1, 1, 1, 1, 1", NULL, 0, 0}; break;
    case 13:
        for (int i = 0; i < MMM_DATA_MOST; i++)
            app.inputs[i] = (mmm_data){"a", MMM_WORD, "1", NULL, 0, 0};
        break;
    default: app.name = name;
    }
    return mmm_app_register(&app);
}
enum { REGISTRATIONS = 14 };

static mmm_status prepare_wrongly(int how)
{
    static mmm_app app = {.name = "wrong",
                          .parameters = {{"how", "what goes wrong", MMM_OTHER, 0, 100, 0}},
                          .inputs = {{"a", MMM_WORD, "4", NULL, 0}},
                          .outputs = {{"b", MMM_WORD, "4", NULL, 0}},
                          .build = build_wrongly};
    mmm_job *of;
    MMM_TRY(mmm_app_register(&app));
    MMM_TRY(mmm_job_new("wrong", &of));
    MMM_TRY(mmm_job_set(of, "how", how));
    return mmm_job_prepare(of);
}

void app_cases(void)
{
    int list[MMM_CHOICES_MOST], number = 0;
    const mmm_app *app = mmm_job_app(fresh);
    int64_t many = 1;
    double seconds;
    INVALID(mmm_app_register(NULL));
    INVALID(register_wrong(NULL, REGISTRATIONS));
    INVALID(register_wrong("", REGISTRATIONS));
    INVALID(register_wrong("a name with blanks", REGISTRATIONS));
    INVALID(register_wrong(endless, REGISTRATIONS));
    for (int i = 0; i < REGISTRATIONS; i++)
        INVALID(register_wrong("nonsense", i));
    IS(mmm_app_choices(NULL, list) == 0);
    IS(mmm_app_choices(app, NULL) == 0);
    IS(mmm_app_parameter(NULL, "n") == -1);
    IS(mmm_app_parameter(app, NULL) == -1);
    IS(mmm_app_parameter(app, endless) == -1);
    IS(mmm_app_role(NULL, MMM_SIZE) == -1);
    IS(mmm_app_role(app, (mmm_role)99) == -1);
    IS(mmm_job_length(NULL, 0) == 0);
    IS(mmm_job_modulus(NULL) != NULL && mmm_job_modulus(NULL)->p == 0);
    IS(mmm_job_moduli(NULL) == 1);
    IS(mmm_job_lead(NULL, 0) == 0);
    IS(mmm_job_lead(sort, 0) == 0);
    IS(mmm_job_inverse(NULL, 3) == 0);
    IS(mmm_job_inverse(fresh, 0) == 0);
    SURVIVES(mmm_job_inverse(job, UINT64_MAX));
    SURVIVES(mmm_job_residue(NULL, 3));
    SURVIVES(mmm_job_residue(job, UINT64_MAX));
    DOES(mmm_job_default(NULL, "n", 1));
    DOES(mmm_job_default(fresh, NULL, 1));
    IS(mmm_job_random(NULL) == 0);
    IS(mmm_job_sketch(NULL) == 0);
    IS(mmm_job_sketch(fresh) == 0);
    IS(mmm_job_shrunk(NULL) == 0);
    IS(mmm_job_shrunk(fresh) == 0);
    IS(mmm_job_memory(NULL, 0) == NULL);
    IS(mmm_job_given(NULL, 0, &many) == NULL && many == 0);
    IS(mmm_program_code(NULL, 0) == NULL);
    IS(mmm_program_argument(NULL, 0, 0).word == 0);
    for (int i = 0; i < NUMBERS; i++) {
        IS(mmm_job_length(job, numbers[i]) == 0);
        IS(mmm_job_lead(job, numbers[i]) == 0);
        IS(mmm_job_memory(job, numbers[i]) == NULL);
        IS(mmm_job_given(job, numbers[i], NULL) == NULL);
        IS(mmm_program_code(program, numbers[i]) == NULL);
        IS(mmm_program_argument(program, numbers[i], 0).word == 0);
        IS(mmm_program_argument(program, 0, numbers[i]).word == 0);
    }
    INVALID(mmm_job_add_array(NULL, "a", MMM_WORD, 4, MMM_WORK, &number));
    INVALID(mmm_job_add_array(fresh, "a", MMM_WORD, 4, MMM_WORK, &number)); /* is not being built */
    INVALID(mmm_job_add_input(NULL, 0, MMM_WORD, 0, 4, MMM_IN, &number));
    INVALID(mmm_job_add_input(fresh, 0, MMM_WORD, 0, 4, MMM_IN, &number));
    INVALID(mmm_job_set_output(NULL, 0, 0, 0, 4));
    INVALID(mmm_job_set_output(fresh, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_else(NULL, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_else(fresh, 0, 0, 0, 4));
    INVALID(mmm_job_set_output_degrees(NULL, 0, 0, 0));
    INVALID(mmm_job_set_output_degrees(fresh, 0, 0, 0));
    for (int i = 0; i < WRONG_FIRST; i++)
        INVALID(prepare_wrongly(i));
    for (int i = WRONG_FIRST; i < WRONGS; i++)
        REFUSED(prepare_wrongly(i));
    INVALID(mmm_oracle_divide(NULL, &seconds));
    INVALID(mmm_oracle_divide(fresh, &seconds));
    INVALID(mmm_oracle_divide(sort, &seconds));
    WORKS(mmm_oracle_divide(job, NULL));
    INVALID(mmm_oracle_multiply(NULL, &seconds));
    INVALID(mmm_oracle_multiply(sort, &seconds));
    INVALID(mmm_oracle_gcd(NULL, &seconds));
    INVALID(mmm_oracle_gcd(fresh, &seconds));
    INVALID(mmm_oracle_sort(NULL, &seconds));
    INVALID(mmm_oracle_sort(sort, &seconds));
    INVALID(mmm_oracle_sort(job, &seconds));
    IS(mmm_now() > 0);
    IS(mmm_memory_available() > 0);
}

/* ---- mmm/kernel.h ---------------------------------------------------------------------------------------------------
 */

/* A call of a kernel of the job, whose record has one fault; on a machine where launching it is no mistake. */
static mmm_status launch_wrongly(int how, bool run, mmm_machine *on)
{
    mmm_kernel code = *mmm_program_code(program, 0);
    static mmm_kernel_parameter parameters[16];
    static mmm_entry *empty[16];
    mmm_value values[16];
    mmm_grid grid = {4, 1, 12, 1};
    mmm_local local = {28, 0};
    int number;
    static uint32_t memory[64];
    const mmm_value *arguments = values;
    memcpy(parameters, code.parameters, (size_t)code.parameter_count * sizeof *parameters);
    for (int i = 0; i < code.parameter_count; i++)
        values[i] = mmm_program_argument(program, 0, i);
    switch (how) {
    case 0: code.name = NULL; break;
    case 1: code.name = ""; break;
    case 2: code.file = NULL; break;
    case 3: code.parameters = NULL; break;
    case 4: code.parameter_count = -1; break;
    case 5: code.parameter_count = HIGH; break;
    case 6: code.parameters = parameters, parameters[0].name = NULL; break;
    case 7: code.parameters = parameters, parameters[0].kind = (mmm_parameter_kind)77; break;
    case 8: code.parameters = parameters, parameters[0].type = (mmm_type)-1; break;
    case 9: code.index = -1; break;
    case 10: arguments = NULL; break;
    case 11: grid.blocks_x = 0; break;
    case 12: grid.blocks_x = grid.blocks_y = -2; break;
    case 13: grid.threads_x = -1; break;
    case 14: values[0].number = -1; break;
    case 15: values[0].number = HIGH; break;
    case 16: grid.blocks_x = INT64_MAX; break;
    case 17: grid.threads_x = grid.threads_y = INT64_MAX; break;
    case 18: local.words = -1; break;
    case 19: local.bytes = INT64_MAX; break;
    case 20:
        code.counted[0] = code.counted[1] = NULL;
        for (int i = 0; i < MMM_ISAS; i++)
            code.compiled[0][i] = code.compiled[1][i] = NULL;
        break;
    case 21:
        code.counted[0] = code.counted[1] = empty;
        for (int i = 0; i < MMM_ISAS; i++)
            code.compiled[0][i] = code.compiled[1][i] = empty;
        code.index = 3;
        break;
    default: break;
    }
    MMM_TRY(mmm_program_new(&out_program));
    MMM_TRY(mmm_program_set_words(out_program, 32, mmm_job_modulus(job)));
    for (int i = 0; i < 3; i++) /* case 22: they have no memory */
        MMM_TRY(mmm_program_array(out_program, "a", MMM_WORD, 64, MMM_IN_OUT, how == 22 ? NULL : memory, &number));
    MMM_TRY(mmm_program_launch(out_program, &code, grid, local, arguments));
    return run ? mmm_machine_run(on, out_program, NULL) : MMM_OK;
}
enum { LAUNCHES_INVALID = 16, LAUNCHES = 20, RUNS = 23 };

void kernel_cases(void)
{
    mmm_modulus modulus, none = {0}, wrong;
    int number;
    const mmm_kernel *code = mmm_program_code(program, 0);
    mmm_value values[16] = {{0}};
    assert_ok(mmm_modulus_read(101, &wrong));
    wrong.square++;
    INVALID(mmm_modulus_read(101, NULL));
    INVALID(mmm_modulus_read(0, &modulus));
    INVALID(mmm_modulus_read(1, &modulus));
    INVALID(mmm_modulus_read(UINT64_MAX, &modulus));
    IS(mmm_modulus_enter(NULL, 3) == 0);
    IS(mmm_modulus_leave(NULL, 3) == 0);
    SURVIVES(mmm_modulus_enter(&none, UINT64_MAX));
    none.shift = -7;
    SURVIVES(mmm_modulus_leave(&none, UINT64_MAX));
    IS(mmm_type_size((mmm_type)-1) == 0 && mmm_type_size((mmm_type)HIGH) == 0);
    IS(strcmp(mmm_type_name((mmm_type)LOW), "?") == 0);
    INVALID(mmm_program_set_batch(NULL, 1));
    INVALID(mmm_program_set_batch(data, 0));
    INVALID(mmm_program_set_batch(data, INT64_MAX));
    INVALID(mmm_program_set_words(NULL, 32, NULL));
    INVALID(mmm_program_set_words(data, 31, NULL));
    INVALID(mmm_program_set_words(data, 32, &none));
    INVALID(mmm_program_set_words(data, 32, &wrong));
    INVALID(mmm_program_set_words(program, 64, NULL)); /* has arrays */
    INVALID(mmm_program_array(NULL, "a", MMM_WORD, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, NULL, MMM_WORD, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, 4, MMM_WORK, f, NULL));
    INVALID(mmm_program_array(data, "a", (mmm_type)99, 4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, -4, MMM_WORK, f, &number));
    INVALID(mmm_program_array(data, "a", MMM_WORD, 4, (mmm_use)16, f, &number));
    REFUSED(mmm_program_array(data, "a", MMM_WORD, INT64_MAX, MMM_WORK, f, &number));
    INVALID(mmm_program_launch(NULL, code, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, values));
    INVALID(mmm_program_launch(data, NULL, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, values));
    INVALID(mmm_program_launch(data, code, (mmm_grid){1, 1, 1, 1}, (mmm_local){0, 0}, NULL));
    for (int i = 0; i < LAUNCHES_INVALID; i++)
        INVALID(launch_wrongly(i, false, machine));
    for (int i = LAUNCHES_INVALID; i < LAUNCHES; i++)
        REFUSED(launch_wrongly(i, false, machine));
    for (int i = LAUNCHES; i < RUNS; i++) {
        INVALID(launch_wrongly(i, true, machine));
        INVALID(launch_wrongly(i, true, cpu));
    }
    INVALID(mmm_program_expect(NULL, 1));
    INVALID(mmm_program_expect(data, -1));
    REFUSED(mmm_program_expect(data, INT64_MAX));
    WORKS(mmm_program_expect(data, 0));
    DOES(mmm_program_chain(NULL, 1));
    DOES(mmm_program_hint(NULL, 1, 1));
    for (int i = 0; i < NUMBERS; i++)
        WORKS((mmm_program_hint(program, numbers[i], NAN), mmm_predict(job, &good, &(mmm_prediction){0})));
}
