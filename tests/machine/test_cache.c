/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled kernels: whatever happens to it, a load gives the whole code of its key or nothing. */
#include "testing.h"
#include "machine/gpu/gpu.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[300];

/* The path of the only file in the folder; fails where there are more. */
static const char *only_entry(void)
{
    static char path[700];
    int count = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files));)
        if (file->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
            count++;
        }
    closedir(files);
    assert_true(count < 2);
    return count ? path : NULL;
}

static void empty(void)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static int start(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "build/test-cache-%d/a/b/", (int)getpid());
    mkdir("build", 0777);
    setenv("MMM_CACHE", folder, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "build/test-cache-%d", (int)getpid());
    empty();
    return 0;
}

static void assert_absent(const char *key)
{
    void *code;
    size_t size;
    assert_false(mmm_cache_load(key, &code, &size));
}

static void assert_loads(const char *key, const void *wanted, size_t wanted_size)
{
    void *code;
    size_t size;
    assert_true(mmm_cache_load(key, &code, &size));
    assert_int_equal(size, wanted_size);
    assert_memory_equal(code, wanted, size);
    assert_int_equal(((char *)code)[size], 0);
    free(code);
}

static size_t read_whole(const char *path, char *bytes, size_t room)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(bytes, 1, room, stream);
    fclose(stream);
    return size;
}

static void write_whole(const char *path, const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void test_round(void **state)
{
    static char code[100000];
    (void)state;
    for (size_t size = 0; size <= sizeof code; size = 10 * size + 1) {
        for (size_t i = 0; i < size; i++)
            code[i] = (char)(i * i % 251);
        empty();
        assert_absent("key");
        mmm_cache_store("key", code, size);
        assert_loads("key", code, size);
        assert_absent("kez");
        assert_absent("");
        mmm_cache_store("key", "new", 3); /* replaces */
        assert_loads("key", "new", 3);
    }
}

/* Every bit flipped, every length cut off, bytes appended: absent; and what is stored again is there again. */
static void test_corrupt(void **state)
{
    static const char key[] = "device\nversion\ntext of a kernel";
    static const char code[] = "\177ELF some code\n\0 and more of it\xff";
    char bytes[1000];
    (void)state;
    empty();
    mmm_cache_store(key, code, sizeof code);
    const char *path = only_entry();
    size_t size = read_whole(path, bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (char)(1 << bit);
            write_whole(path, bytes, size);
            assert_absent(key);
            bytes[i] ^= (char)(1 << bit);
        }
    for (size_t cut = 0; cut < size; cut++) {
        write_whole(path, bytes, cut);
        assert_absent(key);
    }
    bytes[size] = 0;
    write_whole(path, bytes, size + 1);
    assert_absent(key);
    mmm_cache_store(key, code, sizeof code);
    assert_loads(key, code, sizeof code);
}

/* First lines that ask for more memory than there is, or wrap around. */
static void test_first_lines(void **state)
{
    static const char *const lines[] = {
        "mmm-cache 2 3 18446744073709551615 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3 18446744073709551614 00000000000000000000000000000000\nke",
        "mmm-cache 2 18446744073709551615 3 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3 9000000000000000000 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3 -1 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3 99999999999999999999999 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3 0 00000000000000000000000000000000\nkey",
        "mmm-cache 2 3\nkey",
        "\n",
    };
    (void)state;
    empty();
    mmm_cache_store("key", "code", 4);
    const char *path = only_entry();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_whole(path, lines[i], strlen(lines[i]));
        assert_absent("key");
    }
    assert_int_equal(unlink(path), 0); /* a folder in the entry's place */
    assert_int_equal(mkdir(path, 0777), 0);
    assert_absent("key");
    mmm_cache_store("key", "code", 4);
    assert_absent("key");
    assert_non_null(only_entry());
}

/* An entry under the name of another key, as if their hashes were equal. */
static void test_other_key(void **state)
{
    char first[300], bytes[1000];
    (void)state;
    empty();
    mmm_cache_store("one", "code of one", 11);
    snprintf(first, sizeof first, "%s", only_entry());
    size_t size = read_whole(first, bytes, sizeof bytes);
    assert_int_equal(unlink(first), 0);
    mmm_cache_store("two", "code of two", 11);
    write_whole(only_entry(), bytes, size);
    assert_absent("two");
    mmm_cache_store("two", "code of two", 11);
    assert_loads("two", "code of two", 11);
}

