/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and drivers as files: who may use those of NVIDIA and of /dev/dri, and what OpenCL's loader is told of. */
#include "study/doctor.h"

#include "machine/gpu/gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_MOST = 1024 };

/* Calls `each` with every file of a folder whose name starts and ends so, in order; how many there are, -1: no folder.
 */
static int files_of(const char *folder, const char *start, const char *end,
                    void (*each)(void *context, const char *path), void *context)
{
    struct dirent **list;
    char path[PATH_MOST];
    int count = scandir(folder, &list, NULL, alphasort), matches = 0;
    for (int i = 0; i < count; i++) {
        const char *name = list[i]->d_name;
        size_t length = strlen(name), tail = strlen(end);
        if (*name != '.' && strncmp(name, start, strlen(start)) == 0 && length >= tail &&
            strcmp(name + length - tail, end) == 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) {
            matches++;
            if (each) each(context, path);
        }
        free(list[i]);
    }
    if (count >= 0) free(list);
    return count < 0 ? -1 : matches;
}

/* ---- files of devices ------------------------------------------------------------------------------------------- */

typedef struct look {
    const mmm_doctor_visit *d;
    const mmm_doctor_user *user;
    const char *subject;
    mmm_health health; /* of a file that cannot be used */
} look;

static bool in_group(const mmm_doctor_user *user, gid_t group)
{
    for (int i = 0; i < user->group_count; i++)
        if (user->groups[i] == group) return true;
    return false;
}

/* Whether the user may read and write it; the superuser may everything. */
static bool may_use(const mmm_doctor_user *user, const struct stat *file)
{
    const mode_t both = S_IRUSR | S_IWUSR, mode = file->st_mode;
    if (user->id == 0) return true;
    if (user->id == file->st_uid) return (mode & both) == both;
    if (in_group(user, file->st_gid)) return (mode & both >> 3) == both >> 3;
    return (mode & both >> 6) == both >> 6;
}

static void see_file(void *context, const char *path)
{
    const look *l = context;
    struct stat file;
    struct group entry, *group = NULL;
    char room[2048], name[64], mend[256];
    if (stat(path, &file) != 0 || S_ISDIR(file.st_mode) || may_use(l->user, &file)) return;
    if (getgrgid_r(file.st_gid, &entry, room, sizeof room, &group) == 0 && group)
        snprintf(name, sizeof name, "%.60s", group->gr_name);
    else
        snprintf(name, sizeof name, "%u", (unsigned)file.st_gid);
    if (file.st_gid != 0 && (file.st_mode & 0060) == 0060)
        snprintf(mend, sizeof mend, "sudo usermod -aG %s $USER, and log in again", name);
    else
        snprintf(mend, sizeof mend,
                 "whoever runs this machine lets you use it (by a group and a rule of udev, or chmod a+rw)");
    mmm_doctor_say(l->d, l->subject, l->health, mend, "you may not use '%.200s': it is of group %s, mode %04o", path,
                   name, (unsigned)file.st_mode & 07777);
}

/* Counts display controllers and accelerators of NVIDIA among the PCI devices. */
static void count_nvidia(void *context, const char *path)
{
    char file[PATH_MOST + 16], vendor[16] = "", kind[16] = "";
    const char *const names[] = {"vendor", "class"};
    char *const texts[] = {vendor, kind};
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        FILE *stream = fopen(file, "r");
        if (!stream) return;
        if (!fgets(texts[i], 16, stream)) *texts[i] = 0;
        fclose(stream);
    }
    bool display = strncmp(kind, "0x03", 4) == 0 || strncmp(kind, "0x12", 4) == 0;
    if (strncmp(vendor, "0x10de", 6) == 0 && display) ++*(int *)context;
}

