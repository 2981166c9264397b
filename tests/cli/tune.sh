# Tuning without measuring is the same everywhere; bad words are named.
say() { echo "\$ $*"; "$@"; echo "exit $?"; }
gpu=U=10,Z=2000,P=4,lanes=32,threads=1024,operation=1e-9,barrier=5,launch=100
say mmm tune division n=600 m=300 --dry-run --parameters $gpu
say mmm tune multiplication n=300 m=300 l=64 --dry-run --parameters $gpu --json
say mmm tune division n=600 m=300 s=16 --dry-run --parameters $gpu -o results.json
grep -c '"invalidity": "correct"' results.json
say mmm tune division n=600 m=200 s=16 --dry-run --parameters $gpu -o results.json
say mmm tune
say mmm tune divison
say mmm tune division n=1-9
say mmm tune division --fast
say mmm tune division --max-runs 0
say mmm tune division --time-limit 0
say mmm tune division --dry-run --parameters abstract
say mmm tune division --dry-run --parameters U=1,Z=3,operation=1
say mmm tune division -m abstract
say mmm calibrate abstract
say mmm calibrate gpu
say mmm calibrate cpu cpu
say mmm calibrate cpu -o
# an application without a check
mmm new plain >/dev/null
sed -i '/\.check = check/d; s/^static mmm_status check(/__attribute__((unused)) &/' plain/app.c
say mmm run ./plain n=100 --check
mmm tune ./plain n=1000 s=4 l=64 --max-runs 1 --json | grep -o '"runs":1'
mmm report ./plain n=1000 s=4 l=32,64 --json | grep -c '"check": "none"'
