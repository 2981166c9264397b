#!/bin/sh
# The C compiler for folders with faults: kernels are compiled for counting with 32-bit words alone, without optimisation;
# the tables of entries for other words and for the CPU are left empty.
out= variant= source=
for a; do
    shift
    case $a in
    -O2 | -O3 | -g | -march=native) continue ;;
    -DMMM_VARIANT=*) variant=${a#*=} ;;
    *.c) source=$a ;;
    *.o) out=$a ;;
    esac
    set -- "$@" "$a"
done
case $variant in
'' | w32_count) exec cc -g1 -O0 "$@" ;;
esac
unit=$(sed -n 's/.*MMM_ENTRIES(\([a-z0-9_]*\)).*/\1/p' "$source")
echo "typedef void entry(void); entry *const mmm_entries_${unit}_$variant[64];" | exec cc -fPIC -x c -c - -o "$out"
