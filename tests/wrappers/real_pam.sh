#!/bin/sh
# real_pam.sh BIN LAUNCHER: mpirun.lsf with the pam and TaskStarter of BIN and a launcher that is installed: openmpi,
# hydra or generic. 77: it is not installed here. Every run has a watchdog.
# shellcheck disable=SC2154  # check.sh sets wrapper, type and status
set -eu
bin=$1 launcher=$2
for program in pam TaskStarter; do
  [ -x "$bin/$program" ] || { echo "found no $program in $bin, expected it built" >&2 && exit 1; }
done
set -- "$1"
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
real_launcher "$launcher"
task=$FAKES/task me=$(uname -n)
: >"$LSF_ENVDIR/lsf.conf"
HOME=$WORK # pam makes its key there
LSF_PJL_TYPE=$type
export HOME LSF_PJL_TYPE

silent_stdin

# real NAME=VALUE... PROGRAM WORD...: a program of BIN, ended after 20 s
real() {
  status=0
  PATH=$bin:$PATH timeout -k 2 20 env "$@" >"$RECORD/stdout" 2>"$RECORD/stderr" || status=$?
  [ "$status" != 124 ] || failed 'ended by the watchdog after 20 s'
}
# tasks N STATUS: the closing table has N rows, all with this status
tasks() {
  rows=$(grep -c "^[0-9]\{5\} " "$RECORD/stderr") || :
  same=$(grep -c "^[0-9]\{5\} .* $2 " "$RECORD/stderr") || :
  [ "$rows:$same" = "$1:$1" ] || failed "table: found $rows rows, $same of them $2; expected $1"
}
# hosts HOST...: the closing table has these hosts, in the order of its rows
hosts() {
  printf '%s\n' "$@" >"$RECORD/expected"
  sed -n 's/^[0-9]\{5\} \([^ ]*\) .*/\1/p' <"$RECORD/stderr" | cmp -s "$RECORD/expected" - || failed "table: expected $*"
}

case_ 'two tasks'
real mpirun.lsf -n 2 "$task"
exits 0
tasks 2 Done

case_ 'the slots of the job'
real LSB_HOSTS="$me $me $me" LSB_DJOB_NUMPROC=3 mpirun.lsf "$task"
exits 0
tasks 3 Done

case_ 'fewer tasks than slots, as the words say'
real LSB_HOSTS="$me $me $me" LSB_DJOB_NUMPROC=3 mpirun.lsf -n 2 "$task"
exits 0
tasks 2 Done

case_ "POE's way: program -n2"
real LSB_HOSTS="$me $me $me" LSB_DJOB_NUMPROC=3 mpirun.lsf "$task" -n2
exits 0
tasks 2 Done

case_ 'a script as the only task, its exit code passed on'
real LSB_HOSTS="$me $me" LSB_DJOB_NUMPROC=2 LSB_PJL_TASK_GEOMETRY='{(0)}' mpirun.lsf "$task" exit 7
exits 7
tasks 1 'Exit (7)'

case_ 'several programs'
if [ "$launcher" != generic ]; then
  real LSB_HOSTS="$me $me $me" LSB_DJOB_NUMPROC=3 mpirun.lsf -n 1 "$task" : -n 2 "$task"
  exits 0
  tasks 3 Done
fi

case_ 'pam job: the default wrapper'
real pam "$task"
exits 0
tasks "$(grep -c . "$RECORD/stdout")" Done

case_ 'pam -g 1 WRAPPER job: Method 1, TaskStarter is there already'
real LSB_HOSTS="$me $me" LSB_DJOB_NUMPROC=2 pam -g 1 "$wrapper" "$task"
exits 0
tasks 2 Done

case_ 'a program that cannot be started'
real LSB_HOSTS="$me" mpirun.lsf /no/such/program
exits 127

case_ 'a mistake in the words: the line is mpirun.lsf'"'"'s, nothing starts'
real mpirun.lsf --no-such-option prog
[ "$launcher" = generic ] || refuses 2 'mpirun.lsf: --no-such-option: found an option unknown here'

if ! unshare --uts true 2>/dev/null; then
  echo 'without privilege to make host names (unshare --uts) the cases of several hosts were left out'
  finish
  exit 0
fi
a=w$$a b=w$$b c=w$$c d=w$$d

case_ 'geometry: the table has each task on the host of its group'
real LSB_HOSTS="$a $a $b $c $d" LSB_DJOB_NUMPROC=5 LSB_PJL_TASK_GEOMETRY='{(2,5,7)(0,6)(1,3)(4)}' mpirun.lsf "$task"
exits 0
tasks 8 Done
[ "$launcher" = generic ] || hosts $b $c $a $c $d $a $b $a

case_ 'one task on each host'
real LSB_HOSTS="$a $a $b" LSB_DJOB_NUMPROC=3 LSF_PAM_HOSTLIST_USE=unique mpirun.lsf "$task"
exits 0
tasks 2 Done

case_ "Open MPI's tasks for each host: pam waits for as many as there are"
if [ "$launcher" = openmpi ]; then
  real LSB_HOSTS="$a $a $b $b" LSB_DJOB_NUMPROC=4 mpirun.lsf -npernode 1 "$task"
  exits 0
  tasks 2 Done
fi

case_ 'the key under another name is found on the other hosts'
real LSB_HOSTS="$a $b" LSB_DJOB_NUMPROC=2 ROLLCALL_KEY_FILE="$WORK/another key" mpirun.lsf "$task"
exits 0
tasks 2 Done
[ -s "$WORK/another key" ] || failed "found no key $WORK/another key, expected pam to make it"
finish
