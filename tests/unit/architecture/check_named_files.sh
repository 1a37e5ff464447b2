#!/bin/sh
# check_named_files.sh SOURCE_DIR: a file that a comment or a page names by its path is there.
#
# Files move and their names change; a comment that leads to where nothing is costs its reader more than none. Every such name is
# printed as FILE:LINE: the path. Exit: 0 all are there, 1 some are not, 2 nothing to check.
set -eu

cd "$1"
rooms='common|pam|taskstarter|elim|res|sched|tests|bench|docs|cmake|wrappers'
# What the build makes, and what the self-test plants.
made='^(pam/policy/launcher_options\.hpp)$'

files=$(find common pam taskstarter elim res sched tests bench docs wrappers HACKING.md README.md \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.c' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.proto' \) \
    ! -path 'tests/unit/architecture/self_test.sh' ! -path 'tests/fuzz/corpus/*' ! -path 'tests/golden/*' 2>/dev/null) || :
if [ -z "$files" ]; then
    echo "$1: no source file and no page" >&2
    exit 2
fi

# shellcheck disable=SC2086  # the names of files have no blanks
grep -noE "(^|[^A-Za-z0-9_./-])($rooms)/[A-Za-z0-9_/-]+\.(hpp|cpp|c|py|sh|md|proto|cmake)([^A-Za-z0-9_]|\$)" /dev/null $files |
    sed -E "s#^([^:]+):([0-9]+):[^A-Za-z0-9_]?(.*[a-z])[^A-Za-z0-9_]?\$#\1:\2 \3#" | {
    bad=0
    named=0
    while read -r place path; do
        named=$((named + 1))
        [ -e "$path" ] && continue
        printf '%s\n' "$path" | grep -qE "$made" && continue
        echo "$place: names $path, which is not there"
        bad=1
    done
    [ "$bad" -eq 0 ] || exit 1
    echo "$named names of files, all of them there"
}
