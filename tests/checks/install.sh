#!/bin/sh
# A program outside the tree builds against an installed mmm, shared and static, by pkg-config alone.
# Use: install.sh BUILD SCRATCH
set -eu
scratch=$(mkdir -p "$2" && cd "$2" && pwd)
make -s install B="$1" ${SAN:+SAN=$SAN} PREFIX="$scratch/usr"
cat >"$scratch/user.c" <<'END'
#include <mmm.h>
#include <stdio.h>
int main(void)
{
    mmm_job *job;
    mmm_machine *machine;
    if (mmm_job_new("division", &job) || mmm_machine_open("cpu", &machine) || mmm_job_run(job, machine, NULL) ||
        mmm_job_check(job)) {
        puts(mmm_message());
        return 1;
    }
    mmm_machine_free(machine);
    mmm_job_free(job);
    return 0;
}
END
export PKG_CONFIG_PATH="$scratch/usr/lib/pkgconfig"
flags=${SAN:+-fsanitize=address,undefined}
# shellcheck disable=SC2046,SC2086
${CC:-cc} $flags "$scratch/user.c" $(pkg-config --cflags --libs mmm) -o "$scratch/shared"
LD_LIBRARY_PATH="$scratch/usr/lib" "$scratch/shared"
# shellcheck disable=SC2046,SC2086
${CC:-cc} $flags "$scratch/user.c" $(pkg-config --cflags mmm) "$scratch/usr/lib/libmmm.a" $(pkg-config --static --libs mmm | sed 's/-L[^ ]* -lmmm//') -o "$scratch/static"
"$scratch/static"
# A kernel of one's own: examples/reduction, copied out of the tree.
rm -rf "$scratch/reduction"
cp -r examples/reduction "$scratch/reduction"
make -s -C "$scratch/reduction" EXTRA="$flags"
(cd "$scratch/reduction" && LD_LIBRARY_PATH="$scratch/usr/lib" ./reduction)
echo "install: a program builds and runs against the shared and the static library"
