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
# Headers: every one can be included, by C and from the folder they are installed in alone.
for header in mmm.h mmm/app.h mmm/formula.h mmm/kernel.h mmm/model.h mmm/study.h mmm/engine.h $(cd "$scratch/usr/include" && ls mmm/apps/*.h); do
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >"$scratch/header.c"
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only "$scratch/header.c" $(pkg-config --cflags mmm)
done
for app in division division-inverse division-naive division-newton gcd gcd-half gcd-jump gcd-naive gcd-stop multiplication multiplication-ntt multiplication-ring multiplication-tile ntt \
    radix-sort sort; do
    [ -e "$scratch/usr/include/mmm/apps/$app.h" ] || { echo "install: mmm/apps/$app.h is missing"; exit 1; }
done
"$scratch/usr/bin/mmm" run gcd n=50 m=40 --check >/dev/null
# The examples: one on polynomials that stay on the machine.
# shellcheck disable=SC2046,SC2086
${CC:-cc} -std=c11 -Wall -Wextra -Werror $flags examples/chain.c $(pkg-config --cflags --libs mmm) -o "$scratch/chain"
LD_LIBRARY_PATH="$scratch/usr/lib" "$scratch/chain" cpu 300 | grep -q 'the remainder 0' || { echo "install: examples/chain.c fails"; exit 1; }
# An application of one's own: as an object in a program, and by its path through the shared library.
rm -rf "$scratch/heat" && cp -r examples/stencil "$scratch/heat"
"$scratch/usr/bin/mmm" compile "$scratch/heat" -o "$scratch/heat.o" 2>&1 | grep -q 'has no name.*write .name = "heat"' ||
    { echo "install: an object without a name"; exit 1; }
sed -i 's/^    \.summary/    .name = "heat", .summary/' "$scratch/heat/app.c"
"$scratch/usr/bin/mmm" compile "$scratch/heat" -o "$scratch/heat.o" >/dev/null
cat >"$scratch/own.c" <<'END'
#include <mmm/app.h>
#include <stdio.h>
extern const mmm_app mmm_app_heat;
int main(int argc, char **argv)
{
    mmm_job *job;
    mmm_machine *machine;
    if (mmm_app_register(&mmm_app_heat) || mmm_job_new(argc > 1 ? argv[1] : "heat", &job) ||
        mmm_machine_open("cpu", &machine) || mmm_job_run(job, machine, NULL) || mmm_job_check(job)) {
        puts(mmm_message());
        return 1;
    }
    mmm_machine_free(machine);
    mmm_job_free(job);
    return 0;
}
END
# shellcheck disable=SC2046,SC2086
${CC:-cc} $flags "$scratch/own.c" "$scratch/heat.o" $(pkg-config --cflags --libs mmm) -o "$scratch/own"
LD_LIBRARY_PATH="$scratch/usr/lib" "$scratch/own"
LD_LIBRARY_PATH="$scratch/usr/lib" "$scratch/own" "$scratch/heat"
echo "install: a program builds and runs against the shared and the static library"
