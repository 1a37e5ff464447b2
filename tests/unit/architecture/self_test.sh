#!/bin/sh
# self_test.sh COMPILER: the checks of this folder find what they are for. Each breach is planted and must be named.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
compiler=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
    echo "FAILED: $1" >&2
    failed=1
}

# The tree that each breach is planted in: one harmless file in each room.
made=$dir/made
for room in common/base common/conf common/resreq common/wire common/io pam/policy pam taskstarter/policy \
    taskstarter elim/policy/load elim/policy/lim elim/policy/melim elim/policy/show elim/reader elim/lim elim/melim \
    elim/elims elim/commands sched/policy/values sched/policy/jobs sched/policy/book sched/policy/cycle sched/policy/forward sched/policy/lease sched/policy/peers \
    sched/policy/answers sched/policy/submit sched/policy/show sched/policy/events sched/mbatchd sched/client sched/commands \
    res/policy res/daemon res/shepherd res/commands; do
    mkdir -p "$made/$room"
    echo '#include <string>' >"$made/$room/fine.cpp"
done
printf 'message ToRes {\n  message Welcome {\n}\nmessage FromRes { bytes x = 1; }\n' >"$made/common/wire/res.proto"
for proto in batch job stream; do echo 'syntax = "proto3";' >"$made/common/wire/$proto.proto"; done
echo 'wire::ToRes::Welcome welcome;' >"$made/sched/mbatchd/res_links.cpp"

# fresh: that tree, as it was made.
fresh() {
    rm -rf "$dir/tree"
    cp -R "$made" "$dir/tree"
}

# expect STATUS TEXT COMMAND...: it ends with STATUS and says TEXT.
expect() {
    status=$1
    text=$2
    shift 2
    got=0
    output=$("$@" 2>&1) || got=$?
    if [ "$got" -ne "$status" ]; then fail "$*: exit $got, expected $status: $output"; fi
    case $output in
    *"$text"*) ;;
    *) fail "$*: said '$output', expected '$text'" ;;
    esac
}

# includes FILE LINE TEXT: LINE in FILE is a breach, and TEXT says why.
includes() {
    fresh
    printf '%s\n' "$2" >"$dir/tree/$1"
    expect 1 "$1:1: $3" "$here/check_includes.sh" "$dir/tree"
}

