#!/bin/sh
# run.sh BSCHED_QUERY CASES [--update]: what the scheduler makes of each scenario, compared with committed files.
#
# CASES is a folder with NAME.scenario; NAME.golden must be the plan and the reasons that bsched-query prints of it, and for
# each line "# why: JOB" what --why JOB prints. --update writes the golden files anew; read the difference before it is
# committed. Exit: 0 all equal, 1 some differ, 2 nothing to run.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: run.sh BSCHED_QUERY CASES [--update]" >&2
    exit 2
fi
query=$1
update=${3:-}
if [ ! -x "$query" ]; then
    echo "$query: not there or not executable, expected the bsched-query of this build" >&2
    exit 2
fi
cd "$2"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# ask WORD...: what bsched-query says, and its exit status where it is not 0.
ask() {
    got=0
    "$query" "$@" 2>&1 || got=$?
    [ "$got" -eq 0 ] || echo "--- exit $got"
}

run=0
differ=0
for case in *.scenario; do
    [ -f "$case" ] || continue
    run=$((run + 1))
    {
        ask "$case"
        sed -n 's/^# why: //p' "$case" | while read -r job; do
            echo "--- why $job"
            ask --why "$job" "$case"
        done
    } >"$scratch/answer"
    golden=${case%.scenario}.golden
    if [ "$update" = --update ]; then
        cp "$scratch/answer" "$golden"
    elif [ ! -f "$golden" ]; then
        echo "$golden: missing; run.sh ... --update writes it"
        differ=$((differ + 1))
    elif ! diff -u "$golden" "$scratch/answer"; then
        differ=$((differ + 1))
    fi
done
if [ "$run" -eq 0 ]; then
    echo "$2: no scenario in it" >&2
    exit 2
fi
echo "$run scenarios, $differ differ"
[ "$differ" -eq 0 ]
