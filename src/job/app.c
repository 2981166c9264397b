/* SPDX-License-Identifier: Apache-2.0 */
/* The applications there are: built in, linked and registered, or opened from their folders. */
#include "job/job.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was registered or opened: for good, since jobs borrow records. */
typedef struct opened {
    mmm_app app;
    char *folder; /* NULL: registered */
    char *name, *warnings;
    struct opened *next;
} opened;

static opened *all_opened;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A record with the name that it has or that its folder gives it, and words where it has none. */
static mmm_app complete(const mmm_app *record, const char *name)
{
    mmm_app app = *record;
    app.name = name;
    if (!app.summary) app.summary = "";
    if (!app.oracle) app.oracle = "its own check";
    return app;
}

static void list_built_in(void)
{
    for (int i = 0; i < mmm_apps_built_in_count; i++) {
        const mmm_built_in *b = &mmm_apps_built_in[i];
        mmm_apps_named[i] = complete(b->record, b->record->name ? b->record->name : b->name);
        mmm_apps_listed[i] = &mmm_apps_named[i];
    }
}

const mmm_app *const *mmm_app_list(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, list_built_in);
    return mmm_apps_listed;
}

int mmm_app_parameter(const mmm_app *app, const char *name)
{
    for (int i = 0; app && name && i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++)
        if (strcmp(app->parameters[i].name, name) == 0) return i;
    return -1;
}

int mmm_app_role(const mmm_app *app, mmm_role role)
{
    for (int i = 0; app && i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++)
        if (app->parameters[i].role == role) return i;
    return -1;
}

int mmm_app_choices(const mmm_app *app, int numbers[MMM_CHOICES_MOST])
{
    int count = 0;
    if (!app || !numbers) return 0;
    for (int i = 0; i < MMM_PARAMETERS_MOST && app->parameters[i].name && count < MMM_CHOICES_MOST; i++)
        if (app->parameters[i].role == MMM_CHOICE) numbers[count++] = i;
    return count;
}

static const opened *find_app(const mmm_app *app)
{
    const opened *found = NULL;
    pthread_mutex_lock(&lock);
    for (const opened *o = all_opened; o && !found; o = o->next)
        if (&o->app == app) found = o;
    pthread_mutex_unlock(&lock);
    return found;
}

const char *mmm_app_folder(const mmm_app *app)
{
    const opened *found = find_app(app);
    return found ? found->folder : NULL;
}

const char *mmm_app_warnings(const mmm_app *app)
{
    const opened *found = find_app(app);
    return found && found->warnings ? found->warnings : "";
}

bool mmm_app_is_name(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length < 48 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == length;
}

static int no_value(const void *context, const char *name, int64_t *value)
{
    const mmm_app *app = context;
    (void)value;
    return mmm_app_parameter(app, name) >= 0 || strcmp(name, "Z") == 0 || strcmp(name, "threads") == 0 ? 0 : -1;
}

static mmm_status check_expression(const mmm_app *app, const char *text)
{
    int64_t value;
    bool known;
    return text ? mmm_integer_evaluate(text, no_value, app, &value, &known) : MMM_OK;
}

static mmm_status check_data(const mmm_app *app, const mmm_data *data)
{
    mmm_status result = MMM_OK;
    for (int i = 0; i < MMM_DATA_MOST && data[i].name; i++) {
        if (!data[i].shape) FAIL(MMM_INVALID, "%s has no shape: give it one, such as \"n\"", data[i].name);
        if ((unsigned)data[i].type > MMM_POLYNOMIAL) FAIL(MMM_INVALID, "%s has a type that is none", data[i].name);
        if (data[i].type == MMM_POLYNOMIAL && mmm_app_role(app, MMM_MODULUS) < 0)
            FAIL(MMM_INVALID, "%s is a polynomial, but no parameter has the role MMM_MODULUS", data[i].name);
        TRY(check_expression(app, data[i].when));
        int dimensions = 0;
        for (const char *rest = data[i].shape; rest; dimensions++) {
            char piece[64];
            rest = mmm_shape_next(rest, piece, sizeof piece);
            TRY(check_expression(app, piece));
        }
        if (dimensions > DIMENSIONS_MOST)
            FAIL(MMM_INVALID, "%s has %d dimensions: %d are possible", data[i].name, dimensions, DIMENSIONS_MOST);
    }
done:
    return result;
}

/* A record is somebody's code: what the library relies on is looked at once. */
static mmm_status check_record(const mmm_app *app, const char *name)
{
    mmm_status result = MMM_OK;
    char text[256], failed[8];
    if (!name || !mmm_app_is_name(name))
        FAIL(MMM_INVALID, "'%.100s' is no name for an application: " MMM_NAMES, name ? name : "");
    if (!app->build) FAIL(MMM_INVALID, "it has no build function");
    if (app->parameters[MMM_PARAMETERS_MOST - 1].name || app->inputs[MMM_DATA_MOST - 1].name ||
        app->outputs[MMM_DATA_MOST - 1].name)
        FAIL(MMM_INVALID, "it has more than %d parameters, or more than %d inputs or outputs", MMM_PARAMETERS_MOST - 1,
             MMM_DATA_MOST - 1);
    for (int i = 0; i < MMM_PARAMETERS_MOST && app->parameters[i].name; i++) {
        const mmm_parameter *p = &app->parameters[i];
        if (!mmm_app_is_name(p->name) || !p->meaning)
            FAIL(MMM_INVALID, "parameter '%.100s' needs a name of letters and a meaning", p->name);
        if (mmm_app_parameter(app, p->name) != i) FAIL(MMM_INVALID, "parameter '%s' is there twice", p->name);
        if (p->least > p->standard || p->standard > p->most)
            FAIL(MMM_INVALID, "parameter '%s': least, most, standard are not in order", p->name);
        if ((unsigned)p->role > MMM_OTHER) FAIL(MMM_INVALID, "parameter '%s' has a role that is none", p->name);
        TRY(check_expression(app, p->same));
    }
    TRY(check_expression(app, app->word));
    TRY(mmm_constraints_check(app->constraints, no_value, app, failed, sizeof failed));
    TRY(check_data(app, app->inputs));
    TRY(check_data(app, app->outputs));
done:
    if (result == MMM_INVALID) {
        snprintf(text, sizeof text, "%s", mmm_message());
        mmm_fail(MMM_INVALID, "the record of application '%.60s': %s", name ? name : "", text);
    }
    return result;
}