fresh
expect 0 "36 includes, none against the rules" "$here/check_includes.sh" "$dir/tree"
includes common/base/x.hpp '#include "common/conf/lsf_conf.hpp"' 'common/base may not include common/conf'
includes common/conf/x.hpp '#  include "common/io/launch.hpp"' 'common/conf may not include common/io'
includes common/resreq/x.hpp '#include "common/conf/lsf_conf.hpp"' 'common/resreq may not include common/conf'
includes common/resreq/x.cpp '#include <fstream>' 'common/resreq is pure'
includes common/io/x.hpp '#include "pam/policy/options.hpp"' 'common/io may not include pam/policy'
includes sched/mbatchd/x.hpp '#include "sched/policy/book/book.hpp"' 'only sched/mbatchd/daemon.cpp has the whole Book'
includes sched/policy/answers/x.hpp '#include "sched/policy/book/book_memory.hpp"' 'only sched/mbatchd/daemon.cpp has the whole Book'
includes pam/policy/x.hpp '#include "pam/job.hpp"' 'pam/policy may not include pam'
includes pam/x.cpp '#include "taskstarter/policy/options.hpp"' 'pam may not include taskstarter/policy'
includes elim/policy/lim/x.cpp '#include "common/io/launch.hpp"' 'elim/policy/lim may not include common/io'
includes elim/policy/lim/x.cpp '#include <unistd.h>' 'elim/policy/lim is pure'
includes elim/policy/lim/x.cpp '#include "elim/lim/daemon.hpp"' 'elim/policy/lim may not include elim/lim'
includes elim/lim/x.cpp '#include "pam/policy/options.hpp"' 'elim/lim may not include pam/policy'
includes elim/lim/x.cpp '#include "elim/melim/melim.hpp"' 'elim/lim may not include elim/melim'
includes elim/melim/x.cpp '#include "elim/reader/disks.hpp"' 'elim/melim may not include elim/reader'
includes elim/commands/x.cpp '#include "elim/lim/daemon.hpp"' 'elim/commands may not include elim/lim'
includes elim/x.cpp '#include <string>' 'belongs to no room'
includes pam/x.cpp '#include "elim/policy/lim/lim.hpp"' 'pam may not include elim/policy/lim'
includes sched/policy/book/x.cpp '#include "common/io/links.hpp"' 'sched/policy/book may not include common/io'
includes sched/mbatchd/x.cpp '#include "res/policy/usage.hpp"' 'sched/mbatchd may not include res/policy'
includes res/daemon/x.cpp '#include "sched/policy/values/job.hpp"' 'res/daemon may not include sched/policy/values'
includes res/shepherd/x.cpp '#include "res/daemon/daemon.hpp"' 'res/shepherd may not include res/daemon'
includes taskstarter/x.cpp '#include "pam/policy/options.hpp"' 'taskstarter may not include pam/policy'
includes pam/policy/x.cpp '#include "common/wire/task.pb.h"' 'pam/policy includes protobuf'
includes pam/policy/x.cpp '#include <sys/socket.h>' 'pam/policy is pure'
includes pam/policy/x.cpp '#include <boost/asio.hpp>' 'pam/policy is pure'
includes common/base/x.cpp '#include <unistd.h>' 'common/base is pure'
includes common/conf/x.cpp '#include <fstream>' 'common/conf is pure'
includes common/io/x.cpp '#include <soci/soci.h>' 'SQL is for common/io/sqlite_job_store'
includes sched/mbatchd/x.cpp '#include "common/io/sqlite_job_store.hpp"' 'only sched/mbatchd/main.cpp knows which store it is'
includes sched/mbatchd/x.cpp '#include <sqlite3.h>' 'SQL is for common/io/sqlite_job_store'
includes common/wire/x.cpp '#include <sodium.h>' 'libsodium is for common/io'
includes taskstarter/x.cpp '#include <boost/asio/io_context.hpp>' 'TaskStarter stays small'
includes common/io/x.cpp '#include <boost/process/v2.hpp>' 'Boost.Process is for common/io/child.cpp'
includes common/io/child.hpp '#include <boost/process/v2.hpp>' 'Boost.Process is for common/io/child.cpp'
includes pam/x.cpp '#include "elsewhere.hpp"' 'includes "elsewhere.hpp", which is in no room'
# Rooms of rules: what each may not see, though it may see others of its folder.
includes elim/policy/load/x.cpp '#include "elim/policy/lim/lim.hpp"' 'elim/policy/load may not include elim/policy/lim'
includes elim/policy/melim/x.cpp '#include "elim/policy/lim/lim.hpp"' 'elim/policy/melim may not include elim/policy/lim'
includes elim/policy/show/x.cpp '#include "elim/policy/lim/lim.hpp"' 'elim/policy/show may not include elim/policy/lim'
includes elim/melim/x.cpp '#include "elim/policy/lim/lim.hpp"' 'elim/melim may not include elim/policy/lim'
includes elim/commands/x.cpp '#include "elim/policy/lim/lim.hpp"' 'elim/commands may not include elim/policy/lim'
includes sched/policy/values/x.cpp '#include "sched/policy/jobs/job_life.hpp"' 'sched/policy/values may not include sched/policy/jobs'
includes sched/policy/jobs/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/policy/jobs may not include sched/policy/book'
includes sched/policy/book/x.cpp '#include "sched/policy/cycle/schedule.hpp"' 'sched/policy/book may not include sched/policy/cycle'
includes sched/policy/cycle/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/policy/cycle may not include sched/policy/book'
includes sched/policy/cycle/x.cpp '#include "sched/policy/jobs/job_life.hpp"' 'sched/policy/cycle may not include sched/policy/jobs'
includes sched/policy/forward/x.cpp '#include "sched/policy/cycle/schedule.hpp"' 'sched/policy/forward may not include sched/policy/cycle'
includes sched/policy/forward/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/policy/forward may not include sched/policy/book'
includes sched/policy/forward/x.cpp '#include "common/wire/messages.hpp"' 'sched/policy/forward may not include common/wire'
includes sched/policy/lease/x.cpp '#include "sched/policy/cycle/schedule.hpp"' 'sched/policy/lease may not include sched/policy/cycle'
includes sched/policy/lease/x.cpp '#include "common/wire/messages.hpp"' 'sched/policy/lease may not include common/wire'
includes sched/policy/peers/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/policy/peers may not include sched/policy/book'
includes sched/policy/peers/x.cpp '#include "common/io/links.hpp"' 'sched/policy/peers may not include common/io'
includes sched/policy/answers/x.cpp '#include "sched/policy/show/show_jobs.hpp"' 'sched/policy/answers may not include sched/policy/show'
includes sched/policy/submit/x.cpp '#include "sched/policy/show/show_jobs.hpp"' 'sched/policy/submit may not include sched/policy/show'
includes sched/policy/show/x.cpp '#include "sched/policy/answers/answers.hpp"' 'sched/policy/show may not include sched/policy/answers'
includes sched/policy/events/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/policy/events may not include sched/policy/book'
includes sched/mbatchd/x.cpp '#include "sched/policy/show/show_jobs.hpp"' 'sched/mbatchd may not include sched/policy/show'
includes sched/commands/x.cpp '#include "sched/policy/book/book.hpp"' 'sched/commands may not include sched/policy/book'
includes sched/commands/x.cpp '#include "sched/policy/cycle/schedule.hpp"' 'sched/commands may not include sched/policy/cycle'
includes sched/commands/x.cpp '#include "sched/policy/forward/choice.hpp"' 'sched/commands may not include sched/policy/forward'
# The client library prints nothing, and commands talk through it alone.
includes sched/client/x.cpp '#include "sched/policy/show/show_jobs.hpp"' 'sched/client may not include sched/policy/show'
includes sched/client/x.cpp '#include "sched/commands/asking.hpp"' 'sched/client may not include sched/commands'
includes sched/client/x.cpp '#include "common/io/command.hpp"' 'sched/client prints nothing'
includes sched/client/x.cpp '#include <cstdio>' 'sched/client prints nothing'
includes sched/client/x.cpp 'namespace rollcall::sched {' 'sched/client has the namespace rollcall::client'
includes sched/commands/x.cpp '#include "common/io/batch_client.hpp"' 'sched/commands talks through sched/client'
for room in load lim melim show; do
    includes elim/policy/$room/x.cpp '#include <fstream>' "elim/policy/$room is pure"