/* Folders that cannot be had: nothing is stored, nothing fails. */
static void test_no_folder(void **state)
{
    static const char *const folders[] = {"/proc", "/proc/none", "/dev/null", "/dev/null/none", "/"};
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL, *xdg = getenv("XDG_CACHE_HOME");
    char name[5000];
    (void)state;
    for (size_t i = 0; i < 5 - (geteuid() == 0); i++) { /* root may write to the last */
        setenv("MMM_CACHE", folders[i], 1);
        mmm_cache_store("key", "code", 4);
        assert_absent("key");
    }
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    setenv("MMM_CACHE", name, 1);
    mmm_cache_store("key", "code", 4);
    assert_absent("key");
    xdg = xdg ? strdup(xdg) : NULL;
    unsetenv("MMM_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    mmm_cache_store("key", "code", 4);
    assert_absent("key");
    setenv("HOME", "relative", 1);
    mmm_cache_store("key", "code", 4);
    assert_absent("key");
    assert_int_not_equal(access("relative", F_OK), 0);
    if (home) setenv("HOME", home, 1);
    if (xdg) setenv("XDG_CACHE_HOME", xdg, 1);
    free(home);
    free(xdg);
    setenv("MMM_CACHE", folder, 1);
}

/* What another user could have written is not taken: neither a folder nor an entry; and what is made is private. */
static void test_trust(void **state)
{
    struct stat status;
    mode_t mask = umask(0);
    (void)state;
    empty();
    mmm_cache_store("key", "code", 4);
    assert_loads("key", "code", 4);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(only_entry(), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    for (int i = 0; i < 2; i++) {
        static const mode_t others[] = {0770, 0702};
        assert_int_equal(chmod(folder, others[i]), 0);
        assert_absent("key");
        char path[600];
        assert_fails(mmm_cache_folder(path, sizeof path), MMM_IO, "is not trusted: others may write it (chmod go-w)");
        assert_int_equal(chmod(folder, 0755), 0);
        assert_loads("key", "code", 4);
        assert_int_equal(chmod(only_entry(), others[i] & 0666), 0);
        assert_absent("key");
        assert_int_equal(chmod(only_entry(), 0644), 0);
        assert_loads("key", "code", 4);
    }
    if (geteuid() == 0) { /* who may give a file away */
        assert_int_equal(chown(only_entry(), 65534, 65534), 0);
        assert_absent("key");
        assert_fails(mmm_trust(only_entry()), MMM_IO, "it belongs to another user");
        assert_int_equal(chown(only_entry(), 0, 0), 0);
        assert_int_equal(chown(folder, 65534, 65534), 0);
        assert_absent("key");
        assert_int_equal(chown(folder, 0, 0), 0);
        assert_loads("key", "code", 4);
    }
    umask(mask);
}

/* Relative paths of the desktop's variables are no paths, for all places alike; one's own variable may have one. */
static void test_places(void **state)
{
    static const mmm_place place = {"MMM_TEST_PLACE", "MMM_TEST_XDG", ".test", "mmm/file"};
    static const struct {
        const char *own, *xdg, *home, *path;
    } cases[] = {{"relative", "/x", "/h", "relative"},
                 {"", "/x", "/h", "/x/mmm/file"},
                 {NULL, "x", "/h", "/h/.test/mmm/file"},
                 {NULL, "./x", "/h", "/h/.test/mmm/file"},
                 {NULL, "", "/h", "/h/.test/mmm/file"},
                 {NULL, NULL, "/h", "/h/.test/mmm/file"},
                 {NULL, "x", "h", NULL},
                 {NULL, NULL, "", NULL},
                 {NULL, NULL, NULL, NULL}};
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL, path[100];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const values[] = {cases[i].own, cases[i].xdg, cases[i].home};
        const char *const names[] = {place.variable, place.xdg, "HOME"};
        for (int j = 0; j < 3; j++)
            if (values[j])
                setenv(names[j], values[j], 1);
            else
                unsetenv(names[j]);
        assert_int_equal(mmm_place_find(&place, path, sizeof path), cases[i].path != NULL);
        if (cases[i].path) assert_string_equal(path, cases[i].path);
    }
    setenv("MMM_TEST_PLACE", "/12345", 1);
    assert_true(mmm_place_find(&place, path, 7));
    assert_false(mmm_place_find(&place, path, 6));
    unsetenv("MMM_TEST_PLACE");
    if (home) setenv("HOME", home, 1);
    free(home);
}

/* Digests tell any two of these apart, piecewise as well. */
static void test_digest(void **state)
{
    char seen[300][MMM_DIGEST_TEXT], text[300] = "";
    (void)state;
    for (int i = 0; i < 300; i++) {
        mmm_digest_text(mmm_digest_of(text, (size_t)i), seen[i]);
        assert_int_equal(strlen(seen[i]), 32);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(seen[i], seen[j]);
    }
    mmm_digest one = {{0}}, two = {{0}};
    mmm_digest_add(&one, "ab", 2);
    mmm_digest_add(&one, "c", 1);
    mmm_digest_add(&two, "a", 1);
    mmm_digest_add(&two, "bc", 2);
    assert_memory_not_equal(&one, &two, sizeof one);
}

/* A folder that may be read but not written: what is in it is still used. */
static void test_read_only(void **state)
{
    int status;
    (void)state;
    empty();
    mmm_cache_store("key", "code", 4);
    assert_int_equal(chmod(only_entry(), 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    pid_t child = fork(); /* root gives up what lets it write everywhere */
    if (child == 0) {
        void *code;
        size_t size;
        if (geteuid() == 0 && setuid(65534) != 0) _exit(1);
        bool reads = access(folder, R_OK | X_OK) == 0; /* not where a folder above is private */
        mmm_cache_store("other", "code", 4);
        if (mmm_cache_load("other", &code, &size)) _exit(2);
        mmm_cache_store("key", "new", 3);
        if (mmm_cache_load("key", &code, &size) != reads) _exit(3);
        if (reads && (size != 4 || memcmp(code, "code", 4) != 0)) _exit(4);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_loads("key", "code", 4);
}

/* A disk that is full after any number of bytes: nothing is left behind. */
static void test_full_disk(void **state)
{
    static char code[20000];
    int status;
    (void)state;
    empty();
    mmm_cache_store("old", "x", 1); /* makes the folder */
    assert_int_equal(unlink(only_entry()), 0);
    for (rlim_t limit = 0; limit < sizeof code + 40; limit += limit < 100 ? 1 : 977) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
            mmm_cache_store("key", code, sizeof code);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_null(only_entry());
        assert_absent("key");
    }
    mmm_cache_store("key", code, sizeof code);
    assert_loads("key", code, sizeof code);
}

/* Processes that store and load the same keys at once: every load gives one process's code, all of it. */
static void test_processes(void **state)
{
    enum { PROCESSES = 8, ROUNDS = 150, KEYS = 3 };
    pid_t children[PROCESSES];
    int status, found = 0;
    (void)state;
    empty();
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] != 0) continue;
        static char mine[60000];
        memset(mine, 'a' + p, sizeof mine);
        for (int round = 0; round < ROUNDS; round++) {
            char key[] = {(char)('0' + (round + p) % KEYS), 0};
            void *code;
            size_t size;
            mmm_cache_store(key, mine, 20000 + 1000 * (size_t)p);
            if (!mmm_cache_load(key, &code, &size)) _exit(2);
            char *bytes = code;
            if (bytes[0] < 'a' || bytes[0] >= 'a' + PROCESSES) _exit(3);
            if (size != 20000 + 1000 * (size_t)(bytes[0] - 'a')) _exit(4);
            for (size_t i = 0; i < size; i++)
                if (bytes[i] != bytes[0]) _exit(5);
            free(code);
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files));)
        found += file->d_name[0] != '.';
    closedir(files);
    assert_int_equal(found, KEYS); /* and nothing half-written */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),     cmocka_unit_test(test_corrupt),   cmocka_unit_test(test_first_lines),
        cmocka_unit_test(test_other_key), cmocka_unit_test(test_no_folder), cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_processes), cmocka_unit_test(test_trust),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, start, end);
}
