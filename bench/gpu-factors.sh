#!/bin/sh
# Factors of kernels that a GPU learns from its own runs: what calibration takes, and how far predictions are off with
# the factors that are shipped and with these, on the same times, a few of each application.
# Use: gpu-factors.sh BUNDLE [APP ...]    (from a folder made by `make bundle`; about 4 minutes)
set -u
bundle=$1
shift
[ $# -gt 0 ] || set -- gcd division gcd-stop ntt
home=$(mktemp -d)
export MMM_WISDOM="$home/wisdom.jsonl"
"$bundle/mmm" calibrate cuda:0 -o "$home/shipped.json" >/dev/null || exit 1
grep '"unfold"\|"decide"' "$home/shipped.json"
cp "$home/shipped.json" "$home/own.json"
for app in "$@"; do
    start=$(date +%s)
    timeout 60 "$bundle/mmm" calibrate cuda:0 "$app" -o "$home/own.json" | grep "^  $app "
    echo "$app: calibrated in $(($(date +%s) - start)) s"
done
for app in "$@"; do
    case $app in
    ntt) size='n=1048576' ;;
    *) size='n=13000 m=12000' ;;
    esac
    for file in shipped own; do
        echo "== $app $size, $file factors"
        "$bundle/mmm" tune "$app" $size -m cuda:0 --parameters "$home/$file.json" --max-runs 12 --time-limit 15
    done
done
rm -r "$home"