done
for room in values jobs book cycle forward peers answers submit show events; do
    includes sched/policy/$room/x.cpp '#include <fstream>' "sched/policy/$room is pure"
done
includes sched/policy/x.cpp '#include <string>' 'belongs to no room'
includes elim/policy/x.cpp '#include <string>' 'belongs to no room'
includes sched/policy/book/x.cpp 'namespace rollcall::sched {' 'sched/policy/book has the namespace rollcall::sched::book'
includes sched/policy/values/x.cpp 'namespace rollcall::load {' 'sched/policy/values has the namespace rollcall::sched'
includes elim/policy/show/x.cpp 'namespace rollcall::elim {' 'elim/policy/show has the namespace rollcall::elim::show'
for room in values jobs book cycle forward peers answers; do
    includes sched/policy/$room/x.hpp '#include "sched/policy/values/global_job_id.hpp"' \
        "sched/policy/$room may not name jobs of other clusters"
done
fresh
for room in policy/events mbatchd; do echo '#include "sched/policy/values/global_job_id.hpp"' >"$dir/tree/sched/$room/fine.cpp"; done
expect 0 "none against the rules" "$here/check_includes.sh" "$dir/tree"
fresh
echo '#include "sched/policy/cycle/scenario.hpp"' >"$dir/tree/sched/commands/fine.cpp"
echo '#include "sched/policy/forward/forward_scenario.hpp"' >>"$dir/tree/sched/commands/fine.cpp"
expect 0 "none against the rules" "$here/check_includes.sh" "$dir/tree"
fresh
rm -r "$dir/tree/pam/policy"
expect 2 "no source file in pam/policy" "$here/check_includes.sh" "$dir/tree"
mkdir -p "$dir/none/common" "$dir/none/pam" "$dir/none/taskstarter" "$dir/none/elim"
expect 2 "no source file" "$here/check_includes.sh" "$dir/none"

