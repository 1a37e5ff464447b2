#!/bin/sh
# run.sh CONF_CHECK CASES [--update]: what is said of each set of configuration files, compared with committed files.
#
# CASES is a folder with a folder for each case, which is LSF_ENVDIR; NAME.golden beside it must be what CONF_CHECK prints
# and its exit status. The case's folder is replaced by @CONF@. --update writes the golden files anew.
# Exit: 0 all equal, 1 some differ, 2 nothing to run.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: run.sh CONF_CHECK CASES [--update]" >&2
    exit 2
fi
check=$1
cases=$(cd "$2" && pwd)
update=${3:-}
if [ ! -x "$check" ]; then
    echo "$check: not there or not executable, expected the conf_check of this build" >&2
    exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=/dev/null
. "$(dirname -- "$0")/../golden.sh"
for case in "$cases"/*/; do
    case=${case%/}
    [ -f "$case/lsf.conf" ] || continue
    got=0
    TZ=UTC LC_ALL=C "$check" "$case" >"$scratch/out" 2>&1 || got=$?
    { sed "s|$case|@CONF@|g" "$scratch/out"; echo "--- exit $got"; } >"$scratch/answer"
    golden "$case.golden" "$scratch/answer" "$update"
done
golden_end "$cases" cases
