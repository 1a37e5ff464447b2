#!/bin/sh
# check_tests_are_built.sh SOURCE_DIR BUILD_DIR: every *_test.cpp below tests is compiled in this build; one that no CMakeLists.txt
# names would count as a test (check_test_counts.sh) and never run. Exit: 0 all are, 1 some are not, 2 nothing to check.
set -eu

cd "$1"
commands=$2/compile_commands.json
[ -r "$commands" ] || { echo "$commands: missing" >&2; exit 2; }
files=$(find tests -name '*_test.cpp' 2>/dev/null) || :
[ -n "$files" ] || { echo "$1/tests: no *_test.cpp in it" >&2; exit 2; }

# Sources of a unity build are in files that include several of them.
compiled=$(cat "$commands"; find "$2" -path '*/Unity/*.cxx' -exec cat {} +)
bad=0
for file in $files; do
    case $compiled in
    *"/$file"*) ;;
    *)
        echo "$file: no target of this build compiles it, expected a rollcall_test in its folder's CMakeLists.txt"
        bad=1
        ;;
    esac
done
exit "$bad"
