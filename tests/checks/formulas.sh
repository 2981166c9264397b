#!/bin/sh
# The closed forms in the formulas.txt of a folder are what the abstract machine counts.  Sizes must be such as its
# constraints ask for, and divide.  Use: formulas.sh FOLDER SIZES ...      (mmm is on the PATH)
set -eu
folder=$1
shift
quantities="W S O N L K C"
failed=0
for sizes in "$@"; do
    # shellcheck disable=SC2086
    counted=$(mmm analyze "$folder" $sizes -P 1 | awk -v names="$quantities" '
        $1 == "W" { for (i = 1; i <= NF; i++) column[$i] = i; getline
                    count = split(names, name, " "); for (i = 1; i <= count; i++) printf "%s ", $column[name[i]] }')
    stated=
    for quantity in $quantities; do
        stated="$stated$(mmm formula "$folder" "$quantity" --eval "U=100,$(echo "$sizes" | tr ' ' ,)") "
    done
    [ "$counted" = "$stated" ] && continue
    echo "formulas: $folder at $sizes: $quantities are counted as $counted, the formulas say $stated"
    failed=1
done
exit $failed
