/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that ran elsewhere: kernel launches as profilers list them in CSV, with their times, as a program. */
#include "model/model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28, NAME_MOST = 80, COLUMNS_MOST = 4096, SECTOR_WORDS = 8, GROUP = 32, DEFAULT_STREAM = 7 };

/* What is known of a launch, one number each; 0: nothing is. */
typedef enum fact {
    BLOCKS,  /* a product: of one column, or of one for each dimension */
    THREADS, /* of a block, likewise */
    SECONDS,
    INSTRUCTIONS, /* of groups of 32 threads */
    THREAD_INSTRUCTIONS,
    SECTORS, /* of 32 bytes, read or written, in the cache before global memory */
    READ,
    WRITTEN,
    SHARED, /* bytes of local memory of a block, a sum of two columns */
    FACTS,
    NAME = FACTS, /* the others are no numbers, or say which launch it is */
    STREAM,
    IDENTITY,
    METRIC,
    UNIT,
    VALUE,
    NOTHING
} fact;

/* The columns, or the metrics, that are of use; those of Nsight Systems have their unit in the name. */
static const struct {
    const char *name;
    fact fact;
    double factor;
} columns[] = {
    {"ID", IDENTITY, 0},
    {"Kernel Name", NAME, 0},
    {"Name", NAME, 0},
    {"Stream", STREAM, 0},
    {"Strm", STREAM, 0},
    {"Metric Name", METRIC, 0},
    {"Metric Unit", UNIT, 0},
    {"Metric Value", VALUE, 0},
    {"Grid Size", BLOCKS, 1},
    {"GrdX", BLOCKS, 1},
    {"GrdY", BLOCKS, 1},
    {"GrdZ", BLOCKS, 1},
    {"Block Size", THREADS, 1},
    {"BlkX", THREADS, 1},
    {"BlkY", THREADS, 1},
    {"BlkZ", THREADS, 1},
    {"gpu__time_duration.sum", SECONDS, 1},
    {"Duration", SECONDS, 1},
    {"Duration (ns)", SECONDS, 1e-9},
    {"smsp__inst_executed.sum", INSTRUCTIONS, 1},
    {"sm__inst_executed.sum", INSTRUCTIONS, 1},
    {"Executed Instructions", INSTRUCTIONS, 1},
    {"smsp__thread_inst_executed.sum", THREAD_INSTRUCTIONS, 1},
    {"lts__t_sectors.sum", SECTORS, 1},
    {"lts__t_sectors_op_read.sum", READ, 1},
    {"lts__t_sectors_op_write.sum", WRITTEN, 1},
    {"launch__shared_mem_per_block_static", SHARED, 1},
    {"launch__shared_mem_per_block_dynamic", SHARED, 1},
    {"Static Shared Memory Per Block", SHARED, 1},
    {"Dynamic Shared Memory Per Block", SHARED, 1},
    {"StcSMem (MB)", SHARED, 1e6},
    {"DymSMem (MB)", SHARED, 1e6},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static const struct {
    const char *name;
    double factor;
} units[] = {{"ns", 1e-9},      {"nsecond", 1e-9}, {"us", 1e-6},  {"usecond", 1e-6},    {"ms", 1e-3},
             {"msecond", 1e-3}, {"s", 1},          {"second", 1}, {"Kbyte/block", 1e3}, {"Mbyte/block", 1e6}};

typedef struct launch {
    char name[NAME_MOST], identity[24];
    int64_t stream;
    double facts[FACTS];
} launch;

/* A file under way: the text is taken apart where it lies. */
typedef struct table {
    char *at;
    char *cells[COLUMNS_MOST];
    int count;            /* of cells of the last row */
    int of[COLUMNS_MOST]; /* numbers in `columns`, -1: of no use */
    double factor[COLUMNS_MOST];
    int width, place[NOTHING + 1]; /* columns; where one of a kind is, -1: nowhere */
    launch *launches;
    int64_t launch_count, room;
} table;

static int find_column(const char *name)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(name, columns[i].name) == 0) return i;
    return -1;
}