void mmm_doctor_devices(const mmm_doctor_visit *d, const char *root, const mmm_doctor_user *user)
{
    char folder[PATH_MOST], file[PATH_MOST + 16];
    int nvidia = 0;
    look l = {d, user, "devices of NVIDIA", MMM_ILL};
    snprintf(folder, sizeof folder, "%.900s/sys/bus/pci/devices", root);
    files_of(folder, "", "", count_nvidia, &nvidia);
    snprintf(folder, sizeof folder, "%.900s/dev", root);
    files_of(folder, "nvidia", "", see_file, &l);
    snprintf(file, sizeof file, "%s/nvidiactl", folder);
    bool driver = access(file, F_OK) == 0;
    snprintf(file, sizeof file, "%s/nvidia-uvm", folder);
    if (driver && access(file, F_OK) != 0)
        mmm_doctor_say(d, l.subject, MMM_ILL, "sudo nvidia-modprobe -u -c=0 (or sudo modprobe nvidia-uvm)",
                       "there is no '%.200s', without which CUDA finds no device", file);
    if (nvidia && !driver)
        mmm_doctor_say(
            d, l.subject, MMM_NOTE,
            "install NVIDIA's driver (Debian: nvidia-driver, of non-free) and restart, or sudo modprobe nvidia",
            "%d on the bus, but no '%.200s/nvidiactl': their driver is not loaded", nvidia, folder);
    snprintf(folder, sizeof folder, "%.900s/dev/dri", root);
    l.subject = "/dev/dri";
    l.health = MMM_NOTE; /* many a screen needs no OpenCL */
    files_of(folder, "renderD", "", see_file, &l);
}

/* ---- drivers of OpenCL ------------------------------------------------------------------------------------------ */

/* Opens a library in a child, which alone it may end; "" or why it does not open. */
static void try_library(const char *name, char *why, size_t size)
{
    int ends[2], status = 0;
    *why = 0;
    if (pipe(ends) != 0) return;
    pid_t child = fork();
    if (child == 0) {
        mmm_child_begin();
        if (!dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
            const char *error = dlerror();
            if (error && write(ends[1], error, strlen(error)) < 0) _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = child < 0 ? 0 : read(ends[0], why, size - 1);
    why[length > 0 ? length : 0] = 0;
    close(ends[0]);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status))
        snprintf(why, size, "it ends the process that opens it (%s)", strsignal(WTERMSIG(status)));
}

static void see_icd(void *context, const char *path)
{
    const mmm_doctor_visit *d = context;
    static const char mend[] = "reinstall the driver that the file came with, or remove the file";
    char library[PATH_MOST] = "", why[512];
    FILE *stream = fopen(path, "r");
    if (!stream) {
        mmm_doctor_say(d, "drivers of OpenCL", MMM_ILL, "sudo chmod a+r on it", "'%.200s' cannot be read: %s", path,
                       strerror(errno));
        return;
    }
    if (!fgets(library, sizeof library, stream)) *library = 0;
    fclose(stream);
    library[strcspn(library, "\r\n")] = 0;
    if (!*library) {
        mmm_doctor_say(d, "drivers of OpenCL", MMM_ILL, mend, "'%.200s' names no library", path);
        return;
    }
    try_library(library, why, sizeof why);
    if (*why)
        mmm_doctor_say(d, "drivers of OpenCL", MMM_ILL, mend, "'%.200s' names '%.200s', which does not work: %s", path,
                       library, why);
}

void mmm_doctor_icds(const mmm_doctor_visit *d, const char *place)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    struct stat file;
    for (int i = 0; i < 2 && (!place || !*place); i++)
        place = getenv(variables[i]);
    if (!place || !*place) place = "/etc/OpenCL/vendors";
    if (stat(place, &file) == 0 && S_ISREG(file.st_mode))
        see_icd((void *)(uintptr_t)d, place);
    else if (files_of(place, "", ".icd", see_icd, (void *)(uintptr_t)d) < 1)
        mmm_doctor_say(d, "drivers of OpenCL", MMM_NOTE,
                       "install the device's (Debian: intel-opencl-icd, mesa-opencl-icd, nvidia-opencl-icd; "
                       "pocl-opencl-icd makes one of the CPU)",
                       "there is no '%.200s/*.icd': OpenCL finds no device", place);
}
