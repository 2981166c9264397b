/* SPDX-License-Identifier: Apache-2.0 */
/* What every folder uses: failing with a message, growing memory, random numbers, files. */
#ifndef MMM_BASE_H
#define MMM_BASE_H

#include "mmm.h"
#include "mmm/app.h"
#include "mmm/formula.h"
#include "mmm/kernel.h"
#include "mmm/model.h"
#include "mmm/study.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

/* The last failure of a thread: its message, and the place in a text that it is about. */
typedef struct mmm_failure {
    char message[512], text[4097], note[512];
    int column; /* -1: no place */
} mmm_failure;

/* This thread's, made when first asked for and released when the thread ends; NULL without memory. */
mmm_failure *mmm_failure_own(void);

/* Lets this thread, which has none of its own yet, write to another's; NULL before it ends. */
void mmm_failure_borrow(mmm_failure *failure);

/* Remembers a text (NULL: the last one) and a column in it. */
void mmm_fail_place(const char *text, int column);

/* Leaves what is worth saying although nothing failed, for mmm_wisdom_note; NULL: nothing. */
void mmm_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define FAIL(status, ...)                       \
    do {                                        \
        result = mmm_fail(status, __VA_ARGS__); \
        goto done;                              \
    } while (0)

/* In a function with `mmm_status result` and a label `done:` that releases what it holds. */
#define TRY(call)                        \
    do {                                 \
        result = (call);                 \
        if (result != MMM_OK) goto done; \
    } while (0)

/* At the beginning of a public function that returns an mmm_status and holds nothing yet: what it cannot do without. */
#define NEED(pointer, what)                                               \
    do {                                                                  \
        if (!(pointer)) return mmm_fail(MMM_INVALID, "%s is NULL", what); \
    } while (0)

/* Whether so many bytes can be asked for now; *available (may be NULL) is what there is, where they cannot.  A few are not
 * worth asking the system. */
bool mmm_memory_has(uint64_t bytes, uint64_t *available);

/* Addresses that the process may still have; UINT64_MAX where nobody limits them. */
uint64_t mmm_addresses_left(void);

/* What the cgroups of a process leave of memory: `groups` is its list of them, as /proc/self/cgroup, `mount` where they
 * are mounted; UINT64_MAX where they set no limit. */
uint64_t mmm_memory_of_groups(const char *groups, const char *mount);

/* Zeroed memory for `count` items of `size` bytes; never overflows, never over-commits past what the machine has. */
mmm_status mmm_alloc(void *pointer_to_pointer, int64_t count, size_t size);

/* Zeroed memory that takes none until it is touched: for what is large and little used.  Not in guarded calls. */
mmm_status mmm_map(void *pointer_to_pointer, size_t bytes);
void mmm_unmap(void *memory, size_t bytes);

/* Makes room for `need` items in a vector of capacity *room, doubling it. */
mmm_status mmm_grow(void *pointer_to_pointer, int64_t *room, int64_t need, size_t size);

/* Calls work(context) on a thread of its own, where FLINT, Arb and GMP may be used, which know nothing but to abort
 * when they are refused memory: then the work is left in the middle, whatever it allocated is released, and the call
 * fails with MMM_MEMORY.  The same where mmm_alloc and its like are refused memory.  So inside
 *  - memory comes from FLINT, mmm_alloc, mmm_grow and mmm_copy_string alone, and goes by mmm_free, never by free;
 *  - nothing is held that memory is not: no file, no lock, and no call of a library that would not expect a jump;
 *  - results are written last.
 * FLINT's objects end with the work.  A guarded call inside a guarded call is just a call. */
mmm_status mmm_guarded(mmm_status (*work)(void *context), void *context);

/* FLINT's large numbers out of limbs, the lowest first, that mmm_alloc gave: of each i that has limbs numbers[i], 0
 * before, becomes the one of |sizes[i]| limbs with the sign of sizes[i], which owns them.  When it fails none does, and
 * the numbers are of no use. */
mmm_status mmm_large_numbers(long *numbers, unsigned long *const *limbs, const int *sizes, int64_t count);

/* As free, for what may have been allocated in the guarded call under way. */
void mmm_free(void *memory);

/* A reproducible sequence of random numbers (splitmix64). */
typedef struct mmm_random {
    uint64_t state;
} mmm_random;

uint64_t mmm_random_next(mmm_random *random);
uint64_t mmm_random_below(mmm_random *random, uint64_t bound); /* bound > 0, unbiased */

/* The whole of a file ("-": standard input), with a NUL after it; at most `limit` bytes. */
mmm_status mmm_file_read(const char *path, int64_t limit, char **text, int64_t *size);

/* An output that appears under its name only when it is complete: written beside it and renamed by _commit; _discard
 * (after _commit: no effect) removes what was written.  "-" is standard output. */
typedef struct mmm_output {
    FILE *stream;
    char *path, *temporary;
    locale_t before; /* of the thread that writes */
} mmm_output;

mmm_status mmm_output_open(mmm_output *output, const char *path);
mmm_status mmm_output_commit(mmm_output *output);
void mmm_output_discard(mmm_output *output);

/* Adds a line to a file in one write, so that lines of several processes never mix: after a header, where the file is
 * new, and after the end of a last line that was cut short. */
mmm_status mmm_line_append(const char *path, const char *header, const char *line);

/* A digest of data, 128 bits of BLAKE2b: of one piece, or of pieces that are added to one that is 0 at first. */
typedef struct mmm_digest {
    unsigned char bytes[16];
} mmm_digest;
enum { MMM_DIGEST_TEXT = 33 }; /* its hexadecimal digits, with a NUL */
mmm_digest mmm_digest_of(const void *data, size_t size);
void mmm_digest_add(mmm_digest *digest, const void *data, size_t size);
const char *mmm_digest_text(mmm_digest digest, char text[MMM_DIGEST_TEXT]);

/* A place of the user's own: what the environment variable `variable` names; or else `below` below the folder that the
 * variable `xdg` names, or below the folder `home` of HOME, both of which must be absolute. */
typedef struct mmm_place {
    const char *variable, *xdg, *home, *below;
} mmm_place;
bool mmm_place_find(const mmm_place *place, char *path, size_t size);

/* Makes the folders on the way to a path, and, where `last` says so, at its end: private ones. */
bool mmm_folders_make(char *path, bool last);

/* Fails where a file or folder is another user's (root's is as good as one's own), or others may write it. */
mmm_status mmm_trust(const char *path);

/* Takes from others, whatever the usual permissions of files are here, that of writing a file of one's own. */
void mmm_trust_make(const char *path);

/* A copy of a string, or NULL without memory; mmm_free releases it, or free outside of guarded calls. */
char *mmm_copy_string(const char *text);

/* Text for people may hold what others wrote: whether there is nothing in it that a terminal would obey (control
 * characters, a line's end among them); and that made spaces. */
bool mmm_is_plain(const char *text);
void mmm_make_plain(char *text);

/* For qsort: doubles, the smallest first. */
int mmm_compare_doubles(const void *x, const void *y);

/* Reads a decimal integer that is the whole of `text`; false when it is not one or does not fit. */
bool mmm_parse_integer(const char *text, int64_t *out);
bool mmm_parse_number(const char *text, double *out);

/* Numbers are written and read with a point, whatever a program's locale has: as strtod; and from _own to _back for what
 * this thread prints. */
double mmm_read_number(const char *text, char **end);
locale_t mmm_locale_own(void);
void mmm_locale_back(locale_t before);

#endif