# seam FILE LINE TEXT: LINE in FILE knows what runs the jobs, and TEXT says why.
seam() {
    fresh
    printf '%s\n' "$2" >"$dir/tree/$1"
    expect 1 "$1:1: $3" "$here/check_seam.sh" "$dir/tree"
}

fresh
{
    echo '#include "sched/policy/values/engine.hpp"'
    echo 'wire::BatchReply reply;  // not a wire::ToRes'
    echo 'conf::ToRes other;'
} >"$dir/tree/sched/policy/values/x.hpp"
echo '#include "sched/mbatchd/res_engine.hpp"' >"$dir/tree/sched/mbatchd/main.cpp"
expect 0 "lines without a word of RES, 1 of its own" "$here/check_seam.sh" "$dir/tree"
seam sched/policy/values/x.hpp '#include "common/wire/res.pb.h"' 'includes "common/wire/res.pb.h", which only'
seam sched/commands/x.cpp '#  include "common/io/res_client.hpp"' 'includes "common/io/res_client.hpp"'
seam sched/mbatchd/daemon.cpp '#include "sched/mbatchd/res_engine.hpp"' 'includes "sched/mbatchd/res_engine.hpp"'
seam sched/mbatchd/main.cpp '#include "sched/mbatchd/res_links.hpp"' 'includes "sched/mbatchd/res_links.hpp"'
seam sched/policy/values/x.hpp 'std::vector<const wire::FromRes*> told;' 'names wire::FromRes'
seam sched/policy/values/x.cpp 'using Kill = rollcall::wire::ToRes_SignalJob;' 'names wire::ToRes'
seam common/wire/batch.proto 'import "common/wire/res.proto";' 'imports'

# loud LINE WORD: LINE in sched/client prints or ends the program by WORD.
loud() {
    fresh
    printf '%s\n' "$1" >"$dir/tree/sched/client/x.cpp"
    expect 1 "sched/client/x.cpp:1: names $2" "$here/check_silence.sh" "$dir/tree"
}
fresh
echo 'tell("no exit"); // printf' >"$dir/tree/sched/client/x.cpp"
expect 0 "lines without output" "$here/check_silence.sh" "$dir/tree"
loud 'std::fprintf(file, "x");' fprintf
loud 'std::exit(1);' exit
loud 'std::cerr << "x";' cerr
loud 'io::print_error_line("x");' print_error_line
rm -r "$dir/tree/sched/client"
expect 2 "no source file" "$here/check_silence.sh" "$dir/tree"

fresh
rm "$dir/tree/common/wire/res.proto"
expect 2 "no message in common/wire/res.proto" "$here/check_seam.sh" "$dir/tree"
fresh
rm "$dir/tree/sched/mbatchd/res_links.cpp"
expect 2 "no file sched/*/res_*" "$here/check_seam.sh" "$dir/tree"

# environment FILE LINE: LINE in FILE is a breach.
environment() {
    fresh
    echo 'unsetenv(name);' >"$dir/tree/common/io/daemon_start.cpp"
    expect 0 "no program changes its environment" "$here/check_environment.sh" "$dir/tree"
    printf '%s\n' "$2" >"$dir/tree/$1"
    expect 1 "$1:1: changes the environment" "$here/check_environment.sh" "$dir/tree"
}
environment sched/mbatchd/x.cpp 'setenv("TZ", zone, 1);'
environment common/io/x.cpp '  ::tzset();'
environment res/daemon/x.hpp 'inline void f() { unsetenv("X"); }'
fresh
expect 2 "no common/io/daemon_start.cpp" "$here/check_environment.sh" "$dir/tree"

# children FILE LINE: LINE in FILE is a breach.
child_owners="common/io/spawn common/io/run_program common/io/child common/io/neighbours elim/melim/elim_keeper
    res/shepherd/guard res/shepherd/shepherd taskstarter/inner taskstarter/outer taskstarter/detached"
