#!/bin/sh
# run_all.sh BUILD_DIR SECONDS [SEED]: runs every fuzz target of a build with the preset fuzz, SECONDS each. With a SEED
# the same inputs are tried every time, as far as the time goes; without, others every time.
#
# The committed corpus (corpus/TARGET) is the seed; it is copied, and not changed. What is found lies in
# BUILD_DIR/fuzz/findings. Exit: 0 nothing found, 1 something found, 2 wrong call or nothing to run.
set -eu

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    echo "usage: run_all.sh BUILD_DIR SECONDS [SEED]" >&2
    exit 2
fi
build=$1
seconds=$2
seed=${3:-0}
corpora=$(dirname "$0")/corpus
findings=$build/fuzz/findings
[ ! -d "$build/fuzz" ] || mkdir -p "$findings"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run=0
bad=
for target in "$build"/fuzz/fuzz_*; do
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
    name=$(basename "$target")
    mkdir "$scratch/$name"
    if [ -d "$corpora/$name" ]; then
        cp "$corpora/$name"/* "$scratch/$name"
    fi
    log=$scratch/$name.log
    run=$((run + 1))
    if "$target" -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$findings/$name-" "$scratch/$name" >"$log" 2>&1; then
        echo "$name: nothing found, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    else
        bad="$bad $name"
        tail -n 60 "$log"
        echo "$name: FOUND SOMETHING, the input is in $findings"
    fi
done

if [ "$run" -eq 0 ]; then
    echo "no fuzz target in $build/fuzz, expected a build with the preset fuzz" >&2
    exit 2
fi
if [ -n "$bad" ]; then
    echo "$run fuzz targets ran; these found something:$bad" >&2
    exit 1
fi
echo "$run fuzz targets ran $seconds s each and found nothing"
