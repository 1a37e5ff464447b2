# shellcheck shell=sh disable=SC2034
# pjlinstalled.sh: which launchers this host has. Part of pjllib.sh.

# pjl_find SAYS NAME...: the first of these commands in PATH is PJL_CMD, its answer to --version PJL_VERSION.
# A plain mpirun or mpiexec can be anybody's: its answer must have SAYS (one of two, with | between) in it.
pjl_find() {
  says=$1 && shift
  IFS=:
  for dir in $PATH; do
    for name do
      PJL_CMD=${dir:-.}/$name
      { [ -f "$PJL_CMD" ] && [ -x "$PJL_CMD" ]; } || continue
      PJL_VERSION=$("$PJL_CMD" --version </dev/null 2>/dev/null) || :
      case $says:$name in Intel:* | *:mpirun | *:mpiexec)
        case $PJL_VERSION in *"${says%|*}"* | *"${says#*|}"*) ;; *) continue ;; esac ;;
      esac
      unset IFS
      return 0
    done
  done
  unset IFS
  return 1
}

# pjl_launcher TABLE: is a launcher installed that takes these options? PJL_CMD and PJL_TABLE say which.
pjl_launcher() {
  PJL_TABLE=$1 PJL_VERSION=
  case $1 in
  openmpi) pjl_find 'Open MPI|OpenRTE' mpirun.openmpi mpiexec.openmpi mpirun mpiexec ;;
  hydra) pjl_find 'HYDRA|Intel' mpiexec.hydra mpiexec.mpich mpirun.mpich mpirun mpiexec ;;
  intelmpi) pjl_find Intel mpiexec.hydra mpirun mpiexec ;;
  slurm) PJL_CMD=$(command -v srun) ;;
  old) pjl_launcher hydra || pjl_launcher openmpi || pjl_launcher slurm ;;
  *) [ "$1" = generic ] ;;
  esac
}

# pjl_become_installed WORD...: the wrapper of whichever launcher is installed.
pjl_become_installed() {
  pjl_launcher old || pjl_fail 1 'launcher: found none of mpiexec.hydra, mpirun.openmpi, srun in PATH, expected one'
  case $PJL_TABLE in hydra) name=mpich_wrapper ;; openmpi) name=openmpi_wrapper ;; *) name=srun_wrapper ;; esac
  pjl_program "$name" || pjl_fail 1 "$name: found none beside $PJL_NAME or in LSF_BINDIR, expected an executable"
  exec "$PJL_FILE" "$@"
}
