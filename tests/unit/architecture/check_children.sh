#!/bin/sh
# check_children.sh SOURCE_DIR: one way to own a child, and one to run a helper.
#
# Programs with an event loop have io::Child, what blocks until a helper has ended has io::run_program. Calls of fork(2), of wait(2)
# and of posix_spawn stand in those two, in spawn, and in the programs for which docs/decisions/0001 gives a reason. Every line that
# breaks this is printed, and a file below that calls none of them any more. Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
owners="common/io/spawn.cpp common/io/run_program.cpp common/io/child.cpp common/io/neighbours.cpp elim/melim/elim_keeper.cpp
    res/shepherd/guard.cpp res/shepherd/shepherd.cpp taskstarter/inner.cpp taskstarter/outer.cpp taskstarter/detached.cpp"
files=$(find common pam taskstarter elim sched res -name '*.hpp' -o -name '*.cpp' -o -name '*.c' 2>/dev/null) || :
if ! echo "$files" | grep -q '^common/io/spawn.cpp$'; then
    echo "$1: no common/io/spawn.cpp, which starts every program" >&2
    exit 2
fi
# shellcheck disable=SC2086  # the names of source files have no blanks
awk -v owners="$owners" '
BEGIN {
    n = split(owners, list, " ")
    for (i = 1; i <= n; i++) owner[list[i]] = 1
}
{
    line = $0
    sub(/\/\/.*/, "", line)
    if ((" " line) !~ /[^A-Za-z0-9_](v?fork|waitpid|waitid|wait3|wait4|popen|posix_spawnp?) *\(/) next
    calls[FILENAME] = 1
    if (!(FILENAME in owner)) { print FILENAME ":" FNR ": starts or waits for a process by itself: " $0; bad++ }
}
END {
    for (file in owner)
        if (!(file in calls)) { print file ": no longer starts or waits for a process; take it from the list"; bad++ }
    if (bad) exit 1
    print "no program has a way of its own to start or to wait for a process"
}' $files
