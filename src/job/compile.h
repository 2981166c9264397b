/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling an application's folder with the system's compiler. */
#ifndef MMM_COMPILE_H
#define MMM_COMPILE_H

#include "base/text.h"
#include "job/job.h"

enum { MMM_PATH_MOST = 4096, MMM_SOURCE_MOST = 16 << 20 };

/* Where the parts of an application are compiled. */
typedef struct mmm_workplace {
    const char *folder;           /* the user's */
    const char *unit;             /* an identifier for its tables and its record */
    char place[MMM_PATH_MOST];    /* of what is made */
    char headers[MMM_PATH_MOST];  /* of mmm's */
    char compiler[MMM_PATH_MOST]; /* its name, */
    char identity[MMM_PATH_MOST]; /* and which one it is; "" where there is none */
    bool clang, words;
} mmm_workplace;

/* folder/name, cut to nothing where it is too long. */
mmm_status mmm_path_in(char *out, const char *folder, const char *name);
mmm_status mmm_file_write(const char *path, const char *text);
/* Removes a folder and the files in it, `depth` levels further down: what is made there is no deeper. */
void mmm_folder_remove(const char *path, int depth);

/* Fails where the folder lacks what makes an application. */
mmm_status mmm_folder_check(const char *folder);

/* The headers of this library, for whoever compiles against it: written into the cache once a version. */
mmm_status mmm_workplace_headers(mmm_workplace *w, const char *cache);

/* Path, size and time of the compiler that CC names, or cc: it need not run to be known. */
void mmm_workplace_compiler(mmm_workplace *w);

/* Reads and checks the kernels, and compiles all parts in w->place: to app.so, or to app.o, one object with everything.
 */
mmm_status mmm_workplace_compile(mmm_workplace *w, bool object);

#endif
