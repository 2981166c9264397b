/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all is well here: what the library is, compilers, caches, wisdom, calibration, devices; each by trying it. */
#include "job/compile.h"
#include "machine/gpu/gpu.h"
#include "study/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <flint/flint.h>
#include <jansson.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { SPACE_LEAST = 64 << 20 }; /* bytes that compiled code should find */

typedef mmm_doctor_visit doctor;
#define say mmm_doctor_say

void mmm_doctor_say(const doctor *d, const char *subject, mmm_health health, const char *mend, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    d->visit(d->context, &(mmm_diagnosis){subject, health, text, health == MMM_WELL ? "" : mend});
}

/* The same for something that failed, with the message. */
static void say_ill(doctor *d, mmm_status status, const char *subject, const char *mend, const char *what)
{
    if (status == MMM_MEMORY)
        d->lacks = true;
    else
        say(d, subject, MMM_ILL, mend, "%s%s", what, mmm_message());
}

static void see_library(const doctor *d)
{
    say(d, "library", MMM_WELL, "", "mmm %s, built by %s %s; FLINT %s, GMP %s, jansson %s, libsodium %s", mmm_version(),
#ifdef __clang__
        "clang",
#else
        "gcc",
#endif
        __VERSION__, FLINT_VERSION, gmp_version, JANSSON_VERSION, sodium_version_string());
}

/* Compiles what mmm_app_create writes, in a folder of its own below the cache. */
static mmm_status try_compiler(mmm_workplace *w, const char *cache)
{
    mmm_status result = MMM_OK;
    char folder[MMM_PATH_MOST], library[MMM_PATH_MOST];
    snprintf(w->place, sizeof w->place, "%.3000s/mmm-doctor-XXXXXX", cache);
    if (!mkdtemp(w->place)) {
        *w->place = 0;
        FAIL(MMM_IO, "cannot write below '%.200s': %s", cache, strerror(errno));
    }
    TRY(mmm_path_in(folder, w->place, "stencil"));
    TRY(mmm_app_create(folder));
    w->folder = folder;
    w->unit = "doctor";
    TRY(mmm_workplace_headers(w, cache));
    TRY(mmm_workplace_compile(w, false));
    TRY(mmm_path_in(library, w->place, "app.so"));
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) FAIL(MMM_INVALID, "what it makes does not load: %s", dlerror());
    dlclose(handle);
done:
    if (*w->place) mmm_folder_remove(w->place, 2);
    return result;
}

static void see_compiler(doctor *d)
{
    static const char mend[] =
        "install a C compiler and binutils (Debian: gcc libc6-dev binutils), or let CC and OBJCOPY "
        "name them; without them only the applications that are built in work";
    char cache[MMM_PATH_MOST];
    const char *named = getenv("CC");
    mmm_workplace *w = NULL;
    if (mmm_alloc(&w, 1, sizeof *w) != MMM_OK) {
        d->lacks = true;
        return;
    }
    mmm_workplace_compiler(w);
    if (d->thorough && named && strchr(named, ' '))
        say(d, "compiler", MMM_NOTE, "let CC be one word, such as the path of a script",
            "CC is '%.200s', more than the name of a compiler: folders are compiled by %s", named, w->compiler);
    if (!*w->identity)
        say(d, "compiler", MMM_ILL, mend, "there is no '%s' on the PATH to compile an application's folder",
            w->compiler);
    else if (!d->thorough)
        say(d, "compiler", MMM_WELL, "", "%.*s for folders", (int)strcspn(w->identity, " "), w->identity);
    else if (mmm_cache_folder(cache, sizeof cache) == MMM_OK) { /* else the cache is what is wrong */
        mmm_status status = try_compiler(w, cache);
        if (status == MMM_OK)
            say(d, "compiler", MMM_WELL, "", "%.*s compiles an application's folder", (int)strcspn(w->identity, " "),
                w->identity);
        else
            say_ill(d, status, "compiler", mend, "a new application does not compile: ");
    }
    free(w);
}

static void see_cache(doctor *d)
{
    static const char mend[] = "let MMM_CACHE name a folder that is yours alone (chmod 700)";
    char cache[MMM_PATH_MOST], file[MMM_PATH_MOST];
    struct statvfs space;
    mmm_status status = mmm_cache_folder(cache, sizeof cache);
    if (status != MMM_OK) {
        say_ill(d, status, "cache", mend, "");
        return;
    }
    snprintf(file, sizeof file, "%.3000s/mmm-doctor-XXXXXX", cache);
    int descriptor = mkstemp(file);
    if (descriptor < 0) {
        say(d, "cache", MMM_ILL, mend, "compiled code cannot be written to '%.200s': %s", cache, strerror(errno));
        return;
    }
    close(descriptor);
    unlink(file);
    if (statvfs(cache, &space) == 0 && (uint64_t)space.f_bavail * space.f_frsize < SPACE_LEAST)
        say(d, "cache", MMM_ILL, "make room there, or let MMM_CACHE name another folder",
            "'%.200s' has less than %d MB left", cache, SPACE_LEAST >> 20);
    else
        say(d, "cache", MMM_WELL, "", "compiled code goes to '%.200s'", cache);
}

