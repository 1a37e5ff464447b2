#!/bin/sh
# run_one.sh TARGET CORPUS SECONDS [SEED]: runs one fuzz target of a build with the preset fuzz. With a SEED the same inputs
# are tried every time, as far as the time goes; without, others every time.
#
# With 0 SECONDS it only goes over the CORPUS, which then has at least one file.
#
# The committed CORPUS is where it begins; it is copied, and not changed. Words of CORPUS.dict are tried, where it is there. What is found lies in
# findings/ beside TARGET.
# Exit: 0 nothing found, 1 something found, 2 wrong call or nothing to run.
set -eu

if [ $# -lt 3 ] || [ $# -gt 4 ]; then
    echo "usage: run_one.sh TARGET CORPUS SECONDS [SEED]" >&2
    exit 2
fi
target=$1
corpus=$2
seconds=$3
seed=${4:-0}
if [ ! -f "$target" ] || [ ! -x "$target" ]; then
    echo "no program $target, expected a fuzz target of a build with the preset fuzz" >&2
    exit 2
fi
name=$(basename "$target")
findings=$(dirname "$target")/findings
mkdir -p "$findings"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"
if [ -d "$corpus" ]; then
    cp "$corpus"/* "$scratch/corpus"
fi
if [ "$seconds" -gt 0 ]; then
    bound=-max_total_time=$seconds
elif [ -d "$corpus" ]; then
    bound=-runs=0
else
    echo "no folder $corpus, expected a corpus to go over" >&2
    exit 2
fi

set --
if [ -f "$corpus.dict" ]; then
    set -- "-dict=$corpus.dict"
fi

if "$target" "$@" -seed="$seed" "$bound" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "$scratch/corpus" >"$scratch/log" 2>&1; then
    echo "$name: nothing found, $(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log") runs"
    # clang's undefined-behaviour sanitizer tells, and goes on. The night, which draws its seeds, fails for it.
    if grep 'runtime error:' "$scratch/log" | sort -u | head -n 20 | grep .; then
        echo "$name: UNDEFINED BEHAVIOUR"
        [ "$seed" != 0 ] || [ "$seconds" -eq 0 ] || exit 1
    fi
else
    tail -n 60 "$scratch/log"
    echo "$name: FOUND SOMETHING, the input is in $findings"
    exit 1
fi
