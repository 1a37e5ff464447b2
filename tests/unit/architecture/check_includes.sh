#!/bin/sh
# check_includes.sh SOURCE_DIR: which room may include which (docs/architecture.md, Rooms).
#
# A room is a folder; a file belongs to the longest one that its path begins with. Every line that breaks a rule is
# printed as FILE:LINE: what was found. Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
files=$(find common pam taskstarter elim sched res -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' 2>/dev/null) || :
if [ -z "$files" ]; then
    echo "$1: no source file in common, pam, taskstarter, elim, sched and res" >&2
    exit 2
fi
for room in common/base common/conf common/resreq common/wire common/io pam/policy pam taskstarter/policy taskstarter \
    elim/policy elim/reader elim/lim elim/melim elim/elims elim/commands sched/policy sched/mbatchd sched/commands \
    res/policy res/daemon res/shepherd res/commands; do
    if ! echo "$files" | grep -q "^$room/"; then
        echo "$1: no source file in $room" >&2
        exit 2
    fi
done

# shellcheck disable=SC2086  # the names of source files have no blanks
grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null $files | awk '
BEGIN {
    may["common/base"] = "common/base"
    may["common/conf"] = "common/base common/conf"
    may["common/resreq"] = "common/base common/resreq"
    may["common/wire"] = "common/base common/wire"
    may["common/io"] = "common/base common/conf common/wire common/io"
    may["pam/policy"] = "common/base common/conf common/wire pam/policy"
    may["taskstarter/policy"] = "common/base common/conf common/wire taskstarter/policy"
    may["pam"] = "common/base common/conf common/wire common/io pam/policy pam"
    may["elim/policy"] = "common/base common/conf common/resreq common/wire elim/policy"
    # Programs that share rules and, where they read the machine, its reader; none of them includes another.
    all = "common/base common/conf common/resreq common/wire common/io elim/policy "
    may["elim/reader"] = all "elim/reader"
    may["elim/lim"] = all "elim/reader elim/lim"
    may["elim/elims"] = all "elim/reader elim/elims"
    may["elim/melim"] = all "elim/melim"
    may["elim/commands"] = all "elim/commands"
    # The batch system: the rules of mbatchd and of the b* commands, and those of RES and its shepherds.
    may["sched/policy"] = "common/base common/conf common/resreq common/wire sched/policy"
    batch = "common/base common/conf common/resreq common/wire common/io sched/policy "
    may["sched/mbatchd"] = batch "sched/mbatchd"
    may["sched/commands"] = batch "sched/commands"
    may["res/policy"] = "common/base common/conf common/wire res/policy"
    agent = "common/base common/conf common/wire common/io res/policy "
    may["res/daemon"] = agent "res/daemon"
    may["res/shepherd"] = agent "res/shepherd"
    may["res/commands"] = agent "res/commands"
    may["taskstarter"] = "common/base common/conf common/wire common/io taskstarter/policy taskstarter"

    # What a pure room may take from outside: the standard library without its doors to the world, and these.
    split("sys/types.h sys/wait.h boost/system/result.hpp", list)
    for (i in list) outside[list[i]] = 1
    split("fstream filesystem iostream thread mutex shared_mutex condition_variable future semaphore stop_token " \
          "random ctime", list)
    for (i in list) door[list[i]] = 1
}

# The room of a path: the longest one it begins with.
function room_of(path,    room, best) {
    best = ""
    for (room in may)
        if (index(path, room "/") == 1 && length(room) > length(best)) best = room
    return best
}
function pure(room) { return room ~ /^common\/(base|conf|resreq|wire)$/ || room ~ /\/policy$/ }
function breach(why) {
    print place ": " why
    bad++
}
function check_own(room, path,    target, list, i, n) {
    target = room_of(path)
    if (target == "") return breach("includes \"" path "\", which is in no room")
    n = split(may[room], list, " ")
    for (i = 1; i <= n; i++)
        if (list[i] == target) {
            # The messages of these systems are the values of their rules too; other rules know no wire format.
            if (path ~ /\.pb\.h$/ && room ~ /policy$/ && room !~ /^(elim|sched|res)\//) breach(room " includes protobuf (" path ")")
            return
        }
    breach(room " may not include " target " (" path ")")
}
function check_outside(room, path) {
    if (path ~ /^boost\/process/) return breach("Boost.Process; processes are started by common/io/launch")
    if (path ~ /^sodium/ && room != "common/io") return breach("libsodium is for common/io alone")
    if (path ~ /^(soci|sqlite3)/ && place !~ /^common\/io\/job_store/) return breach("SQL is for common/io/job_store alone")
    if (path ~ /^boost\/asio/ && room ~ /^taskstarter/) return breach("TaskStarter stays small: no Asio")
    if (!pure(room)) return
    if (path in outside) return
    if (path ~ /^google\/protobuf/ && room == "common/wire") return
    if (path ~ /^nlohmann\// && room ~ /policy$/) return
    if (path in door || path ~ /[\/.]/) breach(room " is pure and may not include <" path ">")
}
{
    split($0, part, ":")
    file = part[1]
    place = file ":" part[2]
    room = room_of(file)
    if (room == "") { breach("belongs to no room"); next }
    if (match($0, /"[^"]*"/)) check_own(room, substr($0, RSTART + 1, RLENGTH - 2))
    else if (match($0, /<[^>]*>/)) check_outside(room, substr($0, RSTART + 1, RLENGTH - 2))
    else breach("an include that is neither \"...\" nor <...>")
    lines++
}
END {
    if (bad) exit 1
    print lines " includes, none against the rules"
}'
