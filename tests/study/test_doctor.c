/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor says of devices and drivers, on folders that look like /dev, /sys and /etc/OpenCL/vendors. */
#include "study/doctor.h"
#include "testing.h"

#include <sys/stat.h>

static char root[] = "build/doctor-XXXXXX";
static char said[4096];
static int ill, notes;

static void hear(void *context, const mmm_diagnosis *f)
{
    size_t used = strlen(said);
    (void)context;
    assert_true(*f->mend); /* whatever is said here has something to do about it */
    snprintf(said + used, sizeof said - used, "%s: %s | %s\n", f->subject, f->text, f->mend);
    ill += f->health == MMM_ILL;
    notes += f->health == MMM_NOTE;
}

static const mmm_doctor_visit visit = {hear, NULL, 1, false};

static void put(const char *name, const char *text, mode_t mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_true(mmm_folders_make(path, false));
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    assert_int_equal(chmod(path, mode), 0);
}

static void drop(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(remove(path), 0);
}

static void look(uid_t user, gid_t group)
{
    mmm_doctor_user who = {.id = user, .groups = {group}, .group_count = 1};
    ill = notes = *said = 0;
    mmm_doctor_devices(&visit, root, &who);
}

static void test_devices(void **state)
{
    struct stat file;
    char path[512];
    (void)state;
    snprintf(path, sizeof path, "%s/dev/nvidiactl", root);
    const uid_t other = geteuid() + 1000;
    look(other, 12345);
    assert_string_equal(said, ""); /* there is nothing */

    put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n",
        0644); /* a GPU of NVIDIA, and a network card of theirs */
    put("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n", 0644);
    put("sys/bus/pci/devices/0000:02:00.0/vendor", "0x10de\n", 0644);
    put("sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n", 0644);
    look(other, 12345);
    assert_true(notes == 1 && ill == 0);
    assert_non_null(strstr(said, "1 on the bus"));
    assert_non_null(strstr(said, "nvidia-driver"));

    put("dev/nvidiactl", "", 0666);
    put("dev/nvidia0", "", 0660);
    assert_int_equal(stat(path, &file), 0);
    look(other, file.st_gid + 1);
    assert_int_equal(ill, 2); /* no nvidia-uvm, and nvidia0 is not for this user */
    assert_non_null(strstr(said, "nvidia-modprobe"));
    assert_non_null(strstr(said, "nvidia0': it is of group "));
    assert_non_null(strstr(said, file.st_gid ? "sudo usermod -aG" : "whoever runs this machine"));
    assert_null(strstr(said, "you may not use 'nvidiactl'"));
    put("dev/nvidia-uvm", "", 0666);
    look(other, file.st_gid); /* of the group that may */
    assert_string_equal(said, "");
    look(file.st_uid, file.st_gid + 1); /* the owner */
    assert_string_equal(said, "");
    put("dev/nvidia0", "", 0600);
    look(other, file.st_gid);
    assert_int_equal(ill, 1);
    look(0, 0); /* the superuser */
    assert_string_equal(said, "");

    put("dev/dri/renderD128", "", 0660);
    put("dev/dri/card0", "", 0600); /* a screen, which is not for computing */
    put("dev/nvidia0", "", 0666);
    look(other, file.st_gid + 1);
    assert_true(ill == 0 && notes == 1);
    assert_non_null(strstr(said, "renderD128"));
    for (const char *const *name = (const char *const[]){"dev/dri/renderD128", "dev/dri/card0", "dev/nvidia0",
                                                         "dev/nvidiactl", "dev/nvidia-uvm", NULL};
         *name; name++)
        drop(*name);
}

/* A driver that ends the process that opens it, as a shared library. */
static bool compile_killer(const char *path)
{
    char command[1200];
    snprintf(command, sizeof command,
             "echo '#include <stdlib.h>\n__attribute__((constructor)) static void up(void) { abort(); }' | "
             "cc -x c -shared -fPIC -o '%s' - 2>/dev/null",
             path);
    return system(command) == 0;
}

static void see(const char *place)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, place);
    ill = notes = *said = 0;
    mmm_doctor_icds(&visit, path);
}

static void test_drivers(void **state)
{
    char path[512], line[600];
    (void)state;
    see("vendors");
    assert_true(notes == 1 && strstr(said, "pocl-opencl-icd"));
    put("vendors/good.icd", "libc.so.6\n", 0644); /* it opens, which is all that is asked here */
    put("vendors/readme.txt", "libnosuch.so\n", 0644);
    see("vendors");
    assert_string_equal(said, "");
    put("vendors/lost.icd", "libnosuch-of-opencl.so.1\n", 0644);
    put("vendors/empty.icd", "\n", 0644);
    see("vendors");
    assert_int_equal(ill, 2);
    assert_non_null(strstr(said, "empty.icd' names no library"));
    assert_non_null(
        strstr(said, "names 'libnosuch-of-opencl.so.1', which does not work: libnosuch-of-opencl.so.1: cannot open"));
    see("vendors/good.icd"); /* one file */
    assert_string_equal(said, "");
    snprintf(path, sizeof path, "%s/killer.so", root);
    if (compile_killer(path)) {
        snprintf(line, sizeof line, "%s%s\n", *path == '/' ? "" : "./", path);
        put("killer.icd", line, 0644);
        see("killer.icd");
        assert_non_null(strstr(said, "it ends the process that opens it"));
    }
    if (geteuid() != 0) {
        put("vendors/secret.icd", "libc.so.6\n", 0);
        see("vendors/secret.icd");
        assert_non_null(strstr(said, "cannot be read"));
    }
}

static int tear_down(void **state)
{
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_devices), cmocka_unit_test(test_drivers)};
    if (!mkdtemp(root)) return 1;
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
