#!/bin/sh
# hosts_and_geometry.sh WRAPPERS [SHELL]: the host list each launcher is given, and task geometry.
set -eu
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
install_ mpirun.openmpi mpiexec.hydra srun TaskStarter
threads='--mca odls_base_num_threads 0'
printf 'n1\nn1\n\nn2 \n# the end\n' >"$WORK/host file"

# shellcheck disable=SC2086  # $threads is words
{
  case_ 'LSB_HOSTS: a word for each slot'
  run LSB_HOSTS='grid01 grid01 grid05 grid03' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host grid01:2,grid05:1,grid03:1 -np 4 prog
  run LSB_HOSTS='grid01 grid01 grid05 grid03' mpich_wrapper prog
  launched mpiexec.hydra -hosts grid01:2,grid05:1,grid03:1 -np 4 prog
  run LSB_HOSTS='grid01 grid01 grid05 grid03' srun_wrapper prog
  launched srun --kill-on-bad-exit=1 --nodelist=grid01,grid05,grid03 --ntasks=4 prog

  case_ 'LSB_MCPU_HOSTS: host and slots; LSB_HOSTS, in another order, goes before it'
  run LSB_MCPU_HOSTS='grid03 1 grid05 1 grid01 2' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host grid03:1,grid05:1,grid01:2 -np 4 prog
  run LSB_HOSTS='grid01 grid01 grid05 grid03' LSB_MCPU_HOSTS='grid03 1 grid05 1 grid01 2' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host grid01:2,grid05:1,grid03:1 -np 4 prog

  case_ 'LSB_DJOB_HOSTFILE goes before both; blank lines, comments and blanks in it mean nothing'
  run LSB_DJOB_HOSTFILE="$WORK/host file" LSB_HOSTS='x x' LSB_MCPU_HOSTS='y 3' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host n1:2,n2:1 -np 3 prog

  case_ 'a host file that cannot be read or is empty gives way to the others'
  : >"$WORK/empty"
  for file in "$WORK/none" "$WORK/empty"; do
    run LSB_DJOB_HOSTFILE="$file" LSB_HOSTS='x x' mpich_wrapper prog
    launched mpiexec.hydra -hosts x:2 -np 2 prog
  done

  case_ 'the same host in two places is one host'
  run LSB_HOSTS='a b a' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host a:2,b:1 -np 3 prog

  case_ "the user's -np is kept and no second one given"
  run LSB_HOSTS='a a b' openmpi_wrapper -np 2 prog
  launched mpirun.openmpi $threads --host a:2,b:1 -np 2 prog
  run LSB_HOSTS='a a b' mpich_wrapper -n 2 prog
  launched mpiexec.hydra -hosts a:2,b:1 -n 2 prog
  run LSB_HOSTS='a a b' srun_wrapper --ntasks=2 prog
  launched srun --kill-on-bad-exit=1 --nodelist=a,b --ntasks=2 prog

  case_ "the user's hosts are kept and no others given"
  for option in -host --host -H -hostfile --hostfile -machinefile; do
    run LSB_HOSTS='a a b' openmpi_wrapper $option c,d prog
    launched mpirun.openmpi $threads $option c,d prog
  done
  run LSB_HOSTS='a a b' mpich_wrapper -f file prog
  launched mpiexec.hydra -f file prog
  run LSB_HOSTS='a a b' srun_wrapper -wc prog
  launched srun --kill-on-bad-exit=1 -wc prog

  case_ 'tasks counted for each host: no number of tasks is given'
  for words in '-npernode 1' '-N 1' '--pernode' '--map-by ppr:1:node' '-npersocket 1'; do
    run LSB_HOSTS='a a b' openmpi_wrapper $words prog
    launched mpirun.openmpi $threads --host a:2,b:1 $words prog
  done

  case_ 'LSF_PAM_HOSTLIST_USE=unique: one task on each host'
  run LSF_PAM_HOSTLIST_USE=unique LSB_HOSTS='a a b' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host a:1,b:1 -np 2 prog
  run LSF_PAM_HOSTLIST_USE=unique LSB_MCPU_HOSTS='a 2 b 1' mpich_wrapper prog
  launched mpiexec.hydra -hosts a:1,b:1 -np 2 prog

  case_ 'LSF_PAM_HOSTLIST_USE of lsf.conf counts as well, and the environment before it'
  printf '# LSF_PAM_HOSTLIST_USE=no\n LSF_PAM_HOSTLIST_USE = "unique" \n' >"$LSF_ENVDIR/lsf.conf"
  run LSB_HOSTS='a a b' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host a:1,b:1 -np 2 prog
  run LSF_PAM_HOSTLIST_USE=all LSB_HOSTS='a a b' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host a:2,b:1 -np 3 prog
  printf "LSF_PAM_HOSTLIST_USE='unique' # for the hybrid codes\n" >"$LSF_ENVDIR/lsf.conf"
  run LSB_HOSTS='a a b' openmpi_wrapper prog
  launched mpirun.openmpi $threads --host a:1,b:1 -np 2 prog
  mkdir -p "$WORK/conf" && mv "$LSF_ENVDIR/lsf.conf" "$WORK/conf/lsf.conf"
  run LSF_ENVDIR= LSB_HOSTS='a a b' openmpi_wrapper prog # conf beside bin
  launched mpirun.openmpi $threads --host a:1,b:1 -np 2 prog
  rm "$WORK/conf/lsf.conf"

  case_ 'geometry: each task on the host of its group'
  geometry='{(2,5,7)(0,6)(1,3)(4)}'
  run LSB_HOSTS='a b c d' LSB_PJL_TASK_GEOMETRY=$geometry openmpi_wrapper prog
  launched mpirun.openmpi $threads --map-by seq --host b,c,a,c,d,a,b,a -np 8 prog
  run LSB_HOSTS='a b c d' LSB_PJL_TASK_GEOMETRY=$geometry mpich_wrapper prog
  launched mpiexec.hydra -hosts b,c,a,c,d,a,b,a -np 8 prog

  case_ 'geometry of one task'
  run LSB_HOSTS='a b c d' LSB_PJL_TASK_GEOMETRY='{(0)}' openmpi_wrapper prog
  launched mpirun.openmpi $threads --map-by seq --host a -np 1 prog
  run LSB_HOSTS='a b c d' LSB_PJL_TASK_GEOMETRY='{(0)}' srun_wrapper prog
  launched srun --kill-on-bad-exit=1 --nodelist=a --ntasks=1 prog

  case_ 'geometry with backslashes and blanks, as scripts write it'
  for geometry in '\{\(0\,1\)\(2\,3\)\}' '{ (0, 1) (2,3) }' '{(0,1)(2,3)}'; do
    run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY="$geometry" mpich_wrapper prog
    launched mpiexec.hydra -hosts a,a,b,b -np 4 prog
  done

  case_ 'geometry in descending order, fewer groups than hosts'
  run LSB_HOSTS='a b c d' LSB_PJL_TASK_GEOMETRY='{(5)(4,3)(2,1,0)}' mpich_wrapper prog
  launched mpiexec.hydra -hosts c,c,c,b,b,a -np 6 prog

  case_ 'one group and no host list: so many tasks here'
  run LSB_PJL_TASK_GEOMETRY='{(1,0)}' mpich_wrapper prog
  launched mpiexec.hydra -np 2 prog

  case_ 'geometry and the same number of tasks'
  run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' mpich_wrapper -n 2 prog
  launched mpiexec.hydra -hosts a,b -n 2 prog
}

