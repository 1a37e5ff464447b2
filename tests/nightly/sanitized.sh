#!/bin/sh
# sanitized.sh SOURCE PRESET LABELS: builds all of a preset that has sanitizers, and runs its tests of the labels (a regular
# expression) but not the nightly ones. Tests that compute only (label unit) are looked at for leaks, too.
#
# What any program finds is a file in build/PRESET/findings (cmake/sanitizer_options.c); it is shown, and fails the run, also
# where every test passed. The last lines count: tests, cases that were skipped inside of them, findings, minutes.
# Exit: 0 nothing found, 1 a test failed or something was found, 2 wrong call.
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
begun=$(date +%s)

"$(dirname "$0")/built.sh" "$source" "$preset"
built=$(date +%s)
if [ ! -d "$findings" ]; then
    echo "no folder $findings, expected the findings of a build with sanitizers" >&2
    exit 1
fi
find "$findings" -type f -delete

# run NAME WORDS...: the tests that ctest's WORDS choose; what ctest says stays in tests.NAME, all output in output.NAME.
run() {
    name=$1
    shift
    rm -f "$build/tests.$name" "$build/output.$name"
    ctest --test-dir "$build" "$@" -O "$build/tests.$name" --output-on-failure -j "$(nproc)" || status=1
    cp "$build/Testing/Temporary/LastTest.log" "$build/output.$name" 2>/dev/null || :
}

# told NAME: one line of counts.
told() {
    [ -e "$build/tests.$1" ] || return 0
    awk -v name="$1" '
        FILENAME ~ /tests\./ && match($0, /[0-9]+ tests? failed out of [0-9]+/) {
            split(substr($0, RSTART, RLENGTH), words, " "); failed = words[1]; all = words[6]
        }
        FILENAME ~ /tests\./ && /\(Skipped\)$/ { skipped++ }
        FILENAME ~ /output\./ && /^\[  SKIPPED \].* ms\)$/ { inside++ }
        FILENAME ~ /output\./ && match($0, /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/) { split($0, words, " "); inside += words[5] }
        END {
            printf "%s: %d tests, %d failed, %d skipped; %d cases skipped inside of others\n", name, all, failed, skipped, inside
        }' "$build/tests.$1" "$(if [ -e "$build/output.$1" ]; then echo "$build/output.$1"; else echo /dev/null; fi)"
}

status=0
if echo unit | grep -Eq "$labels"; then
    # A program that ends by exit() with memory that nothing points to has lost it; daemons and their children end otherwise.
    ASAN_OPTIONS=detect_leaks=1 run unit -L '^unit$' -LE '^nightly$' --no-tests=error
fi
run others -L "$labels" -LE '^(unit|nightly)$' --no-tests=error
# The check of a virtual table reads memory through a pipe: in a program that has used up its descriptors it believes no object.
blind=$(grep -rl 'invalid vptr' "$findings" | xargs -r grep -l 'errno: 24' || :)
for file in $blind; do rm "$file"; done
found=$(find "$findings" -type f | sort)
if [ -n "$found" ]; then
    echo "$found" | while read -r file; do
        echo "--- $file"
        head -n 60 "$file"
    done
    echo "SANITIZERS FOUND SOMETHING: $(echo "$found" | wc -l) files in $findings"
    status=1
fi
[ -z "$blind" ] || echo "left out: $(echo "$blind" | wc -l) findings of a program that was out of descriptors: the sanitizer's own"
told unit
told others
echo "$preset: $(find "$findings" -type f | wc -l) findings; built in $(((built - begun) / 60)) min," \
    "ran for $((($(date +%s) - built) / 60)) min"
exit "$status"