static double unit_of(const char *text)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0) return units[i].factor;
    return 1;
}

/* Takes one row apart: cells between commas, quoted where they have some; false at the end of the text. */
static bool next_row(table *t)
{
    t->count = 0;
    if (!*t->at) return false;
    for (bool more = true; more;) {
        char *from = t->at, *to = from;
        if (t->count < COLUMNS_MOST) t->cells[t->count++] = to;
        bool quoted = *from == '"';
        if (quoted) from++;
        while (*from && (quoted || (*from != ',' && *from != '\n'))) {
            if (quoted && *from == '"' && from[1] != '"') {
                from++;
                quoted = false;
                continue;
            }
            from += quoted && *from == '"';
            if (*from != '\r') *to++ = *from;
            from++;
        }
        more = *from == ',';
        t->at = from + (*from != 0);
        *to = 0;
    }
    return true;
}

/* "4,512", "(16, 16, 1)", "0.5": a product of numbers with separators of thousands; negative where it is none. */
static double number_of(const char *text)
{
    double product = 1;
    bool tuple = *text == '(', any = false;
    for (text += tuple; *text && *text != ')';) {
        char digits[64];
        size_t used = 0;
        while (isspace((unsigned char)*text))
            text++;
        for (; *text && *text != ')' && !(tuple && *text == ',') && !isspace((unsigned char)*text); text++) {
            if (*text == ',') continue;
            if (used + 1 == sizeof digits) return -1;
            digits[used++] = *text;
        }
        digits[used] = 0;
        char *end;
        double value = mmm_read_number(digits, &end);
        if (end == digits || *end || !(value >= 0) || !isfinite(value)) return -1;
        product *= value;
        any = true;
        while (*text == ',' || isspace((unsigned char)*text))
            text++;
    }
    return any ? product : -1;
}

/* Whether the row is the heading: it has a name, and something to count. */
static bool is_heading(table *t)
{
    for (int i = 0; i <= NOTHING; i++)
        t->place[i] = -1;
    t->width = t->count;
    for (int i = 0; i < t->count; i++) {
        t->of[i] = find_column(t->cells[i]);
        t->factor[i] = t->of[i] < 0 ? 0 : columns[t->of[i]].factor;
        if (t->of[i] >= 0) t->place[columns[t->of[i]].fact] = i;
    }
    return t->place[NAME] >= 0 && t->place[BLOCKS] >= 0 && t->place[THREADS] >= 0;
}

/* A launch begins as a factor of 1, or a sum of 0. */
static mmm_status add_launch(table *t, launch **out)
{
    mmm_status result = MMM_OK;
    TRY(mmm_grow(&t->launches, &t->room, t->launch_count + 1, sizeof *t->launches));
    launch *x = &t->launches[t->launch_count++];
    *x = (launch){.facts = {[BLOCKS] = 1, [THREADS] = 1}};
    const char *name = t->cells[t->place[NAME]];
    snprintf(x->name, sizeof x->name, "%.*s", (int)strcspn(name, "(<"), name); /* without parameters */
    if (!x->name[0]) snprintf(x->name, sizeof x->name, "%.60s", *name ? name : "kernel");
    mmm_make_plain(x->name);
    if (t->place[STREAM] >= 0) x->stream = strtoll(t->cells[t->place[STREAM]], NULL, 10);
    if (t->place[IDENTITY] >= 0) snprintf(x->identity, sizeof x->identity, "%.20s", t->cells[t->place[IDENTITY]]);
    *out = x;
done:
    return result;
}

static void take(launch *x, fact which, double value)
{
    if (which == BLOCKS || which == THREADS)
        x->facts[which] *= value;
    else if (which == SHARED)
        x->facts[which] += value;
    else
        x->facts[which] = value;
}

