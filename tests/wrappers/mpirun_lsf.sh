#!/bin/sh
# mpirun_lsf.sh WRAPPERS [SHELL]: mpirun.lsf becomes `pam -g WRAPPER ...`, with the job's variables fitted.
set -eu
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
install_ mpirun.openmpi mpiexec.hydra srun TaskStarter pam
openmpi=$BIN/openmpi_wrapper

case_ 'the wrapper of LSF_PJL_TYPE, by its full path'
run LSF_PJL_TYPE=openmpi mpirun.lsf /mnt/ewd/mpi/hello/hello
launched pam -g "$openmpi" /mnt/ewd/mpi/hello/hello
environment pam LSF_PJL_TYPE=openmpi
quiet

case_ 'each type has its wrapper'
for pair in openmpi:openmpi mpich:mpich mpich2:mpich2 mpich_gm:gmmpirun gmmpirun:gmmpirun mpichp4:mpichp4 \
  mvapich:mvapich intelmpi:intelmpi slurm:srun srun:srun generic:generic_pjl; do
  run LSF_PJL_TYPE="${pair%:*}" mpirun.lsf prog
  launched pam -g "$BIN/${pair#*:}_wrapper" prog
  environment pam "LSF_PJL_TYPE=${pair%:*}"
done

case_ 'types that are not supported are refused by name'
for type in poe lammpi pvm hpmpi ibmmpi sgimpi mpich_mx; do
  run LSF_PJL_TYPE=$type mpirun.lsf prog
  refuses 1 "mpirun.lsf: PJL type: found $type, which is not supported; expected one of openmpi mpich"
done

case_ 'a type nobody knows'
run LSF_PJL_TYPE='no such
type' mpirun.lsf prog
refuses 1 'mpirun.lsf: PJL type: found no such?type, which nobody knows'

