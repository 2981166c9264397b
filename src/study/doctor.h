/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the doctor share. */
#ifndef MMM_DOCTOR_H
#define MMM_DOCTOR_H

#include "study/study.h"

#include <sys/types.h>

typedef struct mmm_doctor_visit {
    mmm_diagnosis_visitor *visit;
    void *context;
    int thorough;
    bool lacks; /* memory: what that kept from being tried is neither well nor ill */
} mmm_doctor_visit;

void mmm_doctor_say(const mmm_doctor_visit *d, const char *subject, mmm_health health, const char *mend,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

enum { MMM_GROUPS_MOST = 256 };

/* For whom files are looked at. */
typedef struct mmm_doctor_user {
    uid_t id;
    gid_t groups[MMM_GROUPS_MOST];
    int group_count;
} mmm_doctor_user;

/* Files of devices below root/dev, whether the user may use them, and devices in root/sys that have none. */
void mmm_doctor_devices(const mmm_doctor_visit *d, const char *root, const mmm_doctor_user *user);

/* The drivers that OpenCL's loader is told of: in `place`, a folder or a file, or where that is NULL, where it looks.
 */
void mmm_doctor_icds(const mmm_doctor_visit *d, const char *place);

#endif
