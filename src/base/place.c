/* SPDX-License-Identifier: Apache-2.0 */
/* Where the user's own files lie, and whether what lies there is to be trusted. */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool mmm_place_find(const mmm_place *place, char *path, size_t size)
{
    const char *own = getenv(place->variable), *folder = getenv(place->xdg), *home = getenv("HOME");
    int length;
    if (own && *own)
        length = snprintf(path, size, "%s", own);
    else if (folder && *folder == '/') /* relative ones are to be ignored, as that standard says */
        length = snprintf(path, size, "%s/%s", folder, place->below);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/%s/%s", home, place->home, place->below);
    else
        return false;
    return length >= 0 && (size_t)length < size;
}

bool mmm_folders_make(char *path, bool last)
{
    for (char *c = path + 1;; c++) {
        char old = *c;
        if (old && old != '/') continue;
        if (!old && !last) return true;
        *c = 0;
        bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *c = old;
        if (!there) return false;
        if (!old) return true;
    }
}

mmm_status mmm_trust(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return mmm_fail(MMM_IO, "cannot read '%.200s': %s", path, strerror(errno));
    if (S_ISCHR(status.st_mode)) return MMM_OK; /* /dev/null: nothing lies there */
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) /* a pipe would be waited for */
        return mmm_fail(MMM_IO, "'%.200s' is neither a file nor a folder", path);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return mmm_fail(MMM_IO, "'%.200s' is not trusted: it belongs to another user", path);
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return mmm_fail(MMM_IO, "'%.200s' is not trusted: others may write it (chmod go-w)", path);
    return MMM_OK;
}

void mmm_trust_make(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) chmod(path, status.st_mode & 0755);
}