case_ 'geometries that are none are refused'
for geometry in '{(1)(2)}' '{(0)(0)}' '{(0,1' '(0,1)' '{}' '{()}' '{(0,)}' '{(0 1)}' '{(a)}' '{(-1)}' '0' '{(0)}x' '{(0)(2)}' '*'; do
  for wrapper in openmpi_wrapper mpich_wrapper srun_wrapper; do
    run LSB_HOSTS='a b c' LSB_PJL_TASK_GEOMETRY="$geometry" $wrapper prog
    refuses 1 "$wrapper: LSB_PJL_TASK_GEOMETRY: found $geometry, expected"
  done
done

case_ 'more groups than hosts'
run LSB_HOSTS='a a a' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' openmpi_wrapper prog
refuses 1 'expected at most 1 groups, one for each host'
run LSB_PJL_TASK_GEOMETRY='{(0)(1)}' openmpi_wrapper prog
refuses 1 'expected at most 1 groups, one for each host'

case_ 'geometry and words that say otherwise'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' openmpi_wrapper -np 3 prog
refuses 2 '-np: found 3, expected 2, the tasks of LSB_PJL_TASK_GEOMETRY'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' openmpi_wrapper -host c prog
refuses 2 '-host: found with LSB_PJL_TASK_GEOMETRY'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' openmpi_wrapper -np 1 prog : -np 1 prog
refuses 2 'LSB_PJL_TASK_GEOMETRY: found several programs'
run LSB_HOSTS='a b' LSB_PJL_TASK_GEOMETRY='{(0)(1)}' srun_wrapper prog
refuses 1 'LSB_PJL_TASK_GEOMETRY: found several groups'

case_ 'host lists that are none are refused, with the name of the variable'
run LSB_HOSTS='a b;c' openmpi_wrapper prog
refuses 1 'openmpi_wrapper: LSB_HOSTS: found'
run LSB_HOSTS='a -b' openmpi_wrapper prog
refuses 1 'openmpi_wrapper: LSB_HOSTS: found'
run LSB_HOSTS='*' openmpi_wrapper prog
refuses 1 'openmpi_wrapper: LSB_HOSTS: found'
for list in 'a 1 b' 'a 0' 'a -1' '1 a b' 'a,b 1'; do
  run LSB_MCPU_HOSTS="$list" mpich_wrapper prog
  refuses 1 'mpich_wrapper: LSB_MCPU_HOSTS: found'
done
run LSB_DJOB_HOSTFILE="$WORK/none" openmpi_wrapper prog
refuses 1 "openmpi_wrapper: LSB_DJOB_HOSTFILE: cannot read $WORK/none"
finish
