#!/bin/sh
# real_launchers.sh WRAPPERS LAUNCHER: the same with a launcher that is installed: openmpi, hydra or generic.
# 77: it is not installed here. Every run has a watchdog.
# shellcheck disable=SC2154  # check.sh sets wrapper, type and status
set -eu
launcher=$2
set -- "$1"
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
real_launcher "$launcher"
cp "$FAKES/becomes" "$BIN/pam"
cp "$FAKES/passes" "$BIN/TaskStarter"
task=$FAKES/task me=$(uname -n)
silent_stdin
id=0
[ "$launcher" != generic ] || id=1 # LSF_PM_TASKID begins at 1

# real [NAME=VALUE...] PROGRAM WORD...: as run, with the real PATH, ended after 20 s (Open MPI 4.1.4 is known to hang)
watched() { timeout -k 2 20 env "$@"; }
real() {
  run_by watched "$@"
  [ "$status" != 124 ] || failed 'ended by the watchdog after 20 s'
}
# prints LINE...: the tasks printed these lines, in any order
prints() {
  exits 0
  printf '%s\n' "$@" | sort >"$RECORD/expected"
  sort "$RECORD/stdout" | cmp -s "$RECORD/expected" - ||
    failed 'lines of the tasks, found:' "$(sort "$RECORD/stdout")" 'expected:' "$(cat "$RECORD/expected")"
}

case_ 'two tasks here, plain'
real "$wrapper" -n 2 "$task"
prints "$id $me" "$((id + 1)) $me"

case_ 'as many tasks as slots, without complaint, however few cores there are'
real LSB_HOSTS="$me $me $me $me $me" "$wrapper" "$task"
prints "$id $me" "$((id + 1)) $me" "$((id + 2)) $me" "$((id + 3)) $me" "$((id + 4)) $me"

case_ 'mpirun.lsf, with a TaskStarter for each task'
real LSF_PJL_TYPE="$type" LSB_MCPU_HOSTS="$me 3" mpirun.lsf "$task"
prints "$id $me" "$((id + 1)) $me" "$((id + 2)) $me"
[ "$(grep -c '^-p grid01:42740 -c /opt/lsf/conf -s ' "$RECORD/starters")" = 3 ] || failed 'expected 3 TaskStarters'

case_ 'a script as the only task: its exit code is the one of mpirun.lsf'
real LSF_PJL_TYPE="$type" LSB_HOSTS="$me $me" LSB_PJL_TASK_GEOMETRY='{(0)}' mpirun.lsf "$task" exit 7
exits 7

case_ 'stdin reaches the first task'
printf 'name\nlist\n' >"$WORK/namelist"
real LSF_PJL_TYPE="$type" LSB_HOSTS="$me $me" mpirun.lsf -n 2 "$task" first_reads <"$WORK/namelist"
prints name list

case_ 'arguments reach the task byte for byte'
newline='
'
# shellcheck disable=SC2016,SC1003  # nothing here is to be expanded
set -- 'a b' '' '*' "it's" '"' '$(id)' '\' "x$newline" "$newline" -n --
real LSF_PJL_TYPE="$type" mpirun.lsf -n 1 "$task" words "$@"
exits 0
printf '%s\0' "$@" | cmp -s - "$RECORD/stdout" || failed "found: $(show "$RECORD/stdout")"

case_ 'MP_CMDFILE: a command for each task'
printf 'echo first\necho second\necho "the  third"\n' >"$WORK/commands"
if [ "$launcher" != generic ]; then
  real LSF_PJL_TYPE="$type" MP_CMDFILE="$WORK/commands" LSB_HOSTS="$me $me $me" mpirun.lsf
  prints first second 'the  third'
fi

if ! unshare --uts true 2>/dev/null; then
  echo 'without privilege to make host names (unshare --uts) the cases of several hosts were left out'
  finish
  exit 0
fi
hosts="wh$$a wh$$a wh$$b wh$$c wh$$d"

case_ 'slots of several hosts, in order'
real LSB_HOSTS="$hosts" "$wrapper" "$task"
prints "$id wh$$a" "$((id + 1)) wh$$a" "$((id + 2)) wh$$b" "$((id + 3)) wh$$c" "$((id + 4)) wh$$d"

case_ 'one task on each host'
real LSF_PAM_HOSTLIST_USE=unique LSB_HOSTS="$hosts" "$wrapper" "$task"
prints "$id wh$$a" "$((id + 1)) wh$$b" "$((id + 2)) wh$$c" "$((id + 3)) wh$$d"

case_ 'geometry: each task on the host of its group, more of them than slots'
real LSF_PJL_TYPE="$type" LSB_HOSTS="$hosts" LSB_PJL_TASK_GEOMETRY='{(2,5,7)(0,6)(1,3)(4)}' mpirun.lsf "$task"
prints "$id wh$$b" "$((id + 1)) wh$$c" "$((id + 2)) wh$$a" "$((id + 3)) wh$$c" "$((id + 4)) wh$$d" \
  "$((id + 5)) wh$$a" "$((id + 6)) wh$$b" "$((id + 7)) wh$$a"

case_ 'geometry on this host and another'
real LSF_PJL_TYPE="$type" LSB_HOSTS="$me wh$$b" LSB_PJL_TASK_GEOMETRY='{(1,2)(0)}' mpirun.lsf "$task"
prints "$id wh$$b" "$((id + 1)) $me" "$((id + 2)) $me"

case_ "among LSF's variables, and without blaunch"
real LSF_BINDIR="$BIN" LSF_PJL_TYPE="$type" LSB_MCPU_HOSTS="wh$$a 1 wh$$b 1" mpirun.lsf "$task"
prints "$id wh$$a" "$((id + 1)) wh$$b"
finish
