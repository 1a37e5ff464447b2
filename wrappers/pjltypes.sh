# shellcheck shell=sh disable=SC2034
# pjltypes.sh: the PJL types, the wrapper of each, and which of them a job gets. Part of pjllib.sh.

# Type, wrapper, whose options the wrapper takes ("old": those of whichever launcher is installed).
# A type without a wrapper is one that LSF has and this project does not support.
PJL_TYPES='
  openmpi openmpi_wrapper openmpi
  mpich mpich_wrapper hydra               mpich2 mpich2_wrapper hydra
  mpich_gm gmmpirun_wrapper old           gmmpirun gmmpirun_wrapper old
  mpichp4 mpichp4_wrapper old             mvapich mvapich_wrapper old       mvapich2 mvapich_wrapper old
  intelmpi intelmpi_wrapper intelmpi
  slurm srun_wrapper slurm                srun srun_wrapper slurm
  generic generic_pjl_wrapper generic
  poe - -       lammpi - -         pvm - -        hpmpi - -     ibmmpi - -      sgimpi - -    mpich_mx - -
  mpich_psm - - mpichsharemem - -  mpichshmem - - scampi - -    sca_mpimon - -'

# pjl_type TYPE: PJL_WRAPPER (its name) and PJL_TABLE, or the end.
pjl_type() {
  PJL_TYPE=$1 known=
  # shellcheck disable=SC2086  # the table is words
  set -- $PJL_TYPES
  while [ $# -ge 3 ]; do
    PJL_WRAPPER=$2 PJL_TABLE=$3
    [ "$2" = - ] || known="$known $1"
    case $PJL_TYPE:$2 in
    "$1:-") pjl_fail 1 "PJL type: found $PJL_TYPE, which is not supported; expected one of$known" ;;
    "$1:"*) return 0 ;;
    esac
    shift 3
  done
  pjl_fail 1 "PJL type: found $PJL_TYPE, which nobody knows; expected one of$known"
}

# pjl_choose: the type of this job: LSF_PJL_TYPE, else the first of LSB_DEFAULT_PJLTYPE that is installed, else
# whatever is installed.
pjl_choose() {
  case ${LSF_PJL_TYPE:-auto} in auto) ;; *) pjl_type "$LSF_PJL_TYPE" && return 0 ;; esac
  wanted=$(pjl_conf LSB_DEFAULT_PJLTYPE)
  # names of launchers nobody supports are legal in the list: none of them is installed
  for type in ${wanted:-openmpi mpich2 slurm}; do
    (pjl_type "$type" && pjl_launcher "$PJL_TABLE") 2>/dev/null && pjl_type "$type" && return 0
  done
  pjl_fail 1 "launcher: found none of ${wanted:-mpirun.openmpi, mpiexec.hydra, mpirun, srun in PATH}, expected one"
}
