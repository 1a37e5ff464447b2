#!/bin/sh
# launchers.sh WRAPPERS [SHELL]: which launcher is found, and what each is told beside hosts and program.
set -eu
# shellcheck source=/dev/null
. "$(dirname -- "$0")/check.sh"
install_ mpirun.openmpi mpiexec.hydra srun TaskStarter

case_ 'Open MPI 4 is told to start its tasks without helper threads, 5 is not'
run FAKE_VERSION=4.0.3 openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
run FAKE_VERSION=5.0.4 openmpi_wrapper prog
launched mpirun.openmpi prog
run FAKE_VERSION=3.1.4 openmpi_wrapper prog
launched mpirun.openmpi prog

case_ "the user's own choice stands: Open MPI refuses to be told twice"
run openmpi_wrapper --mca odls_base_num_threads 2 prog
launched mpirun.openmpi --mca odls_base_num_threads 2 prog
run OMPI_MCA_odls_base_num_threads=2 openmpi_wrapper prog
launched mpirun.openmpi prog

case_ "the name of the key's file reaches Open MPI's other hosts"
run ROLLCALL_KEY_FILE=/k openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 -x ROLLCALL_KEY_FILE prog
run ROLLCALL_KEY_FILE=/k openmpi_wrapper -x ROLLCALL_KEY_FILE prog
launched mpirun.openmpi --mca odls_base_num_threads 0 -x ROLLCALL_KEY_FILE prog
run ROLLCALL_KEY_FILE=/k openmpi_wrapper --mca odls_base_num_threads 2 prog
launched mpirun.openmpi -x ROLLCALL_KEY_FILE --mca odls_base_num_threads 2 prog

case_ 'but not beside a list of variables, which excludes -x'
run ROLLCALL_KEY_FILE=/k OMPI_MCA_mca_base_env_list=A openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
run ROLLCALL_KEY_FILE=/k openmpi_wrapper --mca mca_base_env_list 'A;B' prog
launched mpirun.openmpi --mca odls_base_num_threads 0 --mca mca_base_env_list 'A;B' prog

case_ "among LSF's variables Hydra is told to use ssh where there is no blaunch"
run LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR=/nowhere mpich_wrapper prog
launched mpiexec.hydra -launcher ssh -hosts a:1,b:1 -np 2 prog
run LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR=/nowhere HYDRA_LAUNCHER=rsh mpich_wrapper prog
launched mpiexec.hydra -hosts a:1,b:1 -np 2 prog
run LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR=/nowhere mpich_wrapper -launcher manual prog
launched mpiexec.hydra -hosts a:1,b:1 -np 2 -launcher manual prog
mkdir "$WORK/lsf" && cp "$FAKES/launcher" "$WORK/lsf/blaunch"
run LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR="$WORK/lsf" mpich_wrapper prog
launched mpiexec.hydra -hosts a:1,b:1 -np 2 prog

case_ 'in a job blaunch starts what must run on the other hosts, where it is beside the wrapper or in LSF_BINDIR'
run LSB_JOBID=7 LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR="$WORK/lsf" mpich_wrapper prog
launched mpiexec.hydra -launcher lsf -hosts a:1,b:1 -np 2 prog
run LSB_JOBID=7 LSB_HOSTS='a b' LSF_BINDIR="$WORK/lsf" openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 --host a:1,b:1 -np 2 --mca plm_rsh_agent "$WORK/lsf/blaunch" prog
mkdir "$WORK/l s f" && cp "$FAKES/launcher" "$WORK/l s f/blaunch"
run LSB_JOBID=7 LSF_BINDIR="$WORK/l s f" openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 --mca plm_rsh_agent "$WORK/l s f/blaunch" prog
cp "$FAKES/launcher" "$BIN/blaunch"
run LSB_JOBID=7 mpich_wrapper prog
launched mpiexec.hydra -launcher lsf prog
run LSB_JOBID=7 openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 --mca plm_rsh_agent "$BIN/blaunch" prog