/* A row of the file, with what each column says; in files with a metric a row, those of a launch are together. */
static mmm_status read_row(table *t, int64_t row)
{
    mmm_status result = MMM_OK;
    launch *x = NULL;
    bool metrics = t->place[METRIC] >= 0 && t->place[VALUE] >= 0 && t->place[IDENTITY] >= 0;
    if (t->count <= t->place[NAME] || t->count <= t->place[BLOCKS] || t->count <= t->place[THREADS]) goto done;
    if (t->place[IDENTITY] >= 0 && !*t->cells[t->place[IDENTITY]]) { /* the units */
        for (int i = 0; i < t->count && i < t->width; i++)
            if (t->of[i] >= 0) t->factor[i] *= unit_of(t->cells[i]);
        goto done;
    }
    if (!*t->cells[t->place[BLOCKS]]) goto done; /* a copy, no kernel */
    if (metrics && t->launch_count) x = &t->launches[t->launch_count - 1];
    if (x && strcmp(x->identity, t->cells[t->place[IDENTITY]]) != 0) x = NULL;
    if (!x) {
        TRY(add_launch(t, &x));
        for (int i = 0; i < t->count && i < t->width; i++) {
            if (t->of[i] < 0 || columns[t->of[i]].fact >= FACTS || !*t->cells[i]) continue;
            double value = number_of(t->cells[i]);
            if (value < 0)
                FAIL(MMM_INVALID, "row %lld: %s is '%.60s', which is no number", (long long)row, columns[t->of[i]].name,
                     t->cells[i]);
            take(x, columns[t->of[i]].fact, value * t->factor[i]);
        }
    }
    if (!metrics || t->count <= t->place[VALUE]) goto done;
    int metric = find_column(t->cells[t->place[METRIC]]);
    double value = number_of(t->cells[t->place[VALUE]]);
    if (metric < 0 || columns[metric].fact >= FACTS || columns[metric].fact <= THREADS || value < 0) goto done;
    take(x, columns[metric].fact, value * (t->place[UNIT] < 0 ? 1 : unit_of(t->cells[t->place[UNIT]])));
done:
    return result;
}

/* Shares a total among blocks in whole numbers: some have one more. */
static mmm_status set_costs(mmm_program *program, int kernel, const launch *x)
{
    int64_t blocks = program->nodes[kernel].blocks, threads = program->nodes[kernel].threads;
    int64_t groups_of_block = (threads + GROUP - 1) / GROUP;
    double groups = (double)blocks * (double)groups_of_block, all = (double)blocks * (double)threads;
    double work = x->facts[THREAD_INSTRUCTIONS] > 0 ? x->facts[THREAD_INSTRUCTIONS] : GROUP * x->facts[INSTRUCTIONS];
    double chain = x->facts[INSTRUCTIONS] > 0 ? x->facts[INSTRUCTIONS] / groups : work / all;
    double read = x->facts[READ], written = x->facts[WRITTEN];
    if (!(read > 0) && !(written > 0)) read = x->facts[SECTORS];
    if (work > 9e18 || read > 1e18 || written > 1e18)
        return mmm_fail(MMM_INVALID, "kernel '%s' has more instructions or sectors than are possible", x->name);
    int64_t total = (int64_t)work, more = total % blocks;
    mmm_cost cost = {.blocks = blocks - more,
                     .work = total / blocks,
                     .span = (int64_t)ceil(chain),
                     .span_thread = (int64_t)ceil(chain),
                     .reads = (int64_t)ceil(read * SECTOR_WORDS / all),
                     .writes = (int64_t)ceil(written * SECTOR_WORDS / all)};
    mmm_cost both[2] = {cost, cost};
    both[1].blocks = more;
    both[1].work++;
    return mmm_program_set_costs(program, kernel, both, more ? 2 : 1);
}

