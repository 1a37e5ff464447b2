#!/bin/sh
# check_environment.sh SOURCE_DIR: no program changes its environment.
#
# The daemons have threads that ask name servers and MUNGE; getaddrinfo() reads the environment, and setenv() moves it. A child
# gets its words with execve() or spawn. unsetenv() moves nothing that is in use and is for the first moments of a program:
# common/io/daemon_start.cpp alone. Every line that breaks this is printed. Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
files=$(find common pam taskstarter elim sched res -name '*.hpp' -o -name '*.cpp' -o -name '*.c' 2>/dev/null) || :
if ! echo "$files" | grep -q '^common/io/daemon_start.cpp$'; then
    echo "$1: no common/io/daemon_start.cpp, which every daemon begins with" >&2
    exit 2
fi
# shellcheck disable=SC2086  # the names of source files have no blanks
awk '
{
    line = $0
    sub(/\/\/.*/, "", line)
    calls = " " line
    wrong = calls ~ /[^A-Za-z0-9_](setenv|putenv|clearenv|tzset) *\(/
    if (calls ~ /[^A-Za-z0-9_]unsetenv *\(/ && FILENAME != "common/io/daemon_start.cpp") wrong = 1
    if (wrong) { print FILENAME ":" FNR ": changes the environment: " $0; bad++ }
}
END { if (bad) exit 1; print "no program changes its environment" }' $files
