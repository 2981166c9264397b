# Every verb has --help, made from its table of options, with an example, and --json.
for verb in $(mmm --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    mmm $verb --help >help.txt || echo "$verb --help fails"
    grep -q "^Use: mmm $verb" help.txt || echo "$verb --help does not say its use"
    grep -q "^Example: mmm $verb" help.txt || echo "$verb --help has no example"
    grep -q "^Exit status: 0, " help.txt || echo "$verb --help does not tell the exit status"
    grep -q "^      --json  " help.txt || echo "$verb has no --json"
    [ "$(wc -L <help.txt)" -le 100 ] || echo "$verb --help has lines of more than 100 columns"
    mmm help $verb | cmp - help.txt
    mmm $verb -h | cmp - help.txt
    mmm $verb --nonsense 2>&1 | sed 's/.*options are //; s/, /\n/g' | sort >named.txt
    sed -n 's/^  [ -][ a-zA-Z],* \( *--[a-z-]*\).*/\1/p; s/^  \(-[A-Z]\) .*/\1/p' help.txt | tr -d ' ' | sort | diff named.txt -
    echo "$verb"
done
mmm tune --help
mmm help nosuch; echo "exit $?"
mmm help list run; echo "exit $?"
mmm --version | head -n 1
mmm >/dev/null; echo "exit $?"