/* A launch and its stream, to be sorted: by streams, and in each as they came. */
typedef struct place {
    int64_t stream, launch;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

/* The launches of a stream follow each other; one in the default stream follows all before, and all later ones follow
 * it.  Events between streams are not in these files. */
static mmm_status add_edges(mmm_program *program, const table *t)
{
    mmm_status result = MMM_OK;
    int64_t count = t->launch_count, barrier = -1;
    place *places = NULL;
    struct {
        int64_t before, after; /* in the same stream: -1 and count where there is none */
    } *near = NULL;
    TRY(mmm_alloc(&places, count, sizeof *places));
    TRY(mmm_alloc(&near, count, sizeof *near));
    for (int64_t i = 0; i < count; i++)
        places[i] = (place){t->launches[i].stream, i};
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int64_t i = 0; i < count; i++) {
        int64_t own = places[i].launch;
        bool first = i == 0 || places[i - 1].stream != places[i].stream;
        near[own].before = first ? -1 : places[i - 1].launch;
        near[own].after = count;
        if (!first) near[near[own].before].after = own;
    }
    for (int64_t i = 0; i < count; i++) {
        bool follows = false;
        if (t->launches[i].stream != DEFAULT_STREAM) {
            int64_t last = near[i].before > barrier ? near[i].before : barrier;
            if (last >= 0) TRY(mmm_program_depend(program, (int)last, (int)i));
            continue;
        }
        for (int64_t j = barrier + 1; j < i; j++) {
            if (near[j].after < i) continue;
            TRY(mmm_program_depend(program, (int)j, (int)i));
            follows = true;
        }
        if (!follows && barrier >= 0) TRY(mmm_program_depend(program, (int)barrier, (int)i));
        barrier = i;
    }
done:
    free(places);
    free(near);
    return result;
}

static mmm_status build(const table *t, mmm_program *program)
{
    mmm_status result = MMM_OK;
    for (int64_t i = 0; i < t->launch_count; i++) {
        const launch *x = &t->launches[i];
        int kernel;
        if (x->facts[BLOCKS] < 1 || x->facts[THREADS] < 1 || x->facts[BLOCKS] > 9e15 || x->facts[THREADS] > 9e15)
            FAIL(MMM_INVALID, "kernel '%s' has %g blocks of %g threads: 1 to 9e15 of each are possible", x->name,
                 x->facts[BLOCKS], x->facts[THREADS]);
        TRY(mmm_program_add(program, x->name, (int64_t)x->facts[BLOCKS], (int64_t)x->facts[THREADS], &kernel));
        program->nodes[kernel].local_words = (int64_t)ceil(fmin(x->facts[SHARED], 1e15) / 4);
        program->nodes[kernel].seconds = x->facts[SECONDS];
        TRY(set_costs(program, kernel, x));
    }
    TRY(add_edges(program, t));
done:
    return result;
}

mmm_status mmm_program_import(const char *path, mmm_program **out)
{
    mmm_status result = MMM_OK;
    char *text = NULL;
    int64_t size, row = 0;
    table *t = NULL;
    mmm_program *program = NULL;
    bool found = false;
    NEED(path, "the path of a profile");
    NEED(out, "the place for a program");
    TRY(mmm_alloc(&t, 1, sizeof *t));
    TRY(mmm_file_read(path, FILE_LIMIT, &text, &size));
    if ((int64_t)strlen(text) != size) FAIL(MMM_INVALID, "'%.200s' is no text", path);
    t->at = text;
    while (next_row(t)) {
        row++;
        if (found)
            TRY(read_row(t, row));
        else
            found = is_heading(t);
    }
    if (!found)
        FAIL(MMM_INVALID,
             "'%.200s' has no row with the columns of a profile: 'Kernel Name', 'Grid Size' and 'Block Size' (ncu "
             "--csv), "
             "or Name, GrdX and BlkX (nsys stats -r cuda_gpu_trace -f csv)",
             path);
    if (!t->launch_count) FAIL(MMM_INVALID, "'%.200s' has no kernel below its heading", path);
    TRY(mmm_program_new(&program));
    TRY(build(t, program));
    *out = program;
    program = NULL;
done:
    mmm_program_free(program);
    if (t) free(t->launches);
    free(t);
    free(text);
    return result;
}