case_ "the user's own choice of it stands; outside of a job, or without blaunch, all is as before"
run LSB_JOBID=7 HYDRA_LAUNCHER=ssh mpich_wrapper prog
launched mpiexec.hydra prog
run LSB_JOBID=7 mpich_wrapper -launcher fork prog
launched mpiexec.hydra -launcher fork prog
run LSB_JOBID=7 OMPI_MCA_plm_rsh_agent=ssh openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
run LSB_JOBID=7 openmpi_wrapper --mca plm_rsh_agent ssh prog
launched mpirun.openmpi --mca odls_base_num_threads 0 --mca plm_rsh_agent ssh prog
run openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
run mpich_wrapper prog
launched mpiexec.hydra prog
rm "$BIN/blaunch"
run LSB_JOBID=7 LSB_MCPU_HOSTS='a 1 b 1' LSF_BINDIR=/nowhere mpich_wrapper prog
launched mpiexec.hydra -launcher ssh -hosts a:1,b:1 -np 2 prog
run LSB_JOBID=7 LSF_BINDIR=/nowhere openmpi_wrapper prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog

case_ "srun ends a job whose task was killed; the user's -K goes after it and wins"
run srun_wrapper -K0 prog
launched srun --kill-on-bad-exit=1 -K0 prog

case_ 'mpich2_wrapper is mpich_wrapper'
run LSB_HOSTS='a a' mpich2_wrapper -v prog
launched mpiexec.hydra -hosts a:2 -np 2 -v prog

case_ 'old names: Hydra, else Open MPI, else srun'
for wrapper in gmmpirun_wrapper mpichp4_wrapper mvapich_wrapper; do
  install_ mpirun.openmpi mpiexec.hydra srun
  rm -f "$RECORD"/*
  run $wrapper prog
  launched mpiexec.hydra prog
  remove_ mpiexec.hydra
  run $wrapper prog
  launched mpirun.openmpi --mca odls_base_num_threads 0 prog
  remove_ mpirun.openmpi
  run $wrapper prog
  launched srun --kill-on-bad-exit=1 prog
  remove_ srun
  rm -f "$RECORD"/*
  run $wrapper prog
  refuses 1 "$wrapper: launcher: found none of mpiexec.hydra, mpirun.openmpi, srun in PATH"
done

case_ 'a plain mpirun is whose it says it is'
install_ mpirun
run FAKE_SAYS=openmpi openmpi_wrapper prog
launched mpirun --mca odls_base_num_threads 0 prog
run FAKE_SAYS=hydra mpich_wrapper prog
launched mpirun prog
run FAKE_SAYS=intel intelmpi_wrapper prog
launched mpirun prog
rm -f "$RECORD"/*
run FAKE_SAYS=hydra openmpi_wrapper prog
refuses 1 'openmpi_wrapper: Open MPI: found neither mpirun.openmpi nor an mpirun that is one'
not_launched mpirun
run FAKE_SAYS=somebody mpich_wrapper prog
refuses 1 'mpich_wrapper: MPICH: found neither'
not_launched mpirun

case_ 'stdin is not read to find the version'
printf 'all of it' | run FAKE_SAYS=openmpi FAKE_READS_STDIN=1 openmpi_wrapper prog
[ "$(cat "$RECORD/mpirun.stdin")" = 'all of it' ] || failed 'stdin was read'
remove_ mpirun

case_ 'nothing installed'
run srun_wrapper prog
refuses 1 'srun_wrapper: Slurm: found no srun'
run intelmpi_wrapper prog
refuses 1 'intelmpi_wrapper: Intel MPI: found no mpiexec.hydra'

case_ 'a launcher in a folder with a blank, found through PATH in its order'
mkdir "$WORK/my mpi"
install_ mpirun.openmpi
cp "$FAKES/launcher" "$WORK/my mpi/mpirun"
PATH="$WORK/my mpi:$TOOLS" FAKE_SAYS=openmpi "$BIN/openmpi_wrapper" prog
launched mpirun --mca odls_base_num_threads 0 prog
not_launched mpirun.openmpi

case_ 'a wrapper that is a link, or is a copy elsewhere, finds what it needs'
mkdir "$WORK/links"
ln -s "$BIN/openmpi_wrapper" "$WORK/links/openmpi_wrapper"
PATH=$TOOLS "$WORK/links/openmpi_wrapper" prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
rm "$WORK/links/openmpi_wrapper" "$RECORD"/*
cp "$BIN/openmpi_wrapper" "$WORK/links/our_wrapper"
PATH=$TOOLS LSF_BINDIR=$BIN "$WORK/links/our_wrapper" prog
launched mpirun.openmpi --mca odls_base_num_threads 0 prog
finish
