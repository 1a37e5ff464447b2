# shellcheck shell=sh
# pjlhydra.sh: how the wrappers of Hydra (MPICH's, Intel MPI's) start it. Read by them after pjllib.sh.

# Becomes $PJL_CMD with the words that pjl_prepare has read. "$@" are the wrapper's own.
pjl_hydra() {
  PJL_ADD=
  # In a job blaunch starts its proxies, which Hydra looks for in LSF_BINDIR: no ssh, and every process of the job is
  # known. Where LSF's variables are and no blaunch is, it would hang.
  chosen=${HYDRA_LAUNCHER:-}${HYDRA_BOOTSTRAP:-}${I_MPI_HYDRA_BOOTSTRAP:-}$PJL_GIVEN
  case ${LSB_JOBID:+job}${LSB_MCPU_HOSTS:+${LSF_BINDIR:+lsf}}:$chosen in
  job:|joblsf:) if pjl_program blaunch; then PJL_ADD='-launcher lsf' && export LSF_BINDIR="${PJL_FILE%/*}"
    elif [ -n "${LSB_MCPU_HOSTS:+${LSF_BINDIR:-}}" ]; then PJL_ADD='-launcher ssh'; fi ;;
  lsf:) [ -x "$LSF_BINDIR/blaunch" ] || PJL_ADD='-launcher ssh' ;;
  esac
  # a host may come again later in the list: under geometry there is one entry for each task
  [ -z "$PJL_LIST" ] || PJL_ADD="$PJL_ADD -hosts $PJL_LIST"
  [ -z "$PJL_TASKS" ] || PJL_ADD="$PJL_ADD -np $PJL_TASKS"
  eval "exec \"\$PJL_CMD\" \$PJL_ADD $PJL_WORDS"
}
