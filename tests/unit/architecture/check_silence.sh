#!/bin/sh
# check_silence.sh SOURCE_DIR: sched/client prints nothing and never ends the program that uses it. Its results are values, and what
# may be read while it waits goes to an observer. The includes are check_includes.sh's matter; this reads the names in the code.
#
# Every line that breaks this is printed as FILE:LINE: what was found. Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
files=$(find sched/client -name '*.hpp' -o -name '*.cpp' 2>/dev/null) || :
if [ -z "$files" ]; then
    echo "$1: no source file in sched/client" >&2
    exit 2
fi

# shellcheck disable=SC2086  # the names of source files have no blanks
awk '
BEGIN {
    n = split("printf fprintf vprintf vfprintf dprintf puts fputs putchar fputc putc fwrite perror psignal syslog warn warnx err errx " \
              "stdout stderr STDERR_FILENO cout cerr clog print_error_line Stage exit _exit _Exit quick_exit abort terminate", list, " ")
    for (i = 1; i <= n; i++) loud[list[i]] = 1
}
{
    lines++
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "", line)
    sub(/\/\/.*/, "", line)
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (word in loud) {
            print FILENAME ":" FNR ": names " word ": sched/client prints nothing and ends no program"
            bad++
        }
    }
}
END {
    if (bad) exit 1
    print lines " lines without output"
}' $files
