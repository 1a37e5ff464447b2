#!/bin/sh
# run.sh BSCHED_QUERY CASES [--update]: what the scheduler makes of each scenario, compared with committed files.
#
# CASES is a folder with NAME.scenario; NAME.golden must be the plan and the reasons that bsched-query prints of it, for each
# line "# why: JOB" what --why JOB prints, and for each line "# json:" what -json prints, of one job if the line names one.
# --update writes the golden files anew; read the difference before it is committed. Exit: 0 all equal, 1 some differ,
# 2 nothing to run.
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
# shellcheck source=/dev/null
. "$(dirname -- "$0")/../golden.sh"
cd "$2"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# ask WORD...: what bsched-query says, and its exit status where it is not 0.
ask() {
    got=0
    "$query" "$@" 2>&1 || got=$?
    [ "$got" -eq 0 ] || echo "--- exit $got"
}

for case in *.scenario; do
    [ -f "$case" ] || continue
    {
        ask "$case"
        sed -n 's/^# why: //p' "$case" | while read -r job; do
            echo "--- why $job"
            ask --why "$job" "$case"
        done
        sed -n 's/^# json: *//p' "$case" | while read -r job; do
            echo "--- json $job"
            if [ -n "$job" ]; then ask -json --why "$job" "$case"; else ask -json "$case"; fi
        done
    } >"$scratch/answer"
    golden "${case%.scenario}.golden" "$scratch/answer" "$update"
done
golden_end "$PWD" scenarios