/* Takes over `warnings`, whatever happens. */
static mmm_status keep(const mmm_app *app, const char *name, const char *folder, char *warnings, const mmm_app **out)
{
    mmm_status result = MMM_OK;
    opened *o = NULL;
    TRY(check_record(app, name));
    TRY(mmm_alloc(&o, 1, sizeof *o));
    o->name = mmm_copy_string(name);
    o->folder = folder ? mmm_copy_string(folder) : NULL;
    if (!o->name || (folder && !o->folder)) FAIL(MMM_MEMORY, "no memory for an application");
    o->app = complete(app, o->name);
    o->warnings = warnings;
    warnings = NULL;
    pthread_mutex_lock(&lock);
    o->next = all_opened;
    all_opened = o;
    pthread_mutex_unlock(&lock);
    *out = &o->app;
    o = NULL;
done:
    free(warnings);
    if (o) {
        free(o->name);
        free(o->folder);
        free(o->warnings);
        free(o);
    }
    return result;
}

static const opened *find_opened(const char *name, const char *folder)
{
    const opened *found = NULL;
    pthread_mutex_lock(&lock);
    for (const opened *o = all_opened; o && !found; o = o->next)
        if (folder ? o->folder && strcmp(o->folder, folder) == 0 : !o->folder && strcmp(o->name, name) == 0) found = o;
    pthread_mutex_unlock(&lock);
    return found;
}

mmm_status mmm_app_register(const mmm_app *app)
{
    const mmm_app *kept;
    if (!app) return mmm_fail(MMM_INVALID, "the application to register is NULL");
    const opened *known = app->name ? find_opened(app->name, NULL) : NULL;
    if (known && known->app.build == app->build) return MMM_OK;
    if (known) return mmm_fail(MMM_INVALID, "another application is registered as '%s'", app->name);
    return keep(app, app->name, NULL, NULL, &kept);
}

static mmm_status open_folder(const char *path, const mmm_app **out)
{
    mmm_status result = MMM_OK;
    mmm_app app;
    char *folder = realpath(path, NULL), *warnings = NULL;
    if (!folder) FAIL(MMM_INVALID, "there is no folder '%.200s'", path);
    const opened *known = find_opened(NULL, folder);
    if (known) {
        *out = &known->app;
        goto done;
    }
    TRY(mmm_folder_open(folder, &app, &warnings));
    const char *slash = strrchr(folder, '/');
    TRY(keep(&app, app.name ? app.name : slash[1] ? slash + 1 : "root", folder, warnings, out));
done:
    free(folder);
    return result;
}

mmm_status mmm_app_open(const char *name, const mmm_app **out)
{
    char known[512] = "";
    NEED(out, "the place for an application");
    if (!name || !*name) return mmm_fail(MMM_INVALID, "an application has a name or a folder");
    if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return open_folder(name, out);
    const opened *registered = find_opened(name, NULL);
    if (registered) {
        *out = &registered->app;
        return MMM_OK;
    }
    for (const mmm_app *const *app = mmm_app_list(); *app; app++) {
        size_t used = strlen(known);
        if (strcmp((*app)->name, name) == 0) {
            *out = *app;
            return MMM_OK;
        }
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*app)->name);
    }
    if (access(name, F_OK) == 0)
        return mmm_fail(MMM_INVALID, "unknown application '%.100s'; the folder of that name is ./%.100s", name, name);
    return mmm_fail(MMM_INVALID, "unknown application '%.100s'; the applications are %s, or ./FOLDER", name, known);
}

mmm_status mmm_app_formula(const mmm_app *app, mmm_formula **out)
{
    mmm_status result = MMM_OK;
    char *path = NULL;
    NEED(app, "the application");
    NEED(out, "the place for a formula");
    const char *folder = mmm_app_folder(app), *name = app->formula ? app->formula : app->name;
    NEED(name, "the name of the application");
    *out = NULL;
    if (folder && asprintf(&path, "%s/formulas.txt", folder) < 0) {
        path = NULL;
        FAIL(MMM_MEMORY, "no memory for a path");
    }
    if (path && access(path, F_OK) == 0) {
        TRY(mmm_formula_open(path, out));
        goto done;
    }
    if (folder && !app->formula) goto done;
    for (int i = 0; mmm_formula_builtin(i) && !*out; i++)
        if (strcmp(mmm_formula_builtin(i), name) == 0) TRY(mmm_formula_open(name, out));
done:
    free(path);
    return result;
}
