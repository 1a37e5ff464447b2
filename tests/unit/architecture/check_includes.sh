#!/bin/sh
# check_includes.sh SOURCE_DIR: which room may include which, and the namespace of each (docs/architecture.md, Rooms).
#
# A room is a folder; a file belongs to the longest one that its path begins with. Everything below a policy/ folder is pure.
# Every line that breaks a rule is printed as FILE:LINE: what was found. Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
files=$(find common pam taskstarter elim sched res -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' 2>/dev/null) || :
if [ -z "$files" ]; then
    echo "$1: no source file in common, pam, taskstarter, elim, sched and res" >&2
    exit 2
fi

# shellcheck disable=SC2086  # the names of source files have no blanks
grep -nE '^[[:space:]]*#[[:space:]]*include|^namespace [a-z]' /dev/null $files | files="$files" awk -v root="$1" '
BEGIN {
    pure_common = "common/base common/conf common/resreq common/wire "
    common = pure_common "common/io "
    may["common/base"] = "common/base"
    may["common/conf"] = "common/base common/conf"
    may["common/resreq"] = "common/base common/resreq"
    may["common/wire"] = "common/base common/wire"
    may["common/io"] = "common/base common/conf common/wire common/io"
    may["pam/policy"] = "common/base common/conf common/wire pam/policy"
    may["pam"] = "common/base common/conf common/wire common/io pam/policy pam"
    may["taskstarter/policy"] = "common/base common/conf common/wire taskstarter/policy"
    may["taskstarter"] = "common/base common/conf common/wire common/io taskstarter/policy taskstarter"

    # The load system: its rules, then the programs. None of the programs includes another.
    below("elim/policy", "load", "")
    below("elim/policy", "lim", "load")
    below("elim/policy", "melim", "load")
    below("elim/policy", "show", "load")
    shell("elim/reader", "elim/policy", "load", "")
    shell("elim/lim", "elim/policy", "load lim", "elim/reader")
    shell("elim/melim", "elim/policy", "load melim", "")
    shell("elim/elims", "elim/policy", "load", "elim/reader")
    shell("elim/commands", "elim/policy", "load show", "")

    # The batch system: the cycle never sees the Book, and mbatchd prints no tables.
    below("sched/policy", "values", "")
    below("sched/policy", "jobs", "values")
    below("sched/policy", "book", "values jobs")
    below("sched/policy", "cycle", "values")
    # A choice by what other clusters say: no messages, no cycle, no Book.
    may["sched/policy/forward"] = "common/base common/conf common/resreq sched/policy/values sched/policy/forward"
    # What is lent to whom: neither messages nor jobs.
    may["sched/policy/lease"] = "common/base common/conf common/resreq sched/policy/values sched/policy/lease"
    # Conversations of masters know neither jobs nor the Book.
    may["sched/policy/peers"] = "common/base common/conf common/wire sched/policy/values sched/policy/forward sched/policy/lease sched/policy/peers"
    below("sched/policy", "answers", "values jobs book cycle lease")
    below("sched/policy", "submit", "values")
    below("sched/policy", "show", "values")
    below("sched/policy", "events", "values")
    shell("sched/mbatchd", "sched/policy", "values jobs book cycle forward lease peers answers events", "")
    shell("sched/client", "sched/policy", "values submit", "")
    shell("sched/commands", "sched/policy", "values submit show events", "sched/client")
    also["sched/commands"] = " sched/policy/cycle/scenario.hpp sched/policy/cycle/scenario_json.hpp sched/policy/forward/forward_scenario.hpp sched/policy/peers/verdict_rows.hpp sched/policy/lease/export_files.hpp " # bsched-query; ckconfig

    global_job = "sched/policy/values/global_job_id.hpp"
    speaks_to_others = "^sched/(policy/(events|show|submit)|mbatchd|commands)$"

    # What runs on every host.
    may["res/policy"] = "common/base common/conf common/wire res/policy"
    agent = "common/base common/conf common/wire common/io res/policy "
    may["res/daemon"] = agent "res/daemon"
    may["res/shepherd"] = agent "res/shepherd"
    may["res/commands"] = agent "res/commands"

    # Rooms of one folder tell their names apart by a namespace each; values are what the others share.
    own_namespace["sched/policy/values"] = "rollcall::sched"
    own_namespace["sched/client"] = "rollcall::client"
    split("jobs book cycle forward lease peers answers submit show events", list)
    for (i in list) own_namespace["sched/policy/" list[i]] = "rollcall::sched::" list[i]
    split("load lim melim", list)
    for (i in list) own_namespace["elim/policy/" list[i]] = "rollcall::" list[i]
    own_namespace["elim/policy/show"] = "rollcall::elim::show"

    # What a pure room may take from outside: the standard library without its doors to the world, and these.
    split("sys/types.h sys/wait.h boost/system/result.hpp", list)
    for (i in list) outside[list[i]] = 1
    split("fstream filesystem iostream thread mutex shared_mutex condition_variable future semaphore stop_token " \
          "random ctime", list)
    for (i in list) door[list[i]] = 1
    split("cstdio stdio.h iostream ostream fstream print syslog.h err.h", list)
    for (i in list) output[list[i]] = 1

    n = split(ENVIRON["files"], list, "\n")
    for (i = 1; i <= n; i++) here[room_of(list[i])]++
    for (room in may)
        if (!(room in here)) { print root ": no source file in " room > "/dev/stderr"; missing = 1 }
    if (missing) exit 2
}

# may[] of the room `folder`/`name`: what is pure and common, `others` of the same folder, and itself.
function below(folder, name, others) { may[folder "/" name] = pure_common rooms_of(folder, others) folder "/" name }
# may[] of a program: all of common, rooms of its rules, rooms of other shells, and itself.
function shell(room, folder, rules, shells) { may[room] = common rooms_of(folder, rules) shells " " room }
function rooms_of(folder, names,    part, n, i, all) {
    n = split(names, part, " ")
    for (i = 1; i <= n; i++) all = all folder "/" part[i] " "
    return all
}
# The room of a path: the longest one it begins with.
function room_of(path,    room, best) {
    best = ""
    for (room in may)
        if (index(path, room "/") == 1 && length(room) > length(best)) best = room
    return best
}
function pure(room) { return room ~ /^common\/(base|conf|resreq|wire)$/ || room ~ /\/policy(\/|$)/ }
function breach(why) {
    print place ": " why
    bad++
}
function check_own(room, path,    target, list, i, n) {
    if (index(also[room], " " path " ") > 0) return
    # The Book, the cycle and what they are made of know the jobs of this cluster alone (docs/decisions/0085). No header of theirs
    # may bring the type along, so it is for the rooms that speak with others, and for tests.
    if (path == global_job && place !~ /^sched\/policy\/values\/global_job_id\.cpp:/ && room !~ speaks_to_others)
        return breach(room " may not name jobs of other clusters (GlobalJobId)")
    # Where jobs are kept is said by the program that starts mbatchd (docs/decisions/0082).
    if (path ~ /^common\/io\/sqlite_job_store/ && place !~ /^common\/io\/sqlite_job_store/ && file != "sched/mbatchd/main.cpp")
        return breach("only sched/mbatchd/main.cpp knows which store it is (" path ")")
    # Who owns the Book hands out its parts; nobody else has the whole (docs/decisions/0078).
    if (path ~ /^sched\/policy\/book\/book(_memory)?\.hpp$/ && room != "sched/policy/book" && file path != "sched/mbatchd/daemon.cppsched/policy/book/book.hpp")
        breach("only sched/mbatchd/daemon.cpp has the whole Book (" path ")")
    target = room_of(path)
    if (target == "") return breach("includes \"" path "\", which is in no room")
    if (room == "sched/client" && path == "common/io/command.hpp") return breach("sched/client prints nothing: no " path)
    if (room == "sched/commands" && path ~ /^common\/io\/(batch|res)_client\.hpp$/) return breach("sched/commands talks through sched/client: no " path)
    n = split(may[room], list, " ")
    for (i = 1; i <= n; i++)
        if (list[i] == target) {
            # The messages of these systems are the values of their rules too; other rules know no wire format.
            if (path ~ /\.pb\.h$/ && room ~ /policy/ && room !~ /^(elim|sched|res)\//) breach(room " includes protobuf (" path ")")
            return
        }
    breach(room " may not include " target " (" path ")")
}
function check_outside(room, path) {
    if (path ~ /^boost\/process/ && place !~ /^common\/io\/child\.cpp:/) return breach("Boost.Process is for common/io/child.cpp alone")
    if (path ~ /^sodium/ && room != "common/io") return breach("libsodium is for common/io alone")
    if (path ~ /^(soci|sqlite3)/ && place !~ /^common\/io\/sqlite_job_store/) return breach("SQL is for common/io/sqlite_job_store alone")
    if (path ~ /^boost\/asio/ && room ~ /^taskstarter/) return breach("TaskStarter stays small: no Asio")
    if (room == "sched/client" && path in output) return breach("sched/client prints nothing: no <" path ">")
    if (!pure(room)) return
    if (path in outside) return
    if (path ~ /^google\/protobuf/ && room == "common/wire") return
    if (path ~ /^nlohmann\// && room ~ /policy/) return
    if (path in door || path ~ /[\/.]/) breach(room " is pure and may not include <" path ">")
}
function check_namespace(room, name) {
    if (!(room in own_namespace)) return
    if (name != own_namespace[room] && index(name, own_namespace[room] "::") != 1)
        breach(room " has the namespace " own_namespace[room] ", found " name)
}
{
    split($0, part, ":")
    file = part[1]
    place = file ":" part[2]
    room = room_of(file)
    if (room == "") { breach("belongs to no room"); next }
    if (match($0, /:namespace [a-z_:]+/)) {
        name = substr($0, RSTART + 11, RLENGTH - 11)
        if (name ~ /^rollcall/) check_namespace(room, name)
        next
    }
    if (match($0, /"[^"]*"/)) check_own(room, substr($0, RSTART + 1, RLENGTH - 2))
    else if (match($0, /<[^>]*>/)) check_outside(room, substr($0, RSTART + 1, RLENGTH - 2))
    else breach("an include that is neither \"...\" nor <...>")
    lines++
}
END {
    if (missing) exit 2
    if (bad) exit 1
    print lines " includes, none against the rules"
}'
