#!/bin/sh
# check_seam.sh SOURCE_DIR: nothing of sched/ knows what runs the jobs on their hosts, but for its own files (docs/decisions/0040).
#
# RES's words are the messages of common/wire/res.proto. In sched/ only files whose names begin with res_ include them, or a
# header that brings them, or name one; main.cpp names the engine that mbatchd is started with. The other conversations,
# which everybody includes, do not import them. Every line that breaks this is printed as FILE:LINE: what was found.
# Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
words=$(sed -n 's/^message \([A-Za-z]*\).*/\1/p' common/wire/res.proto 2>/dev/null | tr '\n' ' ')
if [ -z "$words" ]; then
    echo "$1: no message in common/wire/res.proto" >&2
    exit 2
fi
files=$(find sched -name '*.hpp' -o -name '*.cpp' 2>/dev/null) || :
if ! echo "$files" | grep -q '^sched/[a-z]*/res_'; then
    echo "$1: no file sched/*/res_*, which would be RES's own" >&2
    exit 2
fi

# shellcheck disable=SC2086  # the names of source files have no blanks
awk -v words="$words" '
BEGIN {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++) word[list[i]] = 1
}
function breach(why) {
    print FILENAME ":" FNR ": " why
    bad++
}
function check_include(path) {
    if (FILENAME == "sched/mbatchd/main.cpp" && path == "sched/mbatchd/res_engine.hpp") return
    if (path == "common/wire/res.pb.h" || path == "common/io/res_client.hpp" || path ~ /^sched\/[a-z]+\/res_/ || path ~ /^res\//)
        breach("includes \"" path "\", which only files sched/*/res_* may")
}
# wire::ToRes::Welcome, and after "using wire::ToRes" or in namespace wire, ToRes::Welcome.
function check_names(line,    found) {
    while (match(line, /[A-Za-z_:]+/)) {
        found = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (found !~ /(^|::)wire::/) continue
        sub(/^.*wire::/, "", found)
        sub(/[:_].*/, "", found)
        if (found in word) breach("names wire::" found ", a word of RES")
    }
}
/^import "common\/wire\/res\.proto"/ { breach("imports RES'"'"'s messages into a conversation that others read") }
FILENAME ~ /\.proto$/ { next }
{ checked++ }
FILENAME ~ /^sched\/[a-z]+\/res_/ { own++; next }
/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, part, "\""); check_include(part[2]); next }
{ sub(/\/\/.*/, ""); check_names($0) }
END {
    if (bad) exit 1
    print checked - own " lines without a word of RES, " own " of its own"
}' $files common/wire/batch.proto common/wire/job.proto common/wire/stream.proto
