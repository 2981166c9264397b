/* SPDX-License-Identifier: Apache-2.0 */
/* name=value words with lists and ranges. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 10000 };

static int add_value(setting *s, int64_t value)
{
    if (s->count && s->values[s->count - 1] == value) return 0; /* rounding may give a number twice */
    if (s->count == VALUES_MOST) return complain("'%s' has more than %d values", s->name, VALUES_MOST);
    if ((s->count & (s->count - 1)) == 0) {
        int64_t *more = realloc(s->values, sizeof *more * (size_t)(s->count ? 2 * s->count : 1));
        if (!more) return complain("no memory for the values of '%s'", s->name);
        s->values = more;
    }
    s->values[s->count++] = value;
    return 0;
}

bool number_at(const char **text, int64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**text)) return false;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* START, START-STOP (every number), START-STOP:COUNT (evenly), START-STOP:COUNTlogBASE (evenly in the logarithm) */
static int add_item(setting *s, const char *item, bool *ranged)
{
    const char *c = item;
    int64_t start, stop, count;
    if (!number_at(&c, &start)) {
        if (c != item) return complain("'%s=%s': values are below 2^63", s->name, item);
        goto bad;
    }
    if (!*c) return add_value(s, start);
    *ranged = true;
    if (*c++ != '-' || !number_at(&c, &stop) || stop < start) goto bad;
    if (!*c) {
        if (stop - start >= VALUES_MOST) return complain("'%s=%s' has more than %d values", s->name, item, VALUES_MOST);
        for (int64_t value = start; value <= stop; value++)
            if (add_value(s, value)) return EXIT_USED_WRONGLY;
        return 0;
    }
    if (*c++ != ':' || !number_at(&c, &count) || count < 1 || count > VALUES_MOST) goto bad;
    bool logarithmic = strncmp(c, "log", 3) == 0;
    if (logarithmic) {
        int64_t base = 10;
        c += 3;
        if (*c && (!number_at(&c, &base) || base < 2)) goto bad;
        if (start < 1) return complain("'%s=%s': a logarithmic range starts at 1 or more", s->name, item);
    }
    if (*c) goto bad;
    for (int64_t i = 0; i < count; i++) {
        double part = count > 1 ? (double)i / (double)(count - 1) : 0;
        double value = logarithmic ? (double)start * pow((double)stop / (double)start, part)
                                   : (double)start + (double)(stop - start) * part;
        if (add_value(s, llround(value))) return EXIT_USED_WRONGLY;
    }
    return 0;
bad:
    return complain("'%s=%s': a value is a number, a list 64,128 or a range such as 1-8 or 1-512:10log2", s->name,
                    item);
}

int settings_add(settings *s, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = (size_t)(equals - word);
    if (s->count == SETTINGS_MOST) return complain("'%s' is one setting too many", word);
    setting *new = &s->list[s->count];
    if (length == 0 || length >= sizeof new->name) return complain("'%s': a parameter's name comes before '='", word);
    memcpy(new->name, word, length);
    new->name[length] = 0;
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->list[i].name, new->name) == 0) return complain("parameter '%s' is given twice", new->name);
    s->count++;
    char *copy = strdup(equals + 1), *rest = copy;
    if (!copy) return complain("no memory");
    int status = 0, items = 0;
    for (char *item; !status && (item = strsep(&rest, ","));) {
        status = add_item(new, item, &s->ranged);
        items++;
    }
    if (items > 1) s->ranged = true;
    free(copy);
    return status;
}

int settings_add_words(settings *s, const words *w, int first)
{
    int status = 0;
    for (int i = first; !status && i < w->count; i++)
        status = strchr(w->list[i], '=') ? settings_add(s, w->list[i])
                                         : complain("'%s': a parameter is written name=value", w->list[i]);
    return status;
}

void settings_free(settings *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->list[i].values);
}

int64_t settings_combinations(const settings *s)
{
    int64_t product = 1;
    for (int i = 0; i < s->count; i++)
        if (__builtin_mul_overflow(product, s->list[i].count, &product)) return INT64_MAX;
    return product;
}

mmm_status settings_apply(const settings *s, int64_t number, mmm_job *job)
{
    for (int i = s->count - 1; i >= 0; i--) {
        const setting *one = &s->list[i];
        mmm_status status = mmm_job_set(job, one->name, one->values[number % one->count]);
        if (status != MMM_OK) return status;
        number /= one->count;
    }
    return MMM_OK;
}

/* On standard error, like a compiler's. */
static void print_warnings(const mmm_app *app)
{
    for (const char *line = mmm_app_warnings(app); *line; line += strcspn(line, "\n") + 1)
        fprintf(stderr, "mmm: warning: %.*s\n", (int)strcspn(line, "\n"), line);
}

mmm_status settings_job(const settings *s, const char *app, int64_t number, mmm_job **out)
{
    mmm_job *job = NULL;
    mmm_status status = mmm_job_new(app, &job);
    if (status == MMM_OK && number == 0) print_warnings(mmm_job_app(job));
    if (status == MMM_OK) status = settings_apply(s, number, job);
    if (status == MMM_OK)
        *out = job;
    else
        mmm_job_free(job);
    return status;
}
