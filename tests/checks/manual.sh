#!/bin/sh
# Pages for man are well-formed, one a verb and one a function; completion completes in a real bash and a real zsh.
# Use: manual.sh BUILD INSTALLED SCRATCH
set -eu
mmm=$1/mmm
installed=$(cd "$2" && pwd)
rm -rf "$3" && mkdir -p "$3"
scratch=$(cd "$3" && pwd)
verbs=$($mmm help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
bad=0
fail() { echo "manual: $*"; bad=1; }

# ---- pages
for verb in $verbs; do [ -s "$installed/share/man/man1/mmm-$verb.1" ] || fail "$verb has no page"; done
# Every function that the library exports, and every one that a header declares.
nm -D --defined-only "$installed/lib/libmmm.so" | sed -n 's/.* T \(mmm_[a-z0-9_]*\)@.*/\1/p' | grep -v '^mmm_\(count\|hook\)_' | sort -u >"$scratch/exported" # those are for generated code
cat include/mmm.h include/mmm/*.h | tr '\n' ' ' | grep -o 'MMM_API[^;]*;' | grep -o 'mmm_[a-z0-9_]*(' | tr -d '(' | sort -u >"$scratch/declared"
[ "$(wc -l <"$scratch/exported")" -gt 150 ] || fail "too few functions are exported"
for name in $(sort -u "$scratch/exported" "$scratch/declared"); do
    [ -s "$installed/share/man/man3/$name.3" ] || { fail "$name has no page"; continue; }
    page=$installed/share/man/man3/$name.3
    if grep -q '^\.so' "$page"; then page=$installed/share/man/$(sed 's/^\.so //' "$page"); fi
    sed 's/\\-/-/g' "$page" | grep -q "\<$name(" || fail "the page of $name does not declare it"
done
# The options of a page are those of --help.
for verb in $verbs; do
    $mmm $verb --help | sed -n 's/^  [ -][ a-zA-Z],* *\(--[a-z-]*\).*/\1/p' | sort >"$scratch/help"
    sed -n 's/^\\fB.*\\-\\-\([a-z\\-]*\)\\fR.*/--\1/p' "$installed/share/man/man1/mmm-$verb.1" | sed 's/\\-/-/g' | sort | cmp -s - "$scratch/help" || fail "the page of $verb has other options than its help"
done
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in $(grep -L "^\.so" "$installed"/share/man/man[13]/*); do
        (cd "$installed/share/man" && LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null) | grep . && fail "$page is not well-formed"
    done
else echo "manual: pages are not formatted, man and groff are not installed"; fi

# ---- completion
bash_says() { # words up to the one that is completed
    COMPLETION=$installed/share/bash-completion/completions/mmm bash -c '. "$COMPLETION"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mmm; echo "${COMPREPLY[@]}"' bash "$@" 2>/dev/null
}
wants() { # expected words, then the command line
    wanted=$1
    shift
    got=$(cd "$scratch" && bash_says "$@" | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
    [ "$got" = "$wanted" ] || fail "bash completes '$*' by '$got', not by '$wanted'"
}
if command -v bash >/dev/null; then
    wants "analyze" mmm an
    wants "report reproduce" mmm rep
    wants "--repeat" mmm run --rep
    wants "gcd gcd-half gcd-jump gcd-naive gcd-stop" mmm run gcd
    wants "s= seed=" mmm run gcd s
    wants "cpu cuda:0" mmm run gcd -m c
    wants "cpu-epyc" mmm analyze gcd -m c
    wants "h200" mmm analyze gcd --machine h2
fi
if command -v zsh >/dev/null; then
    cat >"$scratch/complete.zsh" <<'END_OF_ZSH'
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PROMPT=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $2/dump; stty columns 500; bindkey '^I' complete-word"
zpty -w inner "mmm() { print -r -- \"<\$*>\" }; print READY"
zpty -r -m inner line '*READY*READY*'
for words in 'ana' 'run gcd-hal' 'run gcd --repe' 'tune gcd --machine abst'; do
    zpty -w inner "mmm $words"$'\t'
    zpty -r -m inner line '*<*>*'
    print -r -- ${${line##*<}%%>*}
done
zpty -d inner
END_OF_ZSH
    timeout 60 zsh -f "$scratch/complete.zsh" "$installed/share/zsh/site-functions" "$scratch" >"$scratch/zsh" 2>&1 || fail "zsh does not answer"
    printf '%s\n' analyze 'run gcd-half' 'run gcd --repeat' 'tune gcd --machine abstract' | diff - "$scratch/zsh" || fail "zsh completes otherwise"
else echo "manual: completion by zsh left out, it is not installed"; fi

[ $bad = 0 ] && echo "manual: pages and completion hold"
exit $bad
