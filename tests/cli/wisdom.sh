# Wisdom that is damaged is passed over and named; tuning without a place for it gives its answer all the same.
say() { echo "\$ $*"; "$@" >output; echo "exit $?"; }
echo '{"app":"divi' >bad.jsonl
say env MMM_WISDOM=bad.jsonl mmm run division n=60 m=30
say env MMM_WISDOM=bad.jsonl mmm run division n=60 m=30 s=4
say env MMM_WISDOM=bad.jsonl mmm run division n=40-42 m=30
say env -u MMM_WISDOM -u XDG_DATA_HOME -u HOME mmm tune division n=60 m=30 s=4 --max-runs 1
grep -c 'division: s=4' output
printf '{"app":"divi' >bad.jsonl
say env MMM_WISDOM=bad.jsonl mmm tune division n=60 m=30 s=4 --max-runs 1
wc -l <bad.jsonl
say env MMM_WISDOM=bad.jsonl mmm run division n=60 m=30
grep -o 'what was not given.*' output
