# shellcheck shell=sh
# pjlhydra.sh: how the wrappers of Hydra (MPICH's, Intel MPI's) start it. Read by them after pjllib.sh.

# Becomes $PJL_CMD with the words that pjl_prepare has read. "$@" are the wrapper's own.
pjl_hydra() {
  PJL_ADD=
  # Where LSF's variables are, Hydra starts its proxies with LSF_BINDIR/blaunch, and hangs where there is none.
  chosen=${HYDRA_LAUNCHER:-}${HYDRA_BOOTSTRAP:-}${I_MPI_HYDRA_BOOTSTRAP:-}$PJL_GIVEN
  case ${LSB_MCPU_HOSTS:+${LSF_BINDIR:+lsf}}:$chosen in
  lsf:) [ -x "$LSF_BINDIR/blaunch" ] || PJL_ADD='-launcher ssh' ;;
  esac
  # a host may come again later in the list: under geometry there is one entry for each task
  [ -z "$PJL_LIST" ] || PJL_ADD="$PJL_ADD -hosts $PJL_LIST"
  [ -z "$PJL_TASKS" ] || PJL_ADD="$PJL_ADD -np $PJL_TASKS"
  eval "exec \"\$PJL_CMD\" \$PJL_ADD $PJL_WORDS"
}