case_ 'LSB_DEFAULT_PJLTYPE: the first that is installed, from the environment or lsf.conf'
run LSB_DEFAULT_PJLTYPE='lammpi intelmpi mpich2 openmpi' mpirun.lsf prog
launched pam -g "$BIN/mpich2_wrapper" prog
environment pam LSF_PJL_TYPE=mpich2
echo 'LSB_DEFAULT_PJLTYPE="hpmpi srun openmpi"' >"$LSF_ENVDIR/lsf.conf"
run mpirun.lsf prog
launched pam -g "$BIN/srun_wrapper" prog
run LSF_PJL_TYPE=auto mpirun.lsf prog
launched pam -g "$BIN/srun_wrapper" prog
rm "$LSF_ENVDIR/lsf.conf" "$RECORD"/*
run LSB_DEFAULT_PJLTYPE='poe pvm' mpirun.lsf prog
refuses 1 'mpirun.lsf: launcher: found none of poe pvm, expected one'

case_ 'else what is installed'
run mpirun.lsf prog
launched pam -g "$openmpi" prog
remove_ mpirun.openmpi
run mpirun.lsf prog
launched pam -g "$BIN/mpich2_wrapper" prog
remove_ mpiexec.hydra
run mpirun.lsf prog
launched pam -g "$BIN/srun_wrapper" prog
remove_ srun
rm "$RECORD"/*
run mpirun.lsf prog
refuses 1 'mpirun.lsf: launcher: found none of mpirun.openmpi, mpiexec.hydra, mpirun, srun in PATH'
run LSF_PJL_TYPE=mpich_gm mpirun.lsf prog
refuses 1 'mpirun.lsf: launcher: found none of mpiexec.hydra, mpirun.openmpi, srun in PATH'
install_ mpirun.openmpi mpiexec.hydra srun

case_ 'the default wrapper (pam job) chooses the same way'
run LSF_PJL_TYPE=mpich default_pjl_wrapper -n 2 prog
launched mpiexec.hydra -n 2 prog
run LSB_DEFAULT_PJLTYPE='poe slurm' default_pjl_wrapper prog
launched srun --kill-on-bad-exit=1 prog
run default_pjl_wrapper prog 'a b'
launched mpirun.openmpi --mca odls_base_num_threads 0 prog 'a b'

case_ 'options of old launchers before the program (--gm-no-shmem --gm-copy-env ./xmeshfem3D)'
run LSF_PJL_TYPE=mpich_gm mpirun.lsf --gm-no-shmem --gm-copy-env ./xmeshfem3D
launched pam -g "$BIN/gmmpirun_wrapper" --gm-no-shmem --gm-copy-env ./xmeshfem3D

case_ '-np 2 program < file: the words stay, stdin passes'
printf 'namelist\n' | run FAKE_READS_STDIN=1 LSF_PJL_TYPE=openmpi LSB_HOSTS='a a b b' mpirun.lsf -np 2 ./cam
launched pam -g "$openmpi" -np 2 ./cam
[ "$(cat "$RECORD/pam.stdin")" = namelist ] || failed 'stdin did not pass'

case_ 'every word stays, byte for byte'
newline='
'
# shellcheck disable=SC2016,SC1003  # nothing here is to be expanded
set -- '' 'a b' "$newline" '*' '"' "'" '$(id)' '\' -g -n
run LSF_PJL_TYPE=mpich mpirun.lsf -genv A '' "/a ${newline}program" "$@"
launched pam -g "$BIN/mpich_wrapper" -genv A '' "/a ${newline}program" "$@"

case_ "pam's status is mpirun.lsf's"
run FAKE_STATUS=134 mpirun.lsf prog
exits 134

case_ "POE's way: program -n4 asks for 4 tasks, and the program has the word as well"
run mpirun.lsf prog -n4
launched pam -g "$openmpi" -n 4 prog -n4
run LSB_HOSTS='a a b b c c' mpirun.lsf prog x -n4
launched pam -g "$openmpi" -n 4 prog x -n4

case_ "but not where it may be the program's own"
run LSB_HOSTS='a a' mpirun.lsf prog -n4
launched pam -g "$openmpi" prog -n4
run mpirun.lsf -np 2 prog -n4
launched pam -g "$openmpi" -np 2 prog -n4
run mpirun.lsf prog -n4 file
launched pam -g "$openmpi" prog -n4 file
run mpirun.lsf prog -n 4
launched pam -g "$openmpi" prog -n 4
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)}' mpirun.lsf prog -n2
launched pam -g "$openmpi" prog -n2
run LSF_PJL_TYPE=mpich mpirun.lsf -n 1 a : -n 1 prog -n2
launched pam -g "$BIN/mpich_wrapper" -n 1 a : -n 1 prog -n2

case_ 'tasks counted for each host: pam is told how many these are'
run LSB_HOSTS='a a b b c' mpirun.lsf -npernode 2 prog
launched pam -n 6 -g "$openmpi" -npernode 2 prog
run LSB_HOSTS='a a b b c' mpirun.lsf -pernode prog
launched pam -n 3 -g "$openmpi" -pernode prog
run LSB_HOSTS='a a b b c' mpirun.lsf -np 2 -npernode 1 prog
launched pam -g "$openmpi" -np 2 -npernode 1 prog

case_ 'geometry: the variables of the job are made to fit'
run LSB_HOSTS='h4 h1 h1 h3 h2' LSB_MCPU_HOSTS='h2 1 h1 2 h3 1 h4 1' LSB_DJOB_NUMPROC=5 \
  LSB_PJL_TASK_GEOMETRY='{(2,5,7)(0,6)(1,3)(4)}' mpirun.lsf hybrid_launch prog
launched pam -g "$openmpi" hybrid_launch prog
environment pam 'LSB_HOSTS=h4 h4 h4 h1 h1 h3 h3 h2' 'LSB_MCPU_HOSTS=h4 3 h1 2 h3 2 h2 1' LSB_DJOB_NUMPROC=8 \
  'LSB_PJL_TASK_GEOMETRY={(2,5,7)(0,6)(1,3)(4)}'

case_ 'and what was made to fit fits again'
run LSB_HOSTS='h4 h4 h4 h1 h1 h3 h3 h2' LSB_PJL_TASK_GEOMETRY='{(2,5,7)(0,6)(1,3)(4)}' mpich_wrapper prog
launched mpiexec.hydra -hosts h1,h3,h4,h3,h2,h4,h1,h4 -np 8 prog

case_ 'geometry with backslashes, which env passes on'
run LSB_HOSTS='h1 h2' LSB_PJL_TASK_GEOMETRY='\{\(0\,1\)\(2\,3\)\}' OMP_NUM_THREADS=2 mpirun.lsf hybrid_launch prog
environment pam 'LSB_HOSTS=h1 h1 h2 h2' 'LSB_MCPU_HOSTS=h1 2 h2 2' LSB_DJOB_NUMPROC=4 OMP_NUM_THREADS=2

case_ 'a wrong geometry is refused, with one line'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(1)(2)}' mpirun.lsf prog
refuses 1 'mpirun.lsf: LSB_PJL_TASK_GEOMETRY: found {(1)(2)}, expected the tasks 0 to 1, 0 is not there'
run LSB_HOSTS='a a' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' mpirun.lsf prog
refuses 1 'expected at most 1 groups, one for each host'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' mpirun.lsf -np 3 prog
refuses 2 'mpirun.lsf: -np: found 3, expected 2'

case_ 'no program and no file of commands'
run mpirun.lsf
refuses 2 'mpirun.lsf: program: found none and no MP_CMDFILE'
run mpirun.lsf -np 2
refuses 2 'mpirun.lsf: program: found none and no MP_CMDFILE'

case_ 'no program: MP_CMDFILE names a command for each task'
printf './a.sh 1\n\n# not this\n  ./b.sh 2 2>&1\n./c.sh\n' >"$WORK/cmd file"
run MP_PGMMODEL=mpmd MP_CMDFILE="$WORK/cmd file" LSF_PJL_TYPE=openmpi mpirun.lsf
launched pam -g "$openmpi" -n 3 "$BIN/cmdfile_task" "$WORK/cmd file"
run MP_CMDFILE="$WORK/cmd file" mpirun.lsf -np 3 -x A
launched pam -g "$openmpi" -np 3 -x A "$BIN/cmdfile_task" "$WORK/cmd file"
rm "$RECORD"/*
run MP_CMDFILE="$WORK/cmd file" mpirun.lsf -np 2
refuses 1 'mpirun.lsf: MP_CMDFILE: found 3 commands, expected 2'
run MP_CMDFILE="$WORK/none" mpirun.lsf
refuses 1 "mpirun.lsf: MP_CMDFILE: cannot read $WORK/none"

case_ 'each task takes its line'
# shellcheck disable=SC2016  # for the shell of cmdfile_task
printf 'echo one $0\n\n# not this\n  echo "two  blanks" 2>&1\nexit 7\n' >"$WORK/cmd file"
run PMI_RANK=1 cmdfile_task "$WORK/cmd file"
[ "$(cat "$RECORD/stdout")" = 'two  blanks' ] || failed "found $(cat "$RECORD/stdout")"
run OMPI_COMM_WORLD_RANK=2 cmdfile_task "$WORK/cmd file"
exits 7
run PMI_RANK=3 cmdfile_task "$WORK/cmd file"
refuses 1 'found no line for task 3'
run cmdfile_task "$WORK/cmd file"
refuses 1 "rank: found ''"

case_ 'mistakes of the user are said before pam is started'
run mpirun.lsf --no-such-option prog
refuses 2 'mpirun.lsf: --no-such-option: found an option unknown here of openmpi'
run LSB_MCPU_HOSTS='a b' mpirun.lsf prog
refuses 1 'mpirun.lsf: LSB_MCPU_HOSTS: found'

case_ 'pam: beside it, else in LSF_BINDIR, else in PATH'
mkdir "$WORK/lsf" "$WORK/path"
mv "$BIN/pam" "$WORK/lsf/pam"
cp "$WORK/lsf/pam" "$TOOLS/pam"
run LSF_BINDIR="$WORK/lsf" mpirun.lsf prog
[ "$(cat "$RECORD/pam.called")" = "$WORK/lsf/pam" ] || failed "found $(cat "$RECORD/pam.called")"
run LSF_BINDIR=/nowhere mpirun.lsf prog
[ "$(cat "$RECORD/pam.called")" = "$TOOLS/pam" ] || failed "found $(cat "$RECORD/pam.called")"
rm "$TOOLS/pam" "$RECORD"/*
run mpirun.lsf prog
refuses 1 'mpirun.lsf: pam: found none beside mpirun.lsf, in LSF_BINDIR or in PATH'

case_ 'from mpirun.lsf to the launcher: pam sets LSF_TS_OPTIONS, the wrapper places it'
cp "$FAKES/becomes" "$BIN/pam"
callback='-p grid01:42740 -c /opt/lsf/conf -s /opt/lsf/7.0/linux2.6-glibc2.3-x86/etc -a LINUX86'
run LSF_PJL_TYPE=openmpi LSB_HOSTS='a a b c d' LSB_PJL_TASK_GEOMETRY='{(0)}' mpirun.lsf /x/lsfexit.sh 3
# shellcheck disable=SC2086  # words
launched mpirun.openmpi --mca odls_base_num_threads 0 --map-by seq --host a -np 1 \
  "$BIN/TaskStarter" $callback /x/lsfexit.sh 3
environment mpirun.openmpi LSF_PJL_TYPE=openmpi "LSF_TS_OPTIONS=$callback"
finish
