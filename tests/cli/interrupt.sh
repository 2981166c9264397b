# Ctrl-C ends long work with exit status 130 and one line.
end() {
    timeout --foreground --preserve-status -s INT -k 60 "${after:-0.7}" env --default-signal=INT mmm "$@" >/dev/null 2>error.txt
    echo "$1: exit $?"
    sed 's/interrupted:.*/interrupted: .../; s/interrupted$/interrupted: .../; /far from its prediction/d' error.txt
}
end analyze gcd-naive n=30000 m=28000
end analyze gcd-naive n=30000 m=28000 --json
end run division n=4000 m=2000 s=64 --repeat 100000
end run gcd-naive n=30000 m=28000 -m abstract
end calibrate -o calibrated.json
end tune gcd-naive n=9000 m=8000 --exhaustive -m cpu -o tuned.json
end reproduce -m cpu -o tables
end report division n=4000 m=2000 s=64 --repeat 100000
end report gcd-naive n=30000 m=28000 --no-runs
# What there is, is kept: the report and the comparison have their first value, tuning its wisdom and its results.  On a
# busy machine the first value takes a while.
kept() {
    for after in 3 6 12 24; do
        end "$@" >said.txt
        [ ! -s "$file" ] || break
    done
    cat said.txt
}
file=part.html kept report division n=300,400000 m=200 s=16 --repeat 1 -o part.html
grep -c '</html>' part.html
file=compared.html kept compare division n=300,400000 m=200 s=16 -o compared.html
grep -c '</html>' compared.html
MMM_WISDOM=$PWD/wisdom.jsonl
export MMM_WISDOM
file=results.json kept tune division n=6000 m=3000 --exhaustive --repeat 64 --keep -o results.json
grep -c '"app":"division"' wisdom.jsonl
grep -c '"schema_version"' results.json
# Who ignores interrupts is not disturbed by them.
trap '' INT
mmm run division n=2000 m=1000 s=64 --repeat 300 >/dev/null &
sleep 0.2
kill -INT $! 2>/dev/null
wait $!
echo "ignored: exit $?"
