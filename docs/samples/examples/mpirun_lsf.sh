#!/bin/sh
# mpirun.lsf finds the wrapper by LSF_PJL_TYPE and becomes pam. The geometry puts tasks 0 and 3 on the first host of
# the job and tasks 1 and 2 on the second.
set -eu
LSF_PJL_TYPE=mpich2
LSB_MCPU_HOSTS="${LSB_MCPU_HOSTS:-hosta 2 hostb 2}"
LSB_PJL_TASK_GEOMETRY="{(0,3)(1,2)}"
export LSF_PJL_TYPE LSB_MCPU_HOSTS LSB_PJL_TASK_GEOMETRY
exec mpirun.lsf "${1:-./my_program}"
