# shellcheck shell=sh disable=SC2034,SC2154
# pjloptions.sh: what follows an option of a launcher, by the tables of pjltables.sh and pjlslurm.sh. Part of pjllib.sh.
#
# A table is words: KIND: and the names of its options, without dashes. KIND is what follows such an option:
#   0, 1, 2     so many words that mean nothing to us
#   np          the number of tasks
#   pernode     the number of tasks on each host; "each" is one task on each host, without a word
#   mapby       a mapping, which may say how many tasks there are on each host
#   hosts       hosts, or a file of hosts
#   pair        NAME=VALUE, or NAME and VALUE
#   infile      a file that names programs, where TaskStarter cannot get in
#   wd          a directory: what Hydra calls -wdir
#   drop0 drop1 an option of launchers that are gone: it means nothing to today's and is left out
# KIND/MORE is KIND for the wrappers; MORE says what pam takes it for:
#   pernode     the number of tasks on each host, which the wrappers leave to the launcher
#   ends        the launcher prints something and starts no program, or the program is elsewhere
#   maybe       a value, if any, is part of the same word
# KIND@pam is for pam alone. KIND@wrappers is for the wrappers alone; its names are patterns.

# pjl_option TABLE NAME: PJL_KIND of the option NAME (without dashes), '' where nobody knows it.
pjl_option() {
  pjl_lookup "$2" "$PJL_OLD_OPTIONS"
  [ -z "$PJL_KIND" ] || return 0
  "pjl_${1}_option" "$2"
}

# The template's. A site adds those of its own launcher.
pjl_generic_option() {
  case $1 in n | np) PJL_KIND=np ;; esac
}

pjl_openmpi_option() { pjl_lookup "$1" "$PJL_OPENMPI_OPTIONS"; }
pjl_hydra_option() { pjl_lookup "$1" "$PJL_HYDRA_OPTIONS"; }
pjl_intelmpi_option() { pjl_lookup "$1" "$PJL_INTELMPI_OPTIONS $PJL_HYDRA_OPTIONS"; }
pjl_slurm_option() { pjl_lookup "$1" "$PJL_SLURM_OPTIONS"; }

# pjl_lookup NAME TABLE: PJL_KIND of the first option of TABLE that is NAME.
pjl_lookup() {
  PJL_KIND='' PJL_LINE=''
  # shellcheck disable=SC2086  # its words
  for PJL_NEXT in $2; do
    case $PJL_NEXT:$PJL_LINE in
    *@pam::*) PJL_LINE='' ;;
    *::*) PJL_LINE=${PJL_NEXT%%[:/@]*} ;;
    *:) ;;
    *)
      # shellcheck disable=SC2254  # it may be a pattern
      case $1 in $PJL_NEXT) PJL_KIND=$PJL_LINE && return 0 ;; esac
      ;;
    esac
  done
}
