#!/bin/sh
# options_and_words.sh WRAPPERS [SHELL]: where a wrapper finds the program, and that every word stays what it was.
set -eu
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
install_ mpirun.openmpi mpiexec.hydra srun TaskStarter
threads='--mca odls_base_num_threads 0'
newline='
'
callback='-p grid01:42740 -c /opt/lsf/conf -s /opt/lsf/7.0/linux2.6-glibc2.3-x86/etc -a LINUX86'

# shellcheck disable=SC2086  # $threads and $callback are words
{
  case_ 'a bare program is started plain where there is no pam'
  run openmpi_wrapper ./a.out
  exits 0
  launched mpirun.openmpi $threads ./a.out

  case_ 'Method 1: a first word that ends in TaskStarter gets no second one (pam -g 1 gmmpirun_wrapper greetings)'
  run gmmpirun_wrapper /opt/lsf/bin/TaskStarter $callback greetings
  launched mpiexec.hydra /opt/lsf/bin/TaskStarter $callback greetings

  case_ 'Method 1, even where LSF_TS_OPTIONS is set'
  run LSF_TS_OPTIONS="-p other:1" mpich_wrapper /opt/lsf/bin/TaskStarter $callback greetings
  launched mpiexec.hydra /opt/lsf/bin/TaskStarter $callback greetings

  case_ 'Method 1 with a python program and its options'
  run gmmpirun_wrapper /x/bin/TaskStarter $callback /x/mpipython.exe /x/SimpleApp.pyc --steps=1 --mode=worker
  launched mpiexec.hydra /x/bin/TaskStarter $callback /x/mpipython.exe /x/SimpleApp.pyc --steps=1 --mode=worker

  case_ 'Method 1 behind launcher options (pam -g 4 openmpi_wrapper -x A -v program)'
  run openmpi_wrapper -x A -v /x/TaskStarter $callback prog
  launched mpirun.openmpi $threads -x A -v /x/TaskStarter $callback prog

  case_ 'Method 2: LSF_TS and the words of LSF_TS_OPTIONS go before the program, as arguments'
  run LSF_TS="$BIN/TaskStarter" LSF_TS_OPTIONS="$callback" openmpi_wrapper /mnt/hello arg
  launched mpirun.openmpi $threads "$BIN/TaskStarter" $callback /mnt/hello arg

  case_ 'Method 2 behind launcher options (-x LD_LIBRARY_PATH -wdir DIR PROGRAM)'
  run LSF_TS="$BIN/TaskStarter" LSF_TS_OPTIONS="$callback" openmpi_wrapper -x LD_LIBRARY_PATH -wdir '/w d' pw.x -in pw.inp
  launched mpirun.openmpi $threads -x LD_LIBRARY_PATH -wdir '/w d' "$BIN/TaskStarter" $callback pw.x -in pw.inp

  case_ 'LSF_TS unset: TaskStarter of LSF_BINDIR'
  mkdir "$WORK/lsf bin" && cp "$BIN/TaskStarter" "$WORK/lsf bin"
  run LSF_BINDIR="$WORK/lsf bin" LSF_TS_OPTIONS='-p h:1' mpich_wrapper prog
  launched mpiexec.hydra "$WORK/lsf bin/TaskStarter" -p h:1 prog

  case_ 'neither: TaskStarter beside the wrapper'
  run LSF_BINDIR=/nowhere LSF_TS_OPTIONS='-p h:1' srun_wrapper prog
  launched srun --kill-on-bad-exit=1 "$BIN/TaskStarter" -p h:1 prog

  case_ 'a TaskStarter that is not there is refused before anything starts'
  run LSF_TS=/nowhere/TaskStarter LSF_TS_OPTIONS='-p h:1' openmpi_wrapper prog
  refuses 1 'openmpi_wrapper: TaskStarter: found no executable /nowhere/TaskStarter'

  case_ 'a wildcard in LSF_TS_OPTIONS is a character'
  run LSF_TS_OPTIONS='-p h:1 -c /*' mpich_wrapper prog
  launched mpiexec.hydra "$BIN/TaskStarter" -p h:1 -c '/*' prog

  case_ 'odd bytes: empty words, blanks, quotes, newlines, wildcards, words like options and commands, backslashes'
  # shellcheck disable=SC2016,SC1003  # nothing here is to be expanded
  set -- '' ' ' "it's" 'say "hi"' "two${newline}lines" "ends with a newline$newline" '*' '?[a-z]' -n -np --mca '$(touch x)' \
    '`touch x`' '\' '\n' "$(printf '\001\177\377')" '${1}' '"' ';' '&' -- '' : -n 1 b ''
  run mpich_wrapper -n 1 -genv 'A B' 'c d' '/a program' "$@"
  launched mpiexec.hydra -n 1 -genv 'A B' 'c d' '/a program' "$@"

  case_ 'odd bytes under Method 2, in options and arguments'
  set -- '' "x${newline}" '*'
  run LSF_TS_OPTIONS='-p h:1' openmpi_wrapper -x "A=b c$newline" -wdir '' "/a ${newline}program" "$@"
  launched mpirun.openmpi $threads -x "A=b c$newline" -wdir '' "$BIN/TaskStarter" -p h:1 "/a ${newline}program" "$@"

  case_ 'several programs get a TaskStarter each (a : b)'
  run LSF_TS_OPTIONS='-p h:1' openmpi_wrapper -np 2 ./a -n 3 : -np 1 -x V ./b
  launched mpirun.openmpi $threads -np 2 "$BIN/TaskStarter" -p h:1 ./a -n 3 : -np 1 -x V "$BIN/TaskStarter" -p h:1 ./b

  case_ 'a thousand arguments'
  set --
  while [ $# -lt 1000 ]; do set -- "$@" "word $#"; done
  run LSF_TS_OPTIONS='-p h:1' openmpi_wrapper prog "$@"
  launched mpirun.openmpi $threads "$BIN/TaskStarter" -p h:1 prog "$@"

  case_ 'the options of MPICH-GM, gone with it, are left out with their values'
  run gmmpirun_wrapper --gm-no-shmem --gm-copy-env --gm-recv hybrid --gm-kill 10 ./xmeshfem3D --gm-copy-env
  launched mpiexec.hydra ./xmeshfem3D --gm-copy-env
  quiet

  case_ 'and named with -v'
  run gmmpirun_wrapper -v --gm-no-shmem --gm-recv hybrid ./xmeshfem3D
  launched mpiexec.hydra -v ./xmeshfem3D
  says 'mpich_wrapper: left out'
  says ' --gm-no-shmem --gm-recv'

  case_ 'mpirun.ch_gm called -wdir -wd'
  run gmmpirun_wrapper -np 4 -wd '/a b' ./prog
  launched mpiexec.hydra -np 4 -wdir '/a b' ./prog

  case_ "MPICH-P4's process groups are left out"
  run mpichp4_wrapper -p4pg "$WORK/pg" -np 2 prog
  launched mpiexec.hydra -np 2 prog

  case_ 'srun: letters in one word, values behind them, values after ='
  run srun_wrapper -ln4 -N2 -K0 --mpi=none --cpu-bind quiet,cores -J 'a b' prog -n9
  launched srun --kill-on-bad-exit=1 -ln4 -N2 -K0 --mpi=none --cpu-bind quiet,cores -J 'a b' prog -n9

  case_ "Hydra's -genv NAME=VALUE is one word, NAME VALUE two"
  run LSF_TS_OPTIONS='-p h:1' mpich_wrapper -genv A=1 -env B 2 -n 2 prog
  launched mpiexec.hydra -genv A=1 -env B 2 -n 2 "$BIN/TaskStarter" -p h:1 prog

  case_ "Intel MPI's options"
  run intelmpi_wrapper -perhost 2 -genvlist A,B -rr -n 4 prog
  launched mpiexec.hydra -perhost 2 -genvlist A,B -rr -n 4 prog
}

case_ 'no program'
run openmpi_wrapper -np 2
refuses 2 'openmpi_wrapper: program: found none'

case_ 'no words at all'
run mpich_wrapper
refuses 2 'mpich_wrapper: program: found none'

case_ 'an option without its value'
run openmpi_wrapper -np
refuses 2 'openmpi_wrapper: -np: found no word after it'

case_ 'a number of tasks that is none'
run openmpi_wrapper -np two prog
refuses 2 "openmpi_wrapper: -np: found 'two', expected a number of tasks"

case_ 'zero tasks, a billion tasks, a negative number'
for number in 0 1000000000 -1 '' 1e3; do
  run mpich_wrapper -n "$number" prog
  refuses 2 "mpich_wrapper: -n: found '$number', expected a number of tasks"
done

case_ 'an option nobody knows is named'
run openmpi_wrapper --no-such-option prog
refuses 2 'openmpi_wrapper: --no-such-option: found an option unknown here'

case_ 'an option with odd bytes is named in one line'
run mpich_wrapper "--odd${newline}option" prog
refuses 2 'mpich_wrapper: --odd?option: found an option unknown here'

case_ 'programs in a file are refused: TaskStarter cannot get in'
run openmpi_wrapper --app file
refuses 2 'openmpi_wrapper: --app: found programs in a file'
run mpich_wrapper -configfile file
refuses 2 'mpich_wrapper: -configfile: found programs in a file'
run srun_wrapper --multi-prog file
refuses 2 'srun_wrapper: --multi-prog: found programs in a file'

case_ 'nothing after a colon'
run openmpi_wrapper -np 1 a :
refuses 2 "openmpi_wrapper: ':': found no program after it"

case_ "the launcher's status is the wrapper's"
run FAKE_STATUS=37 openmpi_wrapper prog
exits 37

case_ 'stdin is the launcher'"'"'s'
printf 'line\0\377' | run FAKE_READS_STDIN=1 mpich_wrapper prog
printf 'line\0\377' | cmp -s - "$RECORD/mpiexec.hydra.stdin" || failed 'stdin has changed on its way'
finish
