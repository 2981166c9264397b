# Every verb has --help with an example.
for verb in $(mmm --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    mmm $verb --help >help.txt || echo "$verb --help fails"
    grep -q "^Use: *mmm $verb" help.txt || echo "$verb --help does not say its use"
    grep -q 'Example: mmm '$verb help.txt || echo "$verb --help has no example"
    [ "$(wc -L <help.txt)" -le 120 ] || echo "$verb --help has lines of more than 120 columns"
    echo "$verb"
done
mmm --version
mmm >/dev/null; echo "exit $?"