children() {
    fresh
    for owner in $child_owners; do echo 'while (waitpid(-1, &status, WNOHANG) > 0)' >"$dir/tree/$owner.cpp"; done
    expect 0 "no program has a way of its own" "$here/check_children.sh" "$dir/tree"
    printf '%s\n' "$2" >"$dir/tree/$1"
    expect 1 "$3" "$here/check_children.sh" "$dir/tree"
}
children sched/commands/x.cpp '  waitpid(pid, &status, 0);' 'sched/commands/x.cpp:1: starts or waits'
children res/daemon/x.cpp 'const pid_t pid = ::fork();' 'res/daemon/x.cpp:1: starts or waits'
children elim/lim/x.cpp 'FILE* from = popen("getent", "r");' 'elim/lim/x.cpp:1: starts or waits'
children pam/x.hpp 'if (posix_spawnp(&pid, argv[0]))' 'pam/x.hpp:1: starts or waits'
children taskstarter/outer.cpp '// waitpid() is elsewhere now' 'taskstarter/outer.cpp: no longer starts'
fresh
expect 2 "no common/io/spawn.cpp" "$here/check_children.sh" "$dir/tree"

# parameters FILE LINE [WHAT]: LINE in FILE reads the text of a parameter, or of WHAT.
parameters() {
    fresh
    echo '#include <string>' >"$dir/tree/common/conf/program_settings.cpp"
    expect 0 "nobody outside common/conf" "$here/check_parameters.sh" "$dir/tree"
    printf '%s\n' "$2" >"$dir/tree/$1"
    expect 1 "$1:1: reads the text of a ${3-parameter}" "$here/check_parameters.sh" "$dir/tree"
}
parameters res/daemon/x.cpp 'if (files.lsf_conf.value("LSB_JOB_MEMLIMIT") == "y") return;'
parameters sched/mbatchd/x.cpp 'const auto* setting = conf.find("ROLLCALL_TICKET_LIFE");'
parameters sched/policy/jobs/x.cpp 'const auto* cell = config.lsb->params.cells.given("MAX_JOBID");' cell
parameters sched/policy/cycle/x.cpp 'const auto* cell = row.cells.given("JOB_ACCEPT_INTERVAL");' cell
parameters sched/policy/jobs/x.cpp 'if (const auto most = whole_cell(terms.queue->cells, keyword)) return most;' cell
parameters sched/policy/answers/x.cpp 'const auto idle = text_of(row.shown, "JOB_IDLE");' cell
parameters common/io/x.cpp 'for (const auto& pair : files.lsf_conf.settings()) use(pair);'
fresh
expect 2 "no common/conf/program_settings.cpp" "$here/check_parameters.sh" "$dir/tree"

# types FIRST SECOND TEXT: two files say so, and TEXT is found.
types() {
    fresh
    printf '%b\n' "$1" >"$dir/tree/sched/policy/values/a.hpp"
    printf '%b\n' "$2" >"$dir/tree/sched/policy/values/b.hpp"
    expect "$3" "$4" python3 "$here/check_types.py" "$dir/tree"
}
types 'namespace a::b {\nstruct Draft { int x; };\n}' 'namespace a { namespace b {\nclass Draft final : public Y<int> {\n}; } }' 1 \
    'sched/policy/values/a.hpp:2: a::b::Draft is also defined in sched/policy/values/b.hpp:2'
types 'struct Job {\n  enum class How : int { a, b };\n};' 'enum Job::How { c };' 1 'a.hpp:2: Job::How'
types 'template <> struct std::hash<Key> {};' 'template <>\nstruct std::hash<Key> {};' 1 'std::hash<Key>'
types 'namespace a { struct Draft {}; }' 'namespace b { struct Draft; struct Draft {}; }' 0 '2 types, each defined once'
types 'struct Draft {};  // struct Other {' 'struct Draft;\nnamespace { struct Draft {}; }' 0 '1 types'
types 'inline void f() { struct Draft {}; }' 'struct Draft {}; struct Draft g(struct Draft* of);' 0 '1 types'
types 'template <class Draft> struct A { Draft x = {}; };' "const char* s = \"struct A { \"; char c = '{'; struct B {};" 0 '2 types'
types 'struct std::hash<Key> {};' 'struct std::hash<Name> {};' 0 '2 types'
fresh
expect 2 "" python3 "$here/check_types.py" "$dir/tree"
rm -r "$dir/tree/res"
expect 2 "no source file in res" python3 "$here/check_types.py" "$dir/tree"

