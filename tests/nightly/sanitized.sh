#!/bin/sh
# sanitized.sh SOURCE PRESET LABELS: builds all of a preset that has sanitizers, and runs its tests of the labels (a regular
# expression) but not the nightly ones.
#
# What any program finds is a file in build/PRESET/findings (cmake/sanitizer_options.c); it is shown, and fails the run, also
# where every test passed. Exit: 0 nothing found, 1 a test failed or something was found, 2 wrong call.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: sanitized.sh SOURCE PRESET LABELS" >&2
    exit 2
fi
source=$1
preset=$2
labels=$3
build=$source/build/$preset
findings=$build/findings

"$(dirname "$0")/built.sh" "$source" "$preset"
if [ ! -d "$findings" ]; then
    echo "no folder $findings, expected the findings of a build with sanitizers" >&2
    exit 1
fi
find "$findings" -type f -delete

status=0
ctest --test-dir "$build" -L "$labels" -LE '^nightly$' --no-tests=error --output-on-failure -j "$(nproc)" || status=1
found=$(find "$findings" -type f | sort)
if [ -n "$found" ]; then
    echo "$found" | while read -r file; do
        echo "--- $file"
        head -n 60 "$file"
    done
    echo "SANITIZERS FOUND SOMETHING: $(echo "$found" | wc -l) files in $findings"
    exit 1
fi
exit "$status"