static void see_wisdom(doctor *d)
{
    static const char mend[] = "let MMM_WISDOM name a file of yours that others cannot write; mmm tune fills it";
    char path[MMM_PATH_MOST] = "", trouble[512] = "";
    int64_t lines = 0;
    mmm_status status = mmm_wisdom_check(path, sizeof path, &lines, trouble, sizeof trouble);
    if (status != MMM_OK)
        say_ill(d, status, "wisdom", mend, "");
    else if (*trouble)
        say(d, "wisdom", MMM_ILL, "remove those lines, or the file: mmm tune writes it anew", "'%.200s': %s", path,
            trouble);
    else if (!lines)
        say(d, "wisdom", MMM_NOTE, "mmm tune APP n=... finds choices and keeps them",
            "nothing was tuned here yet: choices are predicted ('%.200s')", path);
    else
        say(d, "wisdom", MMM_WELL, "", "%lld choice%s in '%.200s'", (long long)lines, lines == 1 ? "" : "s", path);
}

static void see_calibration(doctor *d, mmm_machine *machine, const char *name)
{
    mmm_parameters numbers;
    char subject[80], mend[128];
    int own;
    snprintf(subject, sizeof subject, "calibration of %.40s", name);
    snprintf(mend, sizeof mend, "mmm calibrate %.40s", name);
    mmm_note(NULL);
    mmm_status status = mmm_parameters_of(machine, &numbers, &own);
    if (status != MMM_OK)
        say_ill(d, status, subject, mend, "");
    else if (*mmm_wisdom_note())
        say(d, subject, MMM_ILL, mend, "%s", mmm_wisdom_note());
    else if (!own)
        say(d, subject, MMM_NOTE, mend, "predictions are made with the numbers of %s", numbers.name);
    else
        say(d, subject, MMM_WELL, "", "an operation takes %.3g ns", 1e9 * numbers.operation);
}

/* A small gcd, checked. */
static mmm_status try_machine(mmm_machine *machine)
{
    mmm_status result = MMM_OK;
    mmm_job *job = NULL;
    TRY(mmm_job_new("gcd", &job));
    TRY(mmm_job_set(job, "n", 60));
    TRY(mmm_job_set(job, "m", 50));
    TRY(mmm_job_set(job, "s", 8));
    TRY(mmm_job_run(job, machine, NULL));
    TRY(mmm_job_check(job));
done:
    mmm_job_free(job);
    return result;
}

/* What to do about a machine that does not work, by what its message says. */
static const char *mend_of(const char *message)
{
    static const struct {
        const char *word, *mend;
    } table[] = {
        {"no CUDA driver",
         "nothing, where there is no such device; else install NVIDIA's driver (Debian: nvidia-driver, of "
         "non-free), or let MMM_CUDA name its libcuda.so.1"},
        {"NVRTC",
         "install NVRTC of a CUDA that knows the device (libnvrtc, of CUDA's toolkit), or let MMM_NVRTC name it"},
        {"too old", "update the device's driver"},
        {"no OpenCL",
         "nothing, where there is no such device; else install OpenCL's loader (Debian: ocl-icd-libopencl1), or "
         "let MMM_OPENCL name its libOpenCL.so.1"},
        {"ends the process",
         "find the driver that does so: OCL_ICD_VENDORS=FILE.icd mmm doctor takes one alone; then update "
         "or remove it"},
        {"no device is found",
         "nothing, where there is no such device; else see that its driver is loaded and that its "
         "files in /dev are yours to use"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strstr(message, table[i].word)) return table[i].mend;
    return "nothing, where there is no such device; else update or reinstall its driver";
}

static void see_machine(void *context, const mmm_machine_info *info)
{
    doctor *d = context;
    mmm_machine *machine = NULL;
    char what[400];
    if (!info->works) {
        say(d, info->name, MMM_NOTE, mend_of(info->description), "%s", info->description);
        return;
    }
    if (!d->thorough) {
        say(d, info->name, MMM_WELL, "", "%s", info->description);
        return;
    }
    mmm_status status = mmm_machine_open(info->name, &machine);
    if (status == MMM_OK) status = try_machine(machine);
    snprintf(what, sizeof what, "%.300s: a gcd of 60 by 50 terms fails: ", info->description);
    if (status != MMM_OK)
        say_ill(d, status, info->name,
                "update or reinstall the device's driver; mmm run gcd --check -m NAME tries it again", what);
    else {
        say(d, info->name, MMM_WELL, "", "%s; a gcd is right", info->description);
        if (info->has_time) see_calibration(d, machine, info->name);
    }
    mmm_machine_free(machine);
}

mmm_status mmm_doctor(int thorough, mmm_diagnosis_visitor *visit, void *context)
{
    NEED(visit, "the visitor of findings");
    doctor d = {.visit = visit, .context = context, .thorough = thorough};
    mmm_doctor_user user = {.id = geteuid()};
    see_library(&d);
    see_compiler(&d);
    if (thorough) {
        see_cache(&d);
        see_wisdom(&d);
    }
    mmm_machine_list(see_machine, &d);
    if (thorough) {
        int count = getgroups(MMM_GROUPS_MOST - 1, user.groups);
        user.group_count = count < 0 ? 0 : count;
        user.groups[user.group_count++] = getegid();
        mmm_doctor_devices(&d, "", &user);
        mmm_doctor_icds(&d, NULL);
    }
    return d.lacks ? mmm_fail(MMM_MEMORY, "no memory to look at everything") : MMM_OK;
}
