# What is wrong is named, with what to do about it: compilers, caches, wisdom, calibration that do not work.
mkdir own && chmod 700 own
export MMM_CACHE="$PWD/own/cache" MMM_WISDOM="$PWD/own/wisdom.jsonl"
unset CC OBJCOPY
# of one subject; notes on devices are of the machine at hand
look() {
    subject=$1
    shift
    echo "\$ $*" | sed "s|$PWD|HERE|g"
    env "$@" mmm doctor >output
    echo "exit $?"
    sed -n "/^[a-z]*  *$subject: /{N;p}" output | grep -e "^[a-z]*  *$subject: " -e '^      to mend' | sed "s|$PWD|HERE|g; s|/[a-z/]*bin/|BIN/|g; s/calibration of cpu: an operation takes .* ns/calibration of cpu: .../"
}
look compiler PLAIN=1
grep -c -e '^well  library: mmm 0' -e '^well  cache: ' -e '^note  wisdom: ' -e '^note  calibration of cpu: ' -e '^well  cpu: .*; a gcd is right$' -e '^well  abstract: ' -e '^all is well$' output
mmm doctor --json | tr -d '\n' | grep -o '{"subject":"wisdom","health":"note"'
look compiler CC=nosuch
printf '#!/bin/sh\necho "x.c:1: error: no headers here" >&2\nexit 1\n' >broken && chmod +x broken
look compiler CC="$PWD/broken"
look compiler OBJCOPY=nosuch
# one whose libraries are empty, as those of a full disk or of another processor might be
printf '#!/bin/sh\ncc "$@" || exit 1\nwhile [ $# -gt 1 ]; do\n[ "$1" = -o ] && case $2 in *.so) : >"$2";; esac\nshift\ndone\n' >empty && chmod +x empty
look compiler CC="$PWD/empty" | sed 's|HERE/own/cache/mmm-doctor-[A-Za-z0-9]*|PLACE|g'
env CC='ccache gcc' mmm doctor | grep -A 1 "^note  compiler: CC is 'ccache gcc', more than"
look cache MMM_CACHE=/dev/null/cache
mkdir open && chmod 777 open
look cache MMM_CACHE="$PWD/open"
touch file && look cache MMM_CACHE="$PWD/file"
look cache -u MMM_CACHE -u XDG_CACHE_HOME -u HOME
echo '{"app":"divi' >own/wisdom.jsonl
look wisdom PLAIN=1
echo '{"nothing":1}' >>own/wisdom.jsonl
look wisdom PLAIN=1
echo '{"app":"division"}' >own/wisdom.jsonl
look wisdom PLAIN=1
chmod 666 own/wisdom.jsonl
look wisdom PLAIN=1
look wisdom MMM_WISDOM=/dev/null/wisdom.jsonl
rm own/wisdom.jsonl
mmm calibrate >/dev/null
look 'calibration of cpu' PLAIN=1
for file in own/*.json; do echo '{"U":' >"$file"; done
look 'calibration of cpu' PLAIN=1 | sed 's|/[^/ ]*\.json|/FILE.json|g'
# a driver of OpenCL that is not there, one that names none, and none at all
mkdir vendors none
echo libnosuch-of-opencl.so.1 >vendors/a.icd
: >vendors/b.icd
env OCL_ICD_VENDORS="$PWD/vendors" mmm doctor >output
echo "exit $?"
grep -A 1 '^ill   drivers of OpenCL' output | sed "s|$PWD|HERE|g"
env OCL_ICD_VENDORS="$PWD/none" mmm doctor | grep -A 1 '^note  drivers of OpenCL' | sed "s|$PWD|HERE|g"
env MMM_CUDA=/nosuch/libcuda.so mmm doctor | grep -A 1 '^note  cuda: no CUDA driver: looked for /nosuch/libcuda.so'
rmdir "$MMM_CACHE"/mmm-doctor-* 2>/dev/null && echo "something is left in the cache"
mmm doctor now
echo "exit $?"
mmm --version | grep -c -e '^mmm 0' -e '^library   mmm 0.*FLINT' -e '^compiler  .*/' -e '^cpu       .*core' -e '^abstract '
