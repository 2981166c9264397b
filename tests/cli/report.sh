# The report: what it is told, what it says, what it writes, where.  Times vary, so only what does not is shown.
say() { echo "\$ $*"; "$@"; echo "exit $?"; }
say mmm report
say mmm report divison
say mmm report division n=300 m=200 s=4,8 p=2,3
say mmm report division n=300 m=200 x
say mmm report division t=3
say mmm report division n=0
say mmm report division n=300 m=200 s=0
say mmm report division -m gpu
say mmm report division --parameters missing.json
say mmm report division --repeat 0
say mmm report division --repeat 100001
say mmm report division --fast
say mmm report division --json -o -
say mmm report division n=300 m=200 s=4 --no-runs -o missing/report.html
echo "files: $(ls)"
say mmm report division n=300 m=200 s=4,8,16 --no-runs
say mmm report division n=300 m=200 s=16,8,4,0 --no-runs --parameters U=10,Z=8192,P=4,operation=1e-6 -o page.html
say mmm report gcd-naive n=60 m=40 --no-runs -o page.html
say mmm report division n=300 m=200 s=16,8,4,0 --no-runs --parameters U=10,Z=8192,P=4,operation=1e-6 --json
mmm report division n=300 m=200 s=4,8 --repeat 2 | sed 's/take.*/take .../'
mmm report division n=300 m=200 s=4,8 --repeat 2 --json | grep -c '"check": "equal"'
mmm report division n=300 m=200 s=4 --no-runs -o - | head -1
echo "files: $(ls)"
mmm report radix-sort n=500 --no-runs --parameters U=10,Z=8192,P=4,operation=1e-6 --json | grep '"s"\|skipped'
say mmm report radix-sort n=500 s=14,16 --no-runs --parameters U=10,Z=8192,P=4,operation=1e-6
# A choice that is usually 0: values from there on.
mmm new own >/dev/null
sed -i 's|{"s", "the number of time steps of a kernel"|{"extra", "changes nothing", MMM_CHOICE, 0, INT64_MAX, 0}, &|' own/app.c
mmm report ./own n=100 steps=4 --no-runs --json | grep '"extra": '
cp -r "$(dirname "$0")/../../examples/racy" racy
mmm report ./racy n=1000 --no-runs >output
echo "exit $?"