# Files that comments lead to.
fresh
echo '// Its rules: sched/policy/book/fine.cpp.' >"$dir/tree/sched/mbatchd/x.cpp"
expect 0 "1 names of files" "$here/check_named_files.sh" "$dir/tree"
printf '\n// As common/io/gone.hpp says.\n' >"$dir/tree/sched/mbatchd/x.cpp"
expect 1 "sched/mbatchd/x.cpp:2: names common/io/gone.hpp" "$here/check_named_files.sh" "$dir/tree"
mkdir "$dir/bare"
expect 2 "no source file" "$here/check_named_files.sh" "$dir/bare"

# A tree without tests has lost them all.
mkdir -p "$dir/lost/tests/fuzz/corpus" "$dir/lost/docs/checks"
for folder in unit sim io cluster golden wrappers; do
    mkdir -p "$dir/lost/tests/$folder"
    echo 'TEST(One, IsLeft) {}' >"$dir/lost/tests/$folder/x.cpp"
    echo 'def test_one(bench):' >"$dir/lost/tests/$folder/x.py"
done
expect 1 "unit: found 1 tests, expected at least" "$here/check_test_counts.sh" "$dir/lost"

mkdir -p "$dir/forgotten/tests/unit" "$dir/forgotten/build/Unity"
touch "$dir/forgotten/tests/unit/a_test.cpp" "$dir/forgotten/tests/unit/b_test.cpp"
expect 2 "compile_commands.json: missing" "$here/check_tests_are_built.sh" "$dir/forgotten" "$dir/forgotten/build"
echo '[]' >"$dir/forgotten/build/compile_commands.json"
echo '#include "/src/tests/unit/a_test.cpp"' >"$dir/forgotten/build/Unity/unity_0.cxx"
expect 1 "tests/unit/b_test.cpp: no target of this build compiles it" "$here/check_tests_are_built.sh" "$dir/forgotten" \
    "$dir/forgotten/build"
echo '[{"file": "/src/tests/unit/b_test.cpp"}]' >"$dir/forgotten/build/compile_commands.json"
expect 0 "" "$here/check_tests_are_built.sh" "$dir/forgotten" "$dir/forgotten/build"

# archive NAME CODE: a static archive of one object.
archive() {
    printf '%s\n' "$2" >"$dir/$1.cpp"
    "$compiler" -std=c++20 -c "$dir/$1.cpp" -o "$dir/$1.o"
    ar rcs "$dir/lib$1.a" "$dir/$1.o"
}

archive clean 'int twice(int x) { return 2 * x; }'
archive getenv '#include <cstdlib>
char* home() { return std::getenv("HOME"); }'
archive clock '#include <chrono>
auto now() { return std::chrono::steady_clock::now(); }'
archive fork '#include <unistd.h>
int child() { return fork(); }'
archive file '#include <fstream>
bool there() { return std::ifstream("/x").good(); }'
expect 0 "none of the world" "$here/check_symbols.sh" "$dir/libclean.a"
expect 1 "needs getenv" "$here/check_symbols.sh" "$dir/libclean.a" "$dir/libgetenv.a"
expect 1 "steady_clock3now" "$here/check_symbols.sh" "$dir/libclock.a"
expect 1 "needs fork" "$here/check_symbols.sh" "$dir/libfork.a" "$dir/libclean.a"
expect 1 "basic_ifstream" "$here/check_symbols.sh" "$dir/libfile.a"
expect 2 "missing" "$here/check_symbols.sh" "$dir/libclean.a" "$dir/libabsent.a"
: >"$dir/libempty.a"
expect 2 "no symbols" "$here/check_symbols.sh" "$dir/libempty.a"
expect 2 "no archive given" "$here/check_symbols.sh"

[ "$failed" -eq 0 ] && echo "every planted breach was found"
exit "$failed"
